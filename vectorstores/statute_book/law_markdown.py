"""A statute as the open API gives it (JSON), in the Markdown form of the statute tree.

Fields that may occur several times come as one value or as a list, and texts also as lists of lists of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from utils.documents import on_one_line
from utils.sanitizing.sanitize import clean_text
from vectorstores.errors import StatuteAnswerMalformed

_CHILDREN = ("시행령", "시행규칙")
_LEVELS = {"편": "#", "장": "##", "절": "###", "관": "####"}
_SECTION = re.compile(r"제\d+([편장절관])(?:의\d+)?(?:\s|$)")
_HEADING = re.compile(r"제\d+조(?:의\d+)*\s*(?:\([^()\n]*\)\s*)?")
_NUMBERED = re.compile(r"(\d{1,6}(?:의\d{1,6})?|[가-하])\.")
_DOTS = str.maketrans("·・･", "ㆍㆍㆍ")
_UNSAFE = re.compile(r"[/\\\x00-\x1f]")
_DEPTH = 5  # of lists in lists
_MAX_NAME = 240  # bytes, of 255 that a file system takes
_ADDRESS = "https://www.law.go.kr/법령/"
_NOTE = re.compile(r"\[시행일[^\n]*")


def listed(value: Any) -> list[Any]:
    """Return a field's values: those of a list, the value itself, or none."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def text_of(value: Any, depth: int = _DEPTH) -> str:
    """Return the text of a field: the lines of nested lists, the ``content`` of an object; nothing of what lies deeper."""
    if isinstance(value, list | dict) and not depth:
        return ""
    if isinstance(value, list):
        return "\n".join(text for part in value if (text := text_of(part, depth - 1)))
    if isinstance(value, dict):
        return text_of(value.get("content"), depth - 1)
    return "" if value is None or isinstance(value, bool) else clean_text(str(value)).strip()


def day_of(value: Any) -> date | None:
    """Return a day that is written 20260317; None for anything else."""
    text = text_of(value)
    try:
        return date(int(text[:4]), int(text[4:6]), int(text[6:])) if len(text) == 8 and text.isdecimal() else None
    except ValueError:
        return None


def folder_and_file(title: str, kind: str) -> tuple[str, str]:
    """Return the folder and the stem of the file of a statute: 근로기준법 시행령 → 근로기준법, 시행령."""
    name = on_one_line(title).translate(_DOTS)
    for child in _CHILDREN:
        if name.endswith(f" {child}"):
            return _safe(name.removesuffix(child)), child
    return _safe(name), _safe(kind)


def _safe(name: str) -> str:
    squeezed = _UNSAFE.sub("_", name.replace(" ", "")).lstrip(".") or "_"
    return squeezed.encode()[:_MAX_NAME].decode(errors="ignore")


def law_markdown(answer: dict[str, Any], serial: str) -> str:
    """Return the file of a statute. Raises `StatuteAnswerMalformed` where its head or its text is missing."""
    law = _object(answer.get("법령"))
    head = _object(law.get("기본정보"))
    title = on_one_line(text_of(head.get("법령명_한글"))).translate(_DOTS)
    promulgated, effective = day_of(head.get("공포일자")), day_of(head.get("시행일자"))
    if not title or promulgated is None or effective is None:
        raise StatuteAnswerMalformed("법령에 이름, 공포일자나 시행일자가 없습니다")
    articles = "\n".join(_articles(law))
    supplements = [text_of(unit.get("부칙내용")) for unit in _units(law, "부칙", "부칙단위")]
    if not articles and not any(supplements):
        raise StatuteAnswerMalformed("법령에 조문도 부칙도 없습니다")
    fields = {
        "제목": title,
        "법령MST": serial,
        "법령ID": f"'{_word(head.get('법령ID'))}'",
        "법령구분": _word(head.get("법종구분")) or "법령",
        "소관부처": _word(head.get("소관부처")),
        "공포일자": promulgated.isoformat(),
        "공포번호": f"'{_word(head.get('공포번호'))}'",
        "시행일자": effective.isoformat(),
        "출처": f"{_ADDRESS}{title.replace(' ', '')}",
    }
    written = "\n".join(f"{name}: {value}" for name, value in fields.items())
    tail = ("\n## 부칙\n\n" + "\n\n".join(filter(None, supplements)) + "\n") if any(supplements) else ""
    return f"---\n{written}\n---\n\n# {title}\n\n{articles}\n{tail}"


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: Any) -> str:
    return on_one_line(text_of(value)).replace("'", "")


def _units(parent: dict[str, Any], name: str, unit: str) -> list[dict[str, Any]]:
    """Return the objects at ``parent[name][unit]``, which may lie in lists of lists."""
    units = [part for value in listed(parent.get(name)) for part in listed(_object(value).get(unit))]
    return [part for value in units for part in listed(value) if isinstance(part, dict)]


def _articles(law: dict[str, Any]) -> Iterator[str]:
    for unit in _units(law, "조문", "조문단위"):
        number, branch, title = (_word(unit.get(name)) for name in ("조문번호", "조문가지번호", "조문제목"))
        content = text_of(unit.get("조문내용"))
        if _word(unit.get("조문여부")) == "전문" or (not title and _SECTION.match(content)):
            sections = ((_SECTION.match(line), line) for line in _lines(content))
            yield from (f"{_LEVELS[section[1]]} {line}\n" for section, line in sections if section)
            continue
        article = f"제{number}조" + (f"의{branch}" if branch.strip("0") else "")
        yield f"##### {article}" + (f" ({title})" if title else "") + "\n"
        yield from _paragraph(_without_heading(content, article, title))
        for paragraph in _parts(unit, "항"):
            yield from _paragraph(text_of(paragraph.get("항내용")))
            yield from _items(paragraph)
        yield from _items(unit)
        yield from _paragraph("\n".join(_NOTE.findall(text_of(unit.get("조문참고자료")))))


def _parts(parent: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [part for part in listed(parent.get(name)) if isinstance(part, dict)]


def _items(parent: dict[str, Any]) -> Iterator[str]:
    lines = []
    for item in _parts(parent, "호"):
        lines += _indented(text_of(item.get("호내용")), "  ")
        for sub in _parts(item, "목"):
            lines += _indented(text_of(sub.get("목내용")), "    ")
    if lines:
        yield "\n".join(lines) + "\n"


def _indented(text: str, indent: str) -> list[str]:
    """Return the lines of an item, its number escaped as Markdown asks for."""
    lines = _lines(text)
    if lines and (number := _NUMBERED.match(lines[0])):
        lines[0] = f"{number[1]}\\.{lines[0][number.end() :]}"
    return [f"{indent}{line}" for line in lines]


def _paragraph(text: str) -> Iterator[str]:
    lines = _lines(text)
    if lines:
        yield "\n".join(lines) + "\n"


def _lines(text: str) -> list[str]:
    """Return the lines with text of a text; what would be a heading in Markdown is escaped."""
    stripped = (line.strip() for line in text.translate(_DOTS).split("\n"))
    return [f"\\{line}" if line.startswith("#") else line for line in stripped if line]


def _without_heading(content: str, article: str, title: str) -> str:
    """Return an article's own text: 제38조(목적) 이 법은 … → 이 법은 …"""
    for heading in (f"{article}({title})", f"{article} ({title})"):
        if title and content.startswith(heading):
            return content[len(heading) :].strip()
    return content[match.end() :] if (match := _HEADING.match(content)) else content
