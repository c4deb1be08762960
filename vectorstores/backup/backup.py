"""Backups of a data folder while services run on it, and their way back.

Each store is taken in a state that it had: index versions do not change, SQLite copies its databases itself, the other files are
replaced or added to whole. Jobs come first and the index last, so that no document is lost between them: a job that was open
when it was taken is done again where the backup is restored.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from utils.observability.version import service_version
from vectorstores.backup.archive import ArchiveWriter, BackupList, unpack, written
from vectorstores.errors import BackupFailed, BackupRefused, IndexDamaged
from vectorstores.integrity.checksums import FileRecord, FileRecords
from vectorstores.integrity.disk import require_free, tree_bytes
from vectorstores.integrity.exchange import abandon, begun_folder, exchange, is_beside, state_entries
from vectorstores.jobs.records import JobStore
from vectorstores.storage.locks import FileLock
from vectorstores.versions.versions import IndexLayout, Manifest, Pointer

FOLDER = "backups"
_NAME = "bizi-{:%Y%m%dT%H%M%SZ}.tar"
_NAMES = "bizi-*.tar"
_INDEX = "index"
_FIRST = ("jobs", "uploads")
_SQLITE = b"SQLite format 3\0"
_BESIDE_SQLITE = ("-wal", "-shm", "-journal")
_ATTEMPTS = 3
_DAMAGED = "색인 파일이 손상되어 백업하지 않습니다: {}. 고치는 명령: python -m vectorstores repair"


def new_backup_file(data_dir: Path) -> Path:
    """The file for a backup of now, in the data folder itself."""
    return data_dir / FOLDER / _NAME.format(datetime.now(UTC))


def old_backups(folder: Path, keep: int) -> list[Path]:
    """Return the backups of a folder but the ``keep`` youngest."""
    return sorted(folder.glob(_NAMES))[:-keep]


def back_up(data_dir: Path, target: Path) -> BackupList:
    """Write a backup of a data folder; services may run on it.

    Raises:
        BackupRefused: there is nothing to back up, or the target lies where it would be part of itself.
        BackupFailed: the index is damaged, or was removed meanwhile.
        OSError, DiskFull: the backup cannot be written.
    """
    place = target.resolve()
    if place.is_relative_to(data_dir.resolve()) and place.parent != (data_dir / FOLDER).resolve():
        raise BackupRefused(f"자료 폴더 안에는 {FOLDER}에만 백업할 수 있습니다: {target}")
    if not state_entries(data_dir):
        raise BackupRefused(f"백업할 것이 없습니다: {data_dir}")
    layout = IndexLayout(data_dir)
    require_free(target.parent, sum(tree_bytes(data_dir / name) for name in state_entries(data_dir)))
    with ExitStack() as stack:
        archive = stack.enter_context(written(target))
        for file in _files_beside_index(data_dir):
            _add(archive, file.relative_to(data_dir).as_posix(), file)
        pointer = _add_index(archive, layout, stack)
        listed = BackupList(
            service=service_version(),
            created=datetime.now(UTC),
            index_version=None if pointer is None else pointer.current,
            files=archive.files,
        )
        archive.finish(listed)
    return listed


def restore(archive: Path, data_dir: Path, *, replace: bool = False) -> BackupList:
    """Put the content of a backup in place of the state of a data folder, on which no service runs.

    Until all of it is unpacked, compared with its checksums and on the disk, the state of before stays; from then on it is restored,
    even if the process is killed: whatever opens the folder next finishes it.

    Raises:
        BackupRefused: a service runs, or the folder holds something and ``replace`` is not given.
        BackupUnusable: the file is no whole backup.
        OSError, DiskFull: something cannot be read or written.
    """
    with ExitStack() as stack:
        folder = begun_folder(data_dir)
        stack.callback(abandon, data_dir, folder)
        held = state_entries(data_dir)
        if held and not replace:
            raise BackupRefused(f"자료 폴더가 비어 있지 않습니다({', '.join(held[:5])}). 바꾸려면 --replace")
        stack.enter_context(_no_service(data_dir))
        stack.enter_context(IndexLayout(data_dir).lock_for_build())
        require_free(data_dir, archive.stat().st_size)
        listed = unpack(archive, folder)
        _check_index(folder, listed)
        exchange(data_dir, folder)
    return listed


def _no_service(data_dir: Path) -> FileLock:
    try:
        return JobStore(data_dir).own()
    except BlockingIOError as error:
        raise BackupRefused(f"이 자료 폴더로 서비스가 실행 중입니다. 멈춘 뒤 다시 실행하세요: {data_dir}") from error


def _check_index(folder: Path, listed: BackupList) -> None:
    """Raise `IndexDamaged` unless the index of a backup can be opened as far as its records go."""
    layout = IndexLayout(folder)
    pointer = layout.pointer()
    if (pointer.current if pointer else None) != listed.index_version:
        raise IndexDamaged("백업 안의 색인 버전이 목록과 다릅니다")
    if pointer is not None:
        layout.manifest(pointer.current)


def _files_beside_index(data_dir: Path) -> Iterator[Path]:
    names = [name for name in state_entries(data_dir) if name != _INDEX]
    for name in sorted(names, key=lambda name: (name not in _FIRST, name)):
        path = data_dir / name
        yield from (
            file for file in ([path] if path.is_file() else sorted(path.rglob("*"))) if _is_state(file, data_dir)
        )


def _is_state(file: Path, data_dir: Path) -> bool:
    inside = file.relative_to(data_dir).parts
    return (
        file.is_file()
        and not any(is_beside(part) for part in inside[:1])
        and not any(part.startswith(".") or part.endswith((".lock", ".part")) for part in inside)
        and not file.name.endswith(_BESIDE_SQLITE)
    )


def _add(archive: ArchiveWriter, name: str, path: Path) -> FileRecord | None:
    """Add a file as it is now; None for one that has gone meanwhile."""
    try:
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) != _SQLITE:
                file.seek(0)
                return archive.add(name, file, path.stat().st_size)
    except FileNotFoundError:
        return None
    with tempfile.TemporaryDirectory(prefix=".bizi-backup-", dir=archive.folder) as folder:
        copy = Path(folder) / "copy"
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        with copy.open("rb") as file:
            return archive.add(name, file, copy.stat().st_size)


def _add_index(archive: ArchiveWriter, layout: IndexLayout, stack: ExitStack) -> Pointer | None:
    """Add what the current and the previous version consist of; both are kept from being removed until the stack ends."""
    for _ in range(_ATTEMPTS):
        pointer = layout.pointer()
        if pointer is None:
            return None
        manifests = [layout.manifest(version) for version in (pointer.current, pointer.previous) if version]
        with suppress(OSError):  # removed meanwhile: another version is current by now
            for directory in _builds(layout, manifests):
                stack.enter_context(FileLock(directory / "backup.lock", shared=True))
            if layout.pointer() == pointer:
                break
    else:
        raise BackupFailed("색인이 거듭 바뀌고 있습니다. 잠시 후 다시 실행하세요")
    try:
        for directory, records in _builds(layout, manifests).items():
            _add_build(archive, layout.root, directory, records)
        for manifest in manifests:
            _add_records(archive, layout.root, layout.root / manifest.version, "manifest")
    except FileNotFoundError as error:
        raise BackupFailed("색인 버전이 지워졌습니다. 다시 실행하세요") from error
    _add_pointer(archive, layout, pointer)
    return pointer


def _builds(layout: IndexLayout, manifests: Iterable[Manifest]) -> dict[Path, FileRecords]:
    builds = (build for manifest in manifests for build in manifest.collections.values())
    return {layout.collection_dir(build): build.files for build in builds}


def _add_build(archive: ArchiveWriter, root: Path, directory: Path, records: FileRecords) -> None:
    for name, record in records.items():
        path = directory / name
        with path.open("rb") as file:
            size = path.stat().st_size
            added = archive.add(f"{_INDEX}/{path.relative_to(root).as_posix()}", file, size)
        if added != record:
            raise BackupFailed(_DAMAGED.format(path.relative_to(root)))


def _add_records(archive: ArchiveWriter, root: Path, folder: Path, name: str) -> None:
    """Add a sealed record and its copy, as far as they are there."""
    for file in (folder / f"{name}.json", folder / f"{name}.copy.json"):
        if file.exists():
            _add(archive, f"{_INDEX}/{file.relative_to(root).as_posix()}", file)


def _add_pointer(archive: ArchiveWriter, layout: IndexLayout, pointer: Pointer) -> None:
    """Add the pointer to the versions that were added, whatever has become current since."""
    with tempfile.TemporaryDirectory(prefix="bizi-backup-") as folder:
        copied = IndexLayout(Path(folder))
        copied.root.mkdir()
        copied.point(pointer)
        _add_records(archive, copied.root, copied.root, "current")
