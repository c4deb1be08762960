"""Knowledge files: one `KnowledgeDocument` a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from utils.knowledge import KnowledgeDocument
from vectorstores.collections import COLLECTIONS
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.files import folder_paths

_DOMAINS = frozenset(spec.domain for spec in COLLECTIONS)
_MAX_FILE_BYTES = 1024 * 1024 * 1024
_MAX_DETAILS = 3


class JsonlLoader:
    """A ``.jsonl`` file, or a folder of them. A bad line is reported with its number and skipped."""

    name = "jsonl"
    version = 1

    def accepts(self, path: Path) -> bool:
        return bool(folder_paths(path, (".jsonl",))) if path.is_dir() else path.suffix == ".jsonl"

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        files = folder_paths(path, (".jsonl",)) if path.is_dir() else [path]
        seen: dict[str, str] = {}
        for file in files:
            report.files += 1
            yield from self._load_file(file, options, report, seen)

    def _load_file(
        self, file: Path, options: LoadOptions, report: LoadReport, seen: dict[str, str]
    ) -> Iterator[SourceDocument]:
        if file.stat().st_size == 0:
            report.problem(str(file), "빈 파일입니다")
            return
        if file.stat().st_size > _MAX_FILE_BYTES:
            report.problem(str(file), "파일이 너무 큽니다")
            return
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                document = self._parse(line, number, str(file), options, report)
                if document is None:
                    continue
                place = f"{file}:{number}"
                if document.id in seen:
                    report.problem(str(file), f"id가 {seen[document.id]} 줄과 겹칩니다: {document.id}", number)
                    continue
                seen[document.id] = place
                report.documents += 1
                yield SourceDocument(document, origin=str(file), heading=document.title)

    def _parse(
        self, line: bytes, number: int, file: str, options: LoadOptions, report: LoadReport
    ) -> KnowledgeDocument | None:
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.strip():
            return None
        try:
            document = KnowledgeDocument.model_validate_json(line)
        except ValidationError as error:
            report.problem(file, _summary(error), number)
            return None
        if options.domain is not None:
            return document.model_copy(update={"domain": options.domain})
        if document.domain not in _DOMAINS:
            report.problem(file, f"알 수 없는 domain입니다: {document.domain!r}", number)
            return None
        return document


def _summary(error: ValidationError) -> str:
    details = [
        f"{'.'.join(str(part) for part in item['loc']) or 'JSON'}: {item['msg']}"
        for item in error.errors(include_url=False, include_input=False)
    ]
    more = f" 외 {len(details) - _MAX_DETAILS}건" if len(details) > _MAX_DETAILS else ""
    return "형식 오류: " + "; ".join(details[:_MAX_DETAILS]) + more
