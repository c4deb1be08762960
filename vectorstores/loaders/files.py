"""Text files of a folder, a single file or a ``.tar.gz``, read one at a time and never unpacked.

Nothing leaves the archive or the folder (absolute paths, ``..``, links and devices are refused), and a decompression bomb
ends the reading of its archive at a limit.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from vectorstores.loaders.base import LoadReport
from vectorstores.loaders.decoding import UTF_8, decoded, readable_name

MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_MEMBERS = 500_000
MAX_TOTAL_BYTES = 4 * 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TextFile:
    """``path`` as reported, relative inside its folder or archive; ``data`` undecoded."""

    path: str
    data: bytes

    def text(self, report: LoadReport) -> str | None:
        """The text, or None with a problem reported when it is empty, no text or of an encoding unknown here."""
        try:
            text, encoding = decoded(self.data)
        except UnicodeDecodeError as error:
            report.problem(self.path, f"UTF-8 텍스트가 아닙니다 ({error.start}번째 바이트)")
            return None
        if not text.strip():
            report.problem(self.path, "빈 파일입니다")
            return None
        if "\0" in text:
            report.problem(self.path, "텍스트 파일이 아닙니다 (NUL 문자가 있습니다)")
            return None
        if encoding != UTF_8:
            report.note(self.path, encoding_note(encoding))
        return text.replace("\r\n", "\n")


def encoding_note(encoding: str) -> str:
    """What is noted of a file that is not UTF-8."""
    return f"{encoding}로 읽었습니다 (UTF-8이 아닙니다)"


def is_archive(path: Path) -> bool:
    return path.name.endswith((".tar.gz", ".tgz"))


def read_text_files(path: Path, suffixes: tuple[str, ...], report: LoadReport) -> Iterator[TextFile]:
    """The files under ``path`` with one of ``suffixes``, in a stable order."""
    if is_archive(path):
        yield from _archive_files(path, suffixes, report)
    elif path.is_dir():
        yield from _folder_files(path, suffixes, report)
    else:
        yield from _folder_file(path, path.name, report)


def folder_paths(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Regular files below ``folder`` in path order; links are not followed."""
    found = (path for path in folder.rglob("*") if path.name.endswith(suffixes) and not path.is_symlink())
    return sorted(path for path in found if path.is_file())


def _folder_files(folder: Path, suffixes: tuple[str, ...], report: LoadReport) -> Iterator[TextFile]:
    for path in folder_paths(folder, suffixes):
        yield from _folder_file(path, path.relative_to(folder).as_posix(), report)


def _folder_file(path: Path, name: str, report: LoadReport) -> Iterator[TextFile]:
    name = readable_name(name)
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            report.problem(name, f"파일이 너무 큽니다 (한도 {MAX_FILE_BYTES:,}바이트)")
            return
        data = path.read_bytes()
    except OSError as error:
        report.problem(name, f"읽을 수 없습니다: {error.strerror}")
        return
    yield TextFile(name, data)


class _LimitExceeded(OSError):
    pass


class _BoundedStream:
    """A decompressed stream that refuses to give more than the limits, whatever the archive's headers claim."""

    def __init__(self, stream: gzip.GzipFile, total: int, single: int) -> None:
        self._stream = stream
        self._total = total
        self._single = single

    def read(self, size: int) -> bytes:
        if size > self._single or self._stream.tell() + size > self._total:
            raise _LimitExceeded
        return self._stream.read(size)

    def seek(self, position: int) -> int:
        if position > self._total:
            raise _LimitExceeded
        return self._stream.seek(position)

    def tell(self) -> int:
        return self._stream.tell()


def _archive_files(path: Path, suffixes: tuple[str, ...], report: LoadReport) -> Iterator[TextFile]:
    try:
        with gzip.open(path) as stream:
            bounded: IO[bytes] = _BoundedStream(stream, MAX_TOTAL_BYTES, MAX_FILE_BYTES)  # type: ignore[assignment]
            with tarfile.open(fileobj=bounded, mode="r:") as archive:
                for number, member in enumerate(archive):
                    if number >= MAX_MEMBERS:
                        report.problem(path.name, f"항목이 너무 많아 앞의 {MAX_MEMBERS:,}개만 읽었습니다")
                        return
                    archive.members = []  # type: ignore[attr-defined]  # tarfile keeps every header it has seen; an archive may hold millions
                    file = _member_file(archive, member, suffixes, report)
                    if file is not None:
                        yield file
    except _LimitExceeded:
        report.problem(
            path.name,
            f"압축을 푼 크기가 한도를 넘어 여기서 멈춥니다 (파일 {MAX_FILE_BYTES:,}바이트, 전체 {MAX_TOTAL_BYTES:,}바이트)",
        )
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        report.problem(path.name, f"압축 파일이 손상되어 여기서 멈춥니다: {error}")


def _member_file(
    archive: tarfile.TarFile, member: tarfile.TarInfo, suffixes: tuple[str, ...], report: LoadReport
) -> TextFile | None:
    if member.isdir():
        return None
    name = readable_name(member.name)
    inside = PurePosixPath(name)
    # a sparse member claims far more than the archive holds
    is_file = member.isreg() and not member.issparse()
    if inside.is_absolute() or ".." in inside.parts or "\\" in name or not is_file:
        report.problem(name, "안전하지 않은 항목이라 거부했습니다 (상위 경로, 절대 경로, 링크 또는 장치)")
        return None
    if not name.endswith(suffixes):
        return None
    if member.size > MAX_FILE_BYTES:
        report.problem(name, f"파일이 너무 큽니다 (한도 {MAX_FILE_BYTES:,}바이트)")
        raise _LimitExceeded
    content = archive.extractfile(member)
    return None if content is None else TextFile(inside.as_posix(), content.read())
