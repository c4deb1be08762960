"""The statute Markdown tree: one document an article, of the newest text of each title.

Several files may bear one title; the one with the newest 공포일자 is in force. So the tree is read twice: for titles and dates,
then for articles. 부칙 and what follows it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from pathlib import Path

from pydantic import ValidationError

from schemas.chat import Scalar
from utils.documents import DocumentSource, KnowledgeDocument
from utils.knowledge.front_matter import split_front_matter
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument, problem_text
from vectorstores.loaders.effective import UNKNOWN_DATE, Marked, is_first_enactment, mark_text, mark_upcoming
from vectorstores.loaders.files import TextFile, read_text_files
from vectorstores.loaders.sniff import Probe

_SUFFIXES = (".md",)
_SUPPLEMENT = re.compile(r"^##\s+부칙", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,5})[^\S\n]+(\S.*)$", re.MULTILINE)
_ARTICLE = re.compile(r"(제\d+조(?:의\d+)*)\s*(?:\((.*)\))?$")
_ESCAPED = re.compile(r"\\([.)\-*_#\[\]])")
_IMAGE = re.compile(r"<img\b[^<>]*>(?:\s*</img>)?")
_HISTORY = re.compile(r"(?<![^\S\n])[^\S\n]*+<(?:개정|신설|전문개정|제목개정|본조신설|단서신설|단서개정)\s[^<>\n]*>")
_DELETED = re.compile(r"삭\s?제\s*(?:<[^<>]*>)?")


@dataclass(frozen=True, slots=True)
class Statute:
    """The head of one file. ``key`` is the title without spaces, the first half of an article's label."""

    title: str
    kind: str
    promulgated: date
    effective: date
    url: str
    number: int

    @property
    def key(self) -> str:
        return self.title.replace(" ", "")

    @property
    def rank(self) -> tuple[date, int]:
        """The higher one of two files of one title is in force."""
        return self.promulgated, self.number


class StatuteLoader:
    """A folder or ``.tar.gz`` of statute files (front matter with 법령구분, articles under ``##### 제N조 (제목)``)."""

    name = "statutes"
    version = 2
    needs_collection = False

    def accepts(self, probe: Probe) -> bool:
        return "법령구분" in probe.markdown_fields

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        in_force: dict[str, tuple[tuple[date, int], str]] = {}
        for file in read_text_files(path, _SUFFIXES, LoadReport()):  # problems are reported by the second reading
            parsed = _parse_head(file, LoadReport())
            if parsed is not None:
                statute = parsed[0]
                in_force[statute.key] = max(
                    in_force.get(statute.key, (statute.rank, file.path)), (statute.rank, file.path)
                )
        for file in read_text_files(path, _SUFFIXES, report):
            report.files += 1
            parsed = _parse_head(file, report)
            if parsed is not None and in_force[parsed[0].key][1] == file.path:
                yield from _articles(*parsed, file.path, options, report)


def _parse_head(file: TextFile, report: LoadReport) -> tuple[Statute, str] | None:
    text = file.text(report)
    if text is None:
        return None
    split = split_front_matter(text)
    if split is None:
        report.problem(file.path, "머리말(---)이 없거나 닫히지 않았습니다")
        return None
    fields, body = split
    try:
        statute = Statute(
            title=fields["제목"],
            kind=fields["법령구분"],
            promulgated=date.fromisoformat(fields["공포일자"]),
            effective=date.fromisoformat(fields["시행일자"]),
            url=fields.get("출처", ""),
            number=int(fields.get("법령MST", "0")),
        )
    except KeyError as error:
        report.problem(file.path, f"머리말에 {error.args[0]} 항목이 없습니다")
        return None
    except ValueError as error:
        report.problem(file.path, f"머리말의 값이 잘못되었습니다: {error}")
        return None
    if not statute.title:
        report.problem(file.path, "머리말의 제목이 비어 있습니다")
        return None
    return statute, body


def _articles(
    statute: Statute, body: str, path: str, options: LoadOptions, report: LoadReport
) -> Iterator[SourceDocument]:
    supplement = _SUPPLEMENT.search(body)
    main = body[: supplement.start()] if supplement else body
    first_enactment = statute.effective > options.today and is_first_enactment(
        body[supplement.end() :] if supplement else "", statute.promulgated
    )
    levels: dict[int, str] = {}
    seen: set[str] = set()
    headings = list(_HEADING.finditer(main))
    for heading, following in zip_longest(headings, headings[1:]):
        title = heading[2].rstrip()
        article = _ARTICLE.fullmatch(title) if len(heading[1]) == 5 else None
        if article is None:
            _enter_section(levels, len(heading[1]), title, statute.title)
            continue
        lines = clean_lines(main[heading.end() : following.start() if following else len(main)])
        if not lines:
            continue
        if article[1] in seen:
            report.problem(path, f"같은 조문이 두 번 나옵니다: {article[1]}")
            continue
        seen.add(article[1])
        marked = mark_upcoming(
            lines,
            promulgated=statute.promulgated,
            effective=statute.effective,
            first_enactment=first_enactment,
            today=options.today,
        )
        if marked.upcoming is not None:
            report.changes_on(marked.upcoming)
        try:
            source = _document(
                statute, article[1], article[2] or "", marked, " > ".join(levels.values()), path, options
            )
        except ValidationError as error:
            report.problem(path, f"{article[1]}: {problem_text(error)}")
            continue
        report.documents += 1
        yield source


def _enter_section(levels: dict[int, str], level: int, title: str, statute_title: str) -> None:
    for deeper in [other for other in levels if other >= level]:
        del levels[deeper]
    if title and title != statute_title:
        levels[level] = title


def clean_lines(raw: str) -> list[str]:
    """The paragraphs of an article: Markdown escapes undone, images named, amendment notes still in place."""
    text = raw.replace("**", "").replace("\\.", ".")
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if "<img" in text:
        text = _IMAGE.sub("[그림]", text)
    return [line for line in (part.strip() for part in text.split("\n")) if line]


def _document(
    statute: Statute, article: str, heading: str, marked: Marked, section: str, path: str, options: LoadOptions
) -> SourceDocument:
    label = f"{statute.key}|{article}"
    title = f"{statute.title} {article}" + (f"({heading})" if heading else "")
    metadata: dict[str, Scalar] = {
        "law": statute.title,
        "law_kind": statute.kind,
        "article": article,
        "heading": heading,
        "section": section,
        "promulgated": statute.promulgated.isoformat(),
    }
    effective: date | None = statute.effective if statute.effective <= options.today else None
    if marked.upcoming is not None:
        metadata["upcoming"] = marked.upcoming.isoformat()
        if marked.whole:
            effective = marked.upcoming if marked.upcoming != UNKNOWN_DATE else None
        title += f" {mark_text(marked.upcoming)}" if marked.whole else " [일부 시행 예정]"
    if len(marked.lines) == 1 and _DELETED.fullmatch(marked.lines[0]):
        metadata["deleted"] = True
    document = KnowledgeDocument(
        id=label,
        type="law",
        domain=options.domain or options.collections.law,
        title=title,
        content=_HISTORY.sub("", "\n".join(marked.lines)),
        source=DocumentSource(name="국가법령정보센터", url=f"{statute.url}/{article}" if statute.url else ""),
        effective_date=effective,
        metadata=metadata,
    )
    return SourceDocument(document, origin=path, heading=heading, name=statute.title, prefix=title, label=label)
