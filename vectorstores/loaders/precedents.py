"""Court cases: front matter, then 판시사항, 판결요지, 참조조문 and the judgment with its reasons (이유)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from utils.documents import DocumentSource, KnowledgeDocument
from utils.knowledge.front_matter import split_front_matter
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument, problem_text
from vectorstores.loaders.files import TextFile, read_text_files
from vectorstores.loaders.sniff import Probe

_SECTION = re.compile(r"^##[ \t]+(\S.*)$", re.MULTILINE)
_REASONS = re.compile(r"【\s*이\s*유\s*】")
_INNER_SPACE = re.compile(r"[ \t\u3000\xa0]+")
_CITED = re.compile(r"[가-힣ㆍ· ]{2,60}?\s?제\d+조(?:의\d+)?")
_MAX_CITED = 30


class PrecedentLoader:
    """A file, folder or ``.tar.gz`` of court cases."""

    name = "precedents"
    version = 2
    needs_collection = False

    def accepts(self, probe: Probe) -> bool:
        return "사건번호" in probe.markdown_fields

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        seen: dict[str, str] = {}
        for file in read_text_files(path, (".md",), report):
            report.files += 1
            source = _read_case(
                file, options.domain or options.collections.of_cases(PurePosixPath(path.name, file.path)), report
            )
            if source is None:
                continue
            first = seen.setdefault(source.document.id, file.path)
            if first != file.path:
                report.problem(file.path, f"같은 판례가 {first}에도 있습니다: {source.document.id}")
                continue
            report.documents += 1
            yield source


def _read_case(file: TextFile, domain: str, report: LoadReport) -> SourceDocument | None:
    text = file.text(report)
    if text is None:
        return None
    split = split_front_matter(text)
    if split is None:
        report.problem(file.path, "머리말(---)이 없거나 닫히지 않았습니다")
        return None
    fields, body = split
    missing = [key for key in ("판례일련번호", "사건번호", "사건명") if not fields.get(key)]
    if missing:
        report.problem(file.path, f"머리말에 {', '.join(missing)} 항목이 없습니다")
        return None
    content, cited = _case_text(body)
    if not content:
        report.problem(file.path, "판시사항, 판결요지, 이유가 모두 비어 있습니다")
        return None
    try:
        document = _case_document(fields, content, cited, domain)
    except ValidationError as error:
        report.problem(file.path, problem_text(error))
        return None
    except ValueError as error:
        report.problem(file.path, f"머리말의 값이 잘못되었습니다: {error}")
        return None
    return SourceDocument(document, origin=file.path, heading=document.title)


def _case_text(body: str) -> tuple[str, tuple[str, ...]]:
    """The parts a reader needs in order, each under its heading, and the cited articles."""
    marks = list(_SECTION.finditer(body))
    ends = [mark.start() for mark in marks[1:]] + [len(body)]
    sections = {mark[1].rstrip(): body[mark.end() : end] for mark, end in zip(marks, ends, strict=False)}
    judgment = sections.get("판례내용", "")
    reasons = _REASONS.search(judgment)
    parts = {
        "판시사항": sections.get("판시사항", ""),
        "판결요지": sections.get("판결요지", ""),
        "참조조문": sections.get("참조조문", ""),
        "이유": judgment[reasons.end() :] if reasons else judgment,
    }
    return case_content(parts), cited_articles(parts["참조조문"])


def case_content(parts: Mapping[str, str]) -> str:
    """The parts of a case that are not empty, each under its name."""
    tidy = {name: _tidy(part) for name, part in parts.items()}
    return "\n\n".join(f"【{name}】\n{part}" for name, part in tidy.items() if part)


def cited_articles(text: str) -> tuple[str, ...]:
    """``법이름 제N조`` of the first articles named in a 참조조문."""
    return tuple(dict.fromkeys(match.strip() for match in _CITED.findall(_tidy(text))))[:_MAX_CITED]


def _tidy(text: str) -> str:
    lines = (_INNER_SPACE.sub(" ", line).strip() for line in text.replace("<br/>", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def _case_document(fields: dict[str, str], content: str, cited: tuple[str, ...], domain: str) -> KnowledgeDocument:
    decided = fields.get("선고일자", "")
    court = fields.get("법원명", "")
    heading = " ".join(part for part in (court, decided, fields["사건번호"]) if part)
    return KnowledgeDocument(
        id=f"CASE_{fields['판례일련번호']}",
        type="court_case",
        domain=domain,
        title=f"{fields['사건명']} ({heading})",
        content=content,
        source=DocumentSource(name="국가법령정보센터 판례", url=fields.get("출처", "")),
        effective_date=date.fromisoformat(decided) if decided else None,
        related_laws=cited,
        metadata={"case_number": fields["사건번호"], "court": court, "case_kind": fields.get("사건종류", "")},
    )
