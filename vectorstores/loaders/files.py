"""Text files of a folder, a single file or a ``.tar.gz``, read one at a time and never unpacked.

Nothing leaves the archive or the folder (absolute paths, ``..``, links and devices are refused), and a decompression bomb
ends the reading of its archive at a limit. To tell what an archive is takes a `GLANCE`, whatever it holds.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from utils.sanitizing.sanitize import clean_text
from vectorstores.loaders.base import LoadReport
from vectorstores.loaders.decoding import UTF_8, decoded, readable_name

_BLOCK = 1 << 20
MAX_FILE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Where the reading of an archive ends: bytes of one file and of all, unpacked; members; seconds of processor time."""

    single: int
    total: int
    members: int
    seconds: float


WHOLE = ArchiveLimits(MAX_FILE_BYTES, 4 * 1024 * 1024 * 1024, 500_000, math.inf)
GLANCE = ArchiveLimits(2 * 1024 * 1024, 32 * 1024 * 1024, 10_000, 2.0)


@dataclass(frozen=True, slots=True)
class TextFile:
    """``path`` as reported, relative inside its folder or archive; ``data`` undecoded."""

    path: str
    data: bytes

    def text(self, report: LoadReport) -> str | None:
        """The text without invisible characters, or None with a problem reported when it is empty, no text or of an encoding
        unknown here."""
        try:
            text, encoding = decoded(self.data)
        except UnicodeDecodeError as error:
            report.problem(self.path, f"UTF-8 텍스트가 아닙니다 ({error.start}번째 바이트)")
            return None
        if "\0" in text:
            report.problem(self.path, "텍스트 파일이 아닙니다 (NUL 문자가 있습니다)")
            return None
        text = clean_text(text)
        if not text.strip():
            report.problem(self.path, "빈 파일입니다")
            return None
        if encoding != UTF_8:
            report.note(self.path, encoding_note(encoding))
        return text


def encoding_note(encoding: str) -> str:
    """Return the note for a file that is not UTF-8."""
    return f"{encoding}로 읽었습니다 (UTF-8이 아닙니다)"


def is_archive(path: Path) -> bool:
    return path.name.endswith((".tar.gz", ".tgz"))


def read_text_files(
    path: Path, suffixes: tuple[str, ...], report: LoadReport, limits: ArchiveLimits | None = None
) -> Iterator[TextFile]:
    """The files under ``path`` with one of ``suffixes``, in a stable order; of an archive as far as ``limits`` allow."""
    if is_archive(path):
        yield from _archive_files(path, suffixes, report, limits or WHOLE)
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


class _LimitExceeded(Exception):
    pass


class _Clock:
    """The processor time of the calling thread."""

    def __init__(self, seconds: float) -> None:
        self._until = time.thread_time() + seconds

    def check(self) -> None:
        """Raises `_LimitExceeded` once the time is up."""
        if time.thread_time() > self._until:
            raise _LimitExceeded


class _TimedFile:
    """The packed file: a header without an end or a million empty streams give nothing to count but time."""

    def __init__(self, file: IO[bytes], clock: _Clock) -> None:
        self._file = file
        self._clock = clock

    def read(self, size: int = -1) -> bytes:
        self._clock.check()
        return self._file.read(size)

    def seek(self, position: int, whence: int = 0) -> int:
        return self._file.seek(position, whence)


class _BoundedStream:
    """A decompressed stream that refuses to give more than the limits, whatever the archive's headers claim."""

    def __init__(self, stream: gzip.GzipFile, limits: ArchiveLimits, clock: _Clock) -> None:
        self._stream = stream
        self._limits = limits
        self._clock = clock

    def read(self, size: int) -> bytes:
        self._clock.check()
        if size > self._limits.single or self._stream.tell() + size > self._limits.total:
            raise _LimitExceeded
        return self._stream.read(size)

    def seek(self, position: int) -> int:
        if position > self._limits.total:
            raise _LimitExceeded
        return self._stream.seek(position)

    def tell(self) -> int:
        return self._stream.tell()


def _archive_files(
    path: Path, suffixes: tuple[str, ...], report: LoadReport, limits: ArchiveLimits
) -> Iterator[TextFile]:
    clock = _Clock(limits.seconds)
    with path.open("rb") as file:
        packed: IO[bytes] = _TimedFile(file, clock)  # type: ignore[assignment]
        try:
            with gzip.GzipFile(fileobj=packed, mode="rb") as stream:
                bounded: IO[bytes] = _BoundedStream(stream, limits, clock)  # type: ignore[assignment]
                yield from _members(bounded, path.name, suffixes, report, limits)
        except _LimitExceeded:
            report.problem(
                path.name,
                f"압축을 푼 크기가 한도를 넘어 여기서 멈춥니다 (파일 {limits.single:,}바이트, 전체 {limits.total:,}바이트)",
            )
        except Exception as error:  # noqa: BLE001 - a forged header makes tarfile fail in any way, by recursion among them
            report.problem(path.name, f"압축 파일이 손상되어 여기서 멈춥니다: {error}")


def _members(
    bounded: IO[bytes], name: str, suffixes: tuple[str, ...], report: LoadReport, limits: ArchiveLimits
) -> Iterator[TextFile]:
    with tarfile.open(fileobj=bounded, mode="r:") as archive:
        for number, member in enumerate(archive):
            if number >= limits.members:
                report.problem(name, f"항목이 너무 많아 앞의 {limits.members:,}개만 읽었습니다")
                return
            archive.members = []  # type: ignore[attr-defined]  # tarfile keeps every header it has seen; an archive may hold millions
            file = _member_file(archive, member, suffixes, report, limits)
            if file is not None:
                yield file


def _member_file(
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    suffixes: tuple[str, ...],
    report: LoadReport,
    limits: ArchiveLimits,
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
    if member.size > limits.single:
        report.problem(name, f"파일이 너무 큽니다 (한도 {limits.single:,}바이트)")
        raise _LimitExceeded
    content = archive.extractfile(member)
    return None if content is None else TextFile(inside.as_posix(), content.read())


def path_sha256(path: Path) -> str:
    """Of a file its bytes; of a folder its files' names and bytes, in path order (links are not followed)."""
    digest = hashlib.sha256()
    if not path.is_dir():
        _add_file(digest, path)
        return digest.hexdigest()
    for file in sorted(entry for entry in path.rglob("*") if entry.is_file() and not entry.is_symlink()):
        digest.update(file.relative_to(path).as_posix().encode("utf-8", "surrogateescape") + b"\0")
        _add_file(digest, file)
    return digest.hexdigest()


def _add_file(digest: hashlib._Hash, path: Path) -> None:
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
