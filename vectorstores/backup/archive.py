"""A backup: a tar file of a data folder, with a list of the size and SHA-256 of each file as its last member."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from pydantic import BaseModel, ConfigDict, ValidationError

from vectorstores.errors import BackupUnusable
from vectorstores.integrity.checksums import FileRecord

FORMAT = 1
LIST = "backup.json"
_DATA = "data"
_BLOCK = 1 << 20
_MAX_LIST_BYTES = 1 << 28
_CUT = "백업 파일이 잘렸거나 백업이 아닙니다"


class BackupList(BaseModel):
    """The files of a backup, by their paths below the data folder, and what made it when."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = FORMAT
    service: str
    created: datetime
    index_version: str | None
    files: dict[str, FileRecord]


class ArchiveWriter:
    """Adds files to a backup that is being written; ``folder`` has the room that it needs."""

    def __init__(self, tar: tarfile.TarFile, folder: Path) -> None:
        self._tar = tar
        self.folder = folder
        self.files: dict[str, FileRecord] = {}

    def add(self, name: str, file: BinaryIO, size: int) -> FileRecord:
        """Add the first ``size`` bytes of a file under a path of the data folder. Raises OSError where it has fewer."""
        reader = _Digesting(file)
        member = tarfile.TarInfo(f"{_DATA}/{name}")
        member.size, member.mode = size, 0o600
        self._tar.addfile(member, reader)
        self.files[name] = FileRecord(size=size, sha256=reader.digest.hexdigest())
        return self.files[name]

    def finish(self, listed: BackupList) -> None:
        """Add the list, without which a backup is none."""
        content = listed.model_dump_json(indent=1).encode()
        member = tarfile.TarInfo(LIST)
        member.size, member.mode = len(content), 0o600
        self._tar.addfile(member, io.BytesIO(content))


class _Digesting(io.RawIOBase):
    """Reads a file and takes its digest."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self.digest.update(block)
        return block


@contextmanager
def written(target: Path) -> Iterator[ArchiveWriter]:
    """Write a backup that only the user of the service may read; it has its name when it is whole. Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                yield ArchiveWriter(tar, target.parent)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def unpack(archive: Path, folder: Path) -> BackupList:
    """Unpack a backup into an empty folder and compare each file with its record.

    Raises:
        BackupUnusable: the file is no backup, is cut, damaged, or of another format; the folder may hold a part of it.
        OSError: it cannot be read, or the disk is full.
    """
    listed: BackupList | None = None
    found: dict[str, FileRecord] = {}
    try:
        with tarfile.open(archive, mode="r:*") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isreg() else None
                if content is None:
                    raise BackupUnusable(f"{_CUT}: {member.name[:100]}")
                if member.name == LIST:
                    listed = _list_of(content.read(_MAX_LIST_BYTES))
                else:
                    name = _inside(member.name)
                    found[name] = _write(content, folder / name)
    except (tarfile.TarError, EOFError) as error:
        raise BackupUnusable(_CUT) from error
    if listed is None:
        raise BackupUnusable(_CUT)
    if wrong := _differences(listed.files, found):
        raise BackupUnusable(f"백업이 손상되었습니다: {', '.join(wrong[:5])}")
    return listed


def _list_of(content: bytes) -> BackupList:
    try:
        listed = BackupList.model_validate_json(content)
    except ValidationError as error:
        raise BackupUnusable(_CUT) from error
    if listed.format != FORMAT:
        raise BackupUnusable(
            f"백업의 형식({listed.format})을 이 버전은 읽지 못합니다. 백업한 버전({listed.service})으로 복원하세요"
        )
    return listed


def _inside(name: str) -> str:
    """The path below the data folder; raises `BackupUnusable` for one that leads elsewhere."""
    path = PurePosixPath(name)
    if path.parts[:1] != (_DATA,) or len(path.parts) < 2 or ".." in path.parts or path.is_absolute():
        raise BackupUnusable(f"{_CUT}: {name[:100]}")
    return path.relative_to(_DATA).as_posix()


def _write(content: IO[bytes], target: Path) -> FileRecord:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while block := content.read(_BLOCK):
            digest.update(block)
            size += len(block)
            file.write(block)
    return FileRecord(size=size, sha256=digest.hexdigest())


def _differences(wanted: Mapping[str, FileRecord], found: Mapping[str, FileRecord]) -> list[str]:
    return sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
