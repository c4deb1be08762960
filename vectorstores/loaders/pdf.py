"""PDF files, one document a page, so that an answer can name the page it rests on.

The text is what the file carries; a scanned page carries none, which is reported, as nothing here recognises letters. A file
from outside may be made to exhaust its reader: `pypdf` bounds what one stream may unpack to, this module the rest.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from utils.documents import DocumentSource, KnowledgeDocument
from utils.sanitizing.sanitize import clean_text
from vectorstores.collections import ChunkingPolicy
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.files import folder_paths, path_sha256
from vectorstores.loaders.sniff import Probe
from vectorstores.storage.page_ids import page_chunk_id, page_document_id

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

# pypdf takes a third of a second to import, which an ingest without a PDF does not pay.

MAX_PAGES = 5_000
MAX_PAGE_CHARACTERS = 50_000
MAX_FILE_CHARACTERS = 20_000_000
MAX_STREAM_BYTES = 10_000_000
"""Unpacked, of the drawing instructions of a page; a dense page of text has a few hundred thousand."""
MAX_SECONDS = 600.0
"""Of reading one file; looked at between pages."""

_SUFFIX = ".pdf"
_UNREADABLE_SHARE = 0.3  # of letters that are no letters: a font without a table of its characters
_WRAPPED_LENGTH = 0.7  # a line this long, against the page's long lines, was ended by the margin
_LONG_LINE = 20
_ENDS_OPEN = re.compile(r"[가-힣A-Za-z,·]$")
_BEGINS_ANEW = re.compile(
    r"\s*(?:[-*•·●○◦◎■□▪▫◆◇▶▷►※❍➤①-⑳㉮-㉻]|\(?[0-9가-하]{1,2}[.)]|제\s?\d+\s?[장절조항]|[\[【<《「『])"
)


class PdfLoader:
    """A ``.pdf`` file, or a folder of them. The collection must be named: the text does not say it."""

    name = "pdf"
    version = 2
    needs_collection = True

    def accepts(self, probe: Probe) -> bool:
        path = probe.path
        return bool(folder_paths(path, (_SUFFIX,))) if path.is_dir() else path.suffix.lower() == _SUFFIX

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        if options.domain is None:
            raise IngestError(f"{path}: PDF 문서는 --collection 으로 컬렉션을 지정해야 합니다")
        for file in folder_paths(path, (_SUFFIX,)) if path.is_dir() else [path]:
            report.files += 1
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            seconds = MAX_SECONDS if options.seconds is None else min(MAX_SECONDS, options.seconds)
            policy = options.collections.find(options.domain).of_pages
            yield from _PdfFile(file, name, options.domain, report, seconds, policy).documents()


class _TooMuchText(Exception):
    pass


class _PdfFile:
    """A PDF file while it is read; ``name`` is its path within the given source."""

    def __init__(
        self, path: Path, name: str, domain: str, report: LoadReport, seconds: float, policy: ChunkingPolicy
    ) -> None:
        self._path = path
        self._name = name
        self._domain = domain
        self._report = report
        self._seconds = seconds
        self._policy = policy
        self._characters = 0

    def documents(self) -> Iterator[SourceDocument]:
        """A document for each page with text; what could not be read goes to the report."""
        with self._path.open("rb") as stream:
            try:
                from pypdf import PdfReader

                with _bounded():
                    reader = PdfReader(stream)
                    if not self._is_open(reader):
                        return
                    count = len(reader.pages)
                    labels = reader.page_labels if count <= MAX_PAGES else []
                    created = _created_at(reader)
            except Exception:  # noqa: BLE001 - a broken file makes pypdf fail in any way
                self._problem("PDF를 읽을 수 없습니다. 손상되었거나 잘린 파일입니다")
                return
            if count == 0:
                self._problem("PDF에 쪽이 없습니다")
            if count > MAX_PAGES:
                self._problem(f"쪽이 너무 많아 앞의 {MAX_PAGES:,}쪽만 읽었습니다 (전체 {count:,}쪽)")
                labels = [str(number) for number in range(1, MAX_PAGES + 1)]
            file_hash = path_sha256(self._path)
            empty: list[int] = []
            for page, text in self._texts(reader, len(labels)):
                if not text:
                    empty.append(page)
                    continue
                self._report.documents += 1
                yield self._document(page, labels[page - 1], text, file_hash, created)
        if empty:
            self._problem(
                f"글자가 없는 쪽이 {len(empty)}개 있습니다: {_ranges(empty)}쪽. 스캔한 쪽이라면 문자 인식을 거친 PDF로 바꾸십시오"
            )

    def _is_open(self, reader: PdfReader) -> bool:
        """Return True if the file can be read without a password; files that only forbid printing or editing can."""
        from pypdf.errors import DependencyError

        try:
            if not reader.is_encrypted or reader.decrypt(""):
                return True
            self._problem("암호가 걸린 PDF입니다. 암호를 푼 파일로 넣으십시오")
        except DependencyError:
            self._problem("AES로 암호화된 PDF라 열 수 없습니다. 암호를 푼 파일로 넣으십시오")
        return False

    def _texts(self, reader: PdfReader, pages: int) -> Iterator[tuple[int, str]]:
        """``(page from 1, its text)``; empty for a page without any. Stops at the bounds of a file."""
        until = time.monotonic() + self._seconds
        for number in range(pages):
            if self._characters > MAX_FILE_CHARACTERS or time.monotonic() > until:
                self._problem(f"글자나 읽는 시간이 한도를 넘어 {number}쪽까지만 읽었습니다")
                return
            try:
                with _bounded():
                    text = _page_text(reader.pages[number])
            except _TooMuchText:
                self._problem(f"{number + 1}쪽: 글자가 {MAX_PAGE_CHARACTERS:,}자를 넘어 건너뜁니다")
            except Exception:  # noqa: BLE001 - as above; the other pages may be whole
                self._problem(f"{number + 1}쪽을 읽을 수 없습니다. 손상되었거나 풀었을 때 지나치게 큰 쪽입니다")
            else:
                self._characters += len(text)
                if _is_unreadable(text):
                    self._problem(f"{number + 1}쪽: 글꼴에 문자표가 없어 글자를 알아볼 수 없습니다")
                else:
                    yield number + 1, text

    def _document(self, page: int, label: str, text: str, file_hash: str, created: str) -> SourceDocument:
        name = clean_text(self._path.stem).strip() or "PDF"
        label = clean_text(label).strip()[:40] or str(page)
        metadata: dict[str, str | int | float | bool] = {
            "page": page,
            "page_label": label,
            "file_hash": file_hash,
            "file_name": clean_text(self._path.name),
        }
        if created:
            metadata["created_at"] = created
        document = KnowledgeDocument(
            id=page_document_id(file_hash, page),
            type="guide",
            domain=self._domain,
            title=f"{name} {label}쪽",
            content=text,
            source=DocumentSource(name=name),
            metadata=metadata,
        )
        return SourceDocument(
            document,
            origin=self._name,
            heading=name,
            policy=self._policy,
            chunk_id=lambda number, passage: page_chunk_id(file_hash, page, number - 1, passage),
        )

    def _problem(self, message: str) -> None:
        self._report.problem(self._name, message)


def _bounded() -> AbstractContextManager[object]:
    """Tighter bounds of pypdf than its own, which let a page of nothing take half a minute."""
    from pypdf import apply_configuration

    return apply_configuration(
        zlib_maximum_output_length=MAX_STREAM_BYTES,
        lzw_maximum_output_length=MAX_STREAM_BYTES,
        run_length_maximum_output_length=MAX_STREAM_BYTES,
        array_based_stream_maximum_output_length=MAX_STREAM_BYTES,
    )


def _created_at(reader: PdfReader) -> str:
    """When the file says it was made, as ISO 8601; empty when it does not say, or says it wrongly."""
    try:
        made = reader.metadata.creation_date if reader.metadata is not None else None
    except ValueError:
        return ""
    return made.isoformat() if made is not None else ""


def _page_text(page: PageObject) -> str:
    size = 0

    def count(text: str, *_: object) -> None:
        nonlocal size
        size += len(text)
        if size > MAX_PAGE_CHARACTERS:
            raise _TooMuchText

    return unwrapped(clean_text(page.extract_text(visitor_text=count)))


def unwrapped(text: str) -> str:
    """``text`` with the lines joined that only the margin has ended, so that sentences are whole.

    A line goes on in the next one when it is about as long as the page's long lines and stops in mid-sentence, and the next
    does not open an item, an article or a heading.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    lengths = sorted(len(line) for line in lines if line)
    full = lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0
    joined: list[str] = []
    last = ""
    for line in lines:
        if (
            len(last) >= max(_LONG_LINE, _WRAPPED_LENGTH * full)
            and _ENDS_OPEN.search(last)
            and line.strip()
            and not _BEGINS_ANEW.match(line)
        ):
            joined[-1] = f"{joined[-1]} {line.lstrip()}"
        else:
            joined.append(line)
        last = line
    return re.sub(r"\n{3,}", "\n\n", "\n".join(joined)).strip()


def _is_unreadable(text: str) -> bool:
    letters = [letter for letter in text if not letter.isspace()]
    strange = sum(letter == "\ufffd" or unicodedata.category(letter) in ("Co", "Cn") for letter in letters)
    return strange > _UNREADABLE_SHARE * len(letters)


def _ranges(numbers: Sequence[int]) -> str:
    """Rising numbers as ``2, 5–7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)
