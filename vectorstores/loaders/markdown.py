"""Markdown and plain-text guides: one document a heading section, so that each is found and cited on its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from utils.documents import DocumentSource, KnowledgeDocument
from utils.knowledge.front_matter import split_front_matter
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument, problem_text
from vectorstores.loaders.files import TextFile, folder_paths, read_text_files
from vectorstores.loaders.sniff import Probe

_SUFFIXES = (".md", ".txt")
_HEADING_OR_FENCE = re.compile(r"^(?:(#{1,3})[ \t]+(\S.*)|(```|~~~)(.*))$", re.MULTILINE)


class MarkdownLoader:
    """A ``.md`` or ``.txt`` file, or a folder of them. The collection must be named: the text does not say it."""

    name = "markdown"
    version = 2
    needs_collection = True

    def accepts(self, probe: Probe) -> bool:
        path = probe.path
        return bool(folder_paths(path, _SUFFIXES)) if path.is_dir() else path.suffix in _SUFFIXES

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        if options.domain is None:
            raise IngestError(f"{path}: Markdown과 텍스트 문서는 --collection 으로 컬렉션을 지정해야 합니다")
        for file in read_text_files(path, _SUFFIXES, report):
            report.files += 1
            yield from _sections(file, options.domain, options.collections.find(options.domain).section_depth, report)


def _sections(file: TextFile, domain: str, depth: int, report: LoadReport) -> Iterator[SourceDocument]:
    text = file.text(report)
    if text is None:
        return
    fields: dict[str, str] = {}
    if text.startswith("---\n"):
        split = split_front_matter(text)
        if split is None:
            report.problem(file.path, "머리말(---)이 닫히지 않았습니다")
            return
        fields, text = split
    stem = PurePosixPath(file.path).stem
    title = fields.get("title") or fields.get("제목") or stem
    numbers: dict[str, int] = {}
    sections = split_by_heading(text, depth)
    if not sections:
        report.problem(file.path, "내용이 없습니다")
    for path, content in sections:
        heading = " > ".join(path)
        numbers[heading] = numbers.get(heading, 0) + 1
        digest = hashlib.blake2b(f"{file.path}\0{heading}\0{numbers[heading]}".encode(), digest_size=6).hexdigest()
        try:
            document = KnowledgeDocument(
                id=f"GUIDE_{stem[:80]}_{digest}",
                type="guide",
                domain=domain,
                title=title if not heading or heading == title else f"{title} — {heading}",
                content=content,
                source=DocumentSource(name=fields.get("source", title), url=fields.get("url", "")),
                effective_date=date.fromisoformat(fields["effective_date"]) if fields.get("effective_date") else None,
                metadata={"file": file.path, "section": heading},
            )
        except ValidationError as error:
            report.problem(file.path, problem_text(error))
            return
        except ValueError as error:
            report.problem(file.path, f"머리말의 값이 잘못되었습니다: {error}")
            return
        report.documents += 1
        yield SourceDocument(document, origin=file.path, heading=document.title)


def split_by_heading(text: str, depth: int = 3) -> list[tuple[tuple[str, ...], str]]:
    """``(heading path, text)`` of each section with text of its own, down to level ``depth``; headings in code blocks do not count."""
    marks = [mark for mark in _headings(text) if len(mark[1]) <= depth]
    sections: list[tuple[tuple[str, ...], str]] = []
    if lead := text[: marks[0].start() if marks else len(text)].strip():
        sections.append(((), lead))
    path: dict[int, str] = {}
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=False):  # without headings there is an end too many
        level = len(mark[1])
        title = mark[2].rstrip(" \t#") or mark[2]
        path = {depth: title for depth, title in path.items() if depth < level} | {level: title}
        if content := text[mark.end() : end].strip():
            sections.append((tuple(path.values()), content))
    return sections


def _headings(text: str) -> list[re.Match[str]]:
    """The headings of ``text`` outside code blocks; a block that is never closed is none."""
    headings: list[re.Match[str]] = []
    inside: list[re.Match[str]] = []
    fence: str | None = None
    for mark in _HEADING_OR_FENCE.finditer(text):
        if mark[1]:
            (headings if fence is None else inside).append(mark)
        elif fence is None:
            fence = mark[3]
        elif mark[3] == fence and not mark[4].strip(" \t"):
            fence = None
            inside.clear()
    return headings + inside
