"""Base of the formats with one document a line."""

from __future__ import annotations

import gzip
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

import orjson
from pydantic import ValidationError

from utils.documents import KnowledgeDocument
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument, problem_text
from vectorstores.loaders.decoding import UTF_8, decoded, readable_name
from vectorstores.loaders.files import encoding_note, folder_paths

_SUFFIXES = (".jsonl", ".jsonl.gz")
_MAX_FILE_BYTES = 1024 * 1024 * 1024
_MAX_LINE_BYTES = 32 * 1024 * 1024


class LineLoader(ABC):
    """A ``.jsonl`` file, packed (``.jsonl.gz``) or not, or a folder of them. A bad line is reported with its number and skipped."""

    @abstractmethod
    def document(self, line: str, file: str, options: LoadOptions) -> KnowledgeDocument:
        """The document of one line; raises ValueError (a `ValidationError` among them) when it is none."""

    def cut(self, document: KnowledgeDocument, file: str) -> Iterator[SourceDocument]:
        """Yield the documents that a line's is taken in as: itself, where a format does not cut it."""
        yield SourceDocument(document, origin=file, heading=document.title)

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        seen: dict[str, str] = {}
        for file in line_files(path):
            report.files += 1
            name = readable_name(str(file))
            for number, line in _lines(file, name, report):
                try:
                    document = self.document(line, name, options)
                except ValidationError as error:
                    report.problem(name, problem_text(error), number)
                    continue
                except ValueError as error:
                    report.problem(name, str(error), number)
                    continue
                if document.id in seen:
                    report.problem(name, f"id가 {seen[document.id]} 줄과 겹칩니다: {document.id}", number)
                    continue
                seen[document.id] = f"{name}:{number}"
                for source in self.cut(document, name):
                    report.documents += 1
                    yield source


def line_files(path: Path) -> list[Path]:
    """The files of lines at ``path``, in a stable order; empty when there is none."""
    if path.is_dir():
        return folder_paths(path, _SUFFIXES)
    return [path] if path.name.endswith(_SUFFIXES) else []


def first_keys(path: Path) -> frozenset[str]:
    """The keys of the first line with text at ``path``, by which formats are told apart; empty when it is no object."""
    for file in line_files(path):
        for _, line in _lines(file, str(file), LoadReport()):
            try:
                value = orjson.loads(line)
            except ValueError:
                return frozenset()
            return frozenset(value) if isinstance(value, dict) else frozenset()
    return frozenset()


def _lines(file: Path, name: str, report: LoadReport) -> Iterator[tuple[int, str]]:
    """The numbered lines with text of one file; those that are no text are reported."""
    noted = False
    for number, line in enumerate(_raw_lines(file, name, report), start=1):
        try:
            text, encoding = decoded(line)
        except UnicodeDecodeError as error:
            report.problem(name, f"UTF-8 텍스트가 아닙니다 ({error.start}번째 바이트)", number)
            continue
        if encoding != UTF_8 and not noted:
            report.note(name, encoding_note(encoding))
            noted = True
        if text.strip():
            yield number, text


def _raw_lines(file: Path, name: str, report: LoadReport) -> Iterator[bytes]:
    """The lines of a file; reading ends, reported, at a limit or where a packed file is damaged."""
    read = 0
    with gzip.open(file) if file.name.endswith(".gz") else file.open("rb") as stream:
        try:
            while line := stream.readline(_MAX_LINE_BYTES):
                read += len(line)
                if read > _MAX_FILE_BYTES or (len(line) == _MAX_LINE_BYTES and not line.endswith(b"\n")):
                    limits = f"파일 {_MAX_FILE_BYTES:,}바이트, 한 줄 {_MAX_LINE_BYTES:,}바이트"
                    report.problem(name, f"한도를 넘어 여기서 멈춥니다 ({limits})")
                    return
                yield line
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            report.problem(name, f"압축 파일이 손상되어 여기서 멈춥니다: {error}")
    if read == 0:
        report.problem(name, "빈 파일입니다")
