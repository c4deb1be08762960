"""Versions of the index on disk and which of them is current.

    DATA_DIR/index/current.json                    {"current": v, "previous": v or null}, replaced atomically
    DATA_DIR/index/<version>/manifest.json         written last: a directory without one is an unfinished build
    DATA_DIR/index/<version>/<collection>/…        one build of one collection, never changed afterwards

A version names for each collection the build it uses, its own or an earlier version's: what did not change is not copied.
"""

from __future__ import annotations

import os
import secrets
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vectorstores.errors import BuildInProgress, IndexDamaged, IndexMissing, KnowledgeIndexError
from vectorstores.locks import FileLock

MANIFEST_FORMAT = 1
INDEX_LAYOUT = 4  # 4: BM25 of what others say of an article beside that of its text
_POINTER = "current.json"
_MANIFEST = "manifest.json"


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class IndexIdentity(_Record):
    """What the searching side must share with the building side."""

    tokenizer: str
    embedder: str
    vector_store: str
    layout: int = 1
    """Which files a collection consists of and how they are computed (`INDEX_LAYOUT`)."""


class SourceRecord(_Record):
    """A path that was ingested: the same content read by the same loader needs no reading until ``reread_on``."""

    sha256: str
    format: str
    domain: str | None = None
    loader_version: int
    reread_on: date | None = None
    problems: int = 0


class CollectionBuild(_Record):
    """One collection of a version; ``built_in`` is the version whose directory holds it."""

    name: str
    domain: str
    built_in: str
    documents: int
    chunks: int
    terms: int
    next_uid: int


class Manifest(_Record):
    """A whole version. ``deleted`` is document id → SHA-256 of the source it came from, which does not bring it back."""

    format: int = MANIFEST_FORMAT
    version: str
    created: datetime
    identity: IndexIdentity
    chunking: int
    lexical: dict[str, str | int | float]
    collections: dict[str, CollectionBuild]
    sources: dict[str, SourceRecord] = Field(default_factory=dict)
    deleted: dict[str, str] = Field(default_factory=dict)


class Pointer(_Record):
    """The current version and the one before it."""

    current: str
    previous: str | None = None


class IndexLayout:
    """Paths and atomic changes under ``data_dir/index``."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "index"
        self.cache = data_dir / "cache" / "analysis.sqlite"

    def collection_dir(self, build: CollectionBuild) -> Path:
        return self.root / build.built_in / build.name

    def lock_for_build(self) -> FileLock:
        """The right to build here; raises `BuildInProgress` while another process has it."""
        self.root.mkdir(parents=True, exist_ok=True)
        try:
            return FileLock(self.root / "build.lock", shared=False)
        except BlockingIOError as error:
            raise BuildInProgress(f"다른 프로세스가 색인을 만들고 있습니다: {self.root}") from error

    def pointer(self) -> Pointer | None:
        """What is current, or None before the first build. Cheap: one small file."""
        try:
            return Pointer.model_validate_json((self.root / _POINTER).read_bytes())
        except FileNotFoundError:
            return None
        except (ValidationError, OSError) as error:
            raise IndexDamaged(f"색인 포인터를 읽을 수 없습니다: {self.root / _POINTER}") from error

    def manifest(self, version: str) -> Manifest:
        path = self.root / version / _MANIFEST
        try:
            return Manifest.model_validate_json(path.read_bytes())
        except FileNotFoundError as error:
            raise IndexMissing(f"색인 버전이 없습니다: {version}") from error
        except (ValidationError, OSError) as error:
            raise IndexDamaged(f"색인 목록을 읽을 수 없습니다: {path}") from error

    def new_version(self) -> str:
        """A fresh directory; names sort by time."""
        version = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
        (self.root / version).mkdir(parents=True)
        return version

    def publish(self, manifest: Manifest) -> None:
        """Complete a version and make it current; readers see the old pointer or the new one, never neither."""
        _replace(self.root / manifest.version / _MANIFEST, manifest.model_dump_json(indent=1))
        pointer = self.pointer()
        self._point(Pointer(current=manifest.version, previous=pointer.current if pointer else None))

    def rollback(self) -> Pointer:
        """Make the version before current again (and the current one the version before)."""
        pointer = self.pointer()
        if pointer is None or pointer.previous is None:
            raise IndexMissing("되돌릴 이전 버전이 없습니다")
        self.manifest(pointer.previous)
        swapped = Pointer(current=pointer.previous, previous=pointer.current)
        self._point(swapped)
        return swapped

    def _point(self, pointer: Pointer) -> None:
        _replace(self.root / _POINTER, pointer.model_dump_json())

    def removable(self) -> list[Path]:
        """Directories of collection builds, finished or not, that neither the current nor the previous version uses."""
        pointer = self.pointer()
        kept = [version for version in (pointer.current, pointer.previous) if version] if pointer else []
        try:
            builds = [build for version in kept for build in self.manifest(version).collections.values()]
        except KnowledgeIndexError:
            return []  # what a version uses is unknown, so nothing is surely unused
        used = {self.collection_dir(build) for build in builds}
        return sorted(path for path in self.root.glob("*/*") if path.is_dir() and path not in used)

    def remove(self, build: Path) -> None:
        """Delete a build's directory unless a running service still reads its vectors; then its version, when empty."""
        try:
            held = [FileLock(path, shared=False) for path in build.glob("*.lock")]
        except BlockingIOError:
            return
        shutil.rmtree(build, ignore_errors=True)
        for lock in held:
            lock.release()

    def remove_empty(self) -> None:
        """Delete versions of which nothing but the manifest is left."""
        pointer = self.pointer()
        for version in self.root.iterdir():
            is_kept = pointer is not None and version.name in (pointer.current, pointer.previous)
            if version.is_dir() and not is_kept and not any(path.is_dir() for path in version.iterdir()):
                shutil.rmtree(version, ignore_errors=True)


def _replace(path: Path, text: str) -> None:
    part = path.with_suffix(f".{os.getpid()}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
