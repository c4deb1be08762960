"""Versions of the index on disk and which of them is current.

    DATA_DIR/index/current.json                    {"current": v, "previous": v or null}, replaced atomically
    DATA_DIR/index/<version>/manifest.json         written last: a directory without one is an unfinished build
    DATA_DIR/index/<version>/<collection>/…        one build of one collection, never changed afterwards

A version names for each collection the build it uses, its own or an earlier version's: what did not change is not copied. It
records what each file of a build has to be; manifest and pointer bear a seal and have a copy (``….copy.json``) beside them.
"""

from __future__ import annotations

import secrets
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from vectorstores.errors import BuildInProgress, IndexDamaged, IndexMissing, KnowledgeIndexError
from vectorstores.integrity.checksums import FileRecord
from vectorstores.integrity.sealed_json import damaged_records, read_sealed, write_sealed
from vectorstores.storage.locks import FileLock

MANIFEST_FORMAT = 2
INDEX_LAYOUT = 6  # 6: answer units beside the texts
INGEST_COMMAND = "python -m vectorstores ingest"
ROLLBACK_COMMAND = "python -m vectorstores rollback"
_IDENTITY_PARTS = {
    "tokenizer": "형태소 분석기",
    "embedder": "임베딩",
    "unit_embedder": "답변 단위 임베딩",
    "vector_store": "벡터 저장소",
    "layout": "파일 구성",
}
_POINTER = "current.json"
_MANIFEST = "manifest.json"


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class IndexIdentity(_Record):
    """Ids that the searching side must share with the building side."""

    tokenizer: str
    embedder: str
    unit_embedder: str = ""  # of an index of before units had their own
    vector_store: str
    layout: int = 1
    """Which files a collection consists of and how they are computed (`INDEX_LAYOUT`)."""

    def difference(self, built: IndexIdentity) -> str:
        """Return how the ``built`` index differs, as the subject of a Korean sentence; empty if it does not."""
        for part, name in _IDENTITY_PARTS.items():
            was, needed = getattr(built, part), getattr(self, part)
            if was != needed:
                return f"{name}({was})가 설정({needed})과"
        return ""


class SourceRecord(_Record):
    """A path that was ingested: the same content read by the same loader needs no reading until ``reread_on``, or until its
    documents would be placed or cut otherwise."""

    sha256: str
    format: str
    domain: str | None = None
    loader_version: int
    reread_on: date | None = None
    problems: int = 0
    placed: dict[str, str] = Field(default_factory=dict)
    """By domain, the fingerprint of the collection that documents went to; empty in versions of before."""


class CollectionBuild(_Record):
    """A collection of a version; ``built_in`` is the version whose directory holds it."""

    name: str
    domain: str
    built_in: str
    documents: int
    chunks: int
    terms: int
    next_uid: int
    files: dict[str, FileRecord] = Field(default_factory=dict)
    """Records of the build's files, by their path in it; empty before layout 5, which is no longer opened."""


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
        """Read the pointer to the current version; None before the first build. One small file. Raises `IndexDamaged`."""
        try:
            return read_sealed(self.root / _POINTER, Pointer)
        except FileNotFoundError:
            return None
        except (ValueError, OSError) as error:
            raise IndexDamaged(
                f"현재 색인 버전을 적은 파일이 손상되었습니다. 다시 만드는 명령: {INGEST_COMMAND} --rebuild"
            ) from error

    def manifest(self, version: str) -> Manifest:
        """Return the manifest of a version. Raises `IndexMissing` or `IndexDamaged`."""
        try:
            return read_sealed(self.root / version / _MANIFEST, Manifest)
        except FileNotFoundError as error:
            raise IndexMissing(f"색인 버전이 없습니다: {version}") from error
        except (ValueError, OSError) as error:
            raise IndexDamaged(
                f"색인 버전 {version}의 목록이 손상되었습니다. 이전 버전으로 되돌리는 명령: {ROLLBACK_COMMAND}, "
                f"다시 만드는 명령: {INGEST_COMMAND} --rebuild"
            ) from error

    def damaged_records(self, version: str) -> list[str]:
        """Return which of pointer, manifest and their copies are missing or damaged; one of each is enough to read them."""
        manifest = self.root / version / _MANIFEST
        return [*damaged_records(self.root / _POINTER, Pointer), *damaged_records(manifest, Manifest)]

    def new_version(self) -> str:
        """A fresh directory; names sort by time, also those of one second."""
        version = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}"
        (self.root / version).mkdir(parents=True)
        return version

    def publish(self, manifest: Manifest, *, for_good: bool = False) -> None:
        """Complete a version and make it current; readers see the old pointer or the new one, never neither.

        With ``for_good`` there is no way back to the version before.
        """
        write_sealed(self.root / manifest.version / _MANIFEST, manifest)
        pointer = self._readable_pointer()
        previous = None if pointer is None or for_good else pointer.current
        self.point(Pointer(current=manifest.version, previous=previous))

    def write_again(self, manifest: Manifest) -> None:
        """Replace the files of the current version's manifest and of the pointer, and their copies, by whole ones."""
        write_sealed(self.root / manifest.version / _MANIFEST, manifest)
        if (pointer := self.pointer()) is not None:
            self.point(pointer)

    def rollback(self) -> Pointer:
        """Make the version before current again (and the current one the version before)."""
        pointer = self.pointer()
        if pointer is None or pointer.previous is None:
            raise IndexMissing("되돌릴 이전 버전이 없습니다")
        self.manifest(pointer.previous)
        swapped = Pointer(current=pointer.previous, previous=pointer.current)
        self.point(swapped)
        return swapped

    def point(self, pointer: Pointer) -> None:
        """Make another version current. Raises OSError."""
        write_sealed(self.root / _POINTER, pointer)

    def _readable_pointer(self) -> Pointer | None:
        """The pointer, or None also where it is damaged: a rebuild puts another in its place."""
        try:
            return self.pointer()
        except IndexDamaged:
            return None

    def removable(self) -> list[Path]:
        """Directories of collection builds, finished or not, that neither the current nor the previous version uses."""
        try:
            pointer = self.pointer()
            kept = [version for version in (pointer.current, pointer.previous) if version] if pointer else []
            builds = [build for version in kept for build in self.manifest(version).collections.values()]
        except KnowledgeIndexError:
            return []  # what a version uses is unknown, so nothing is surely unused
        used = {self.collection_dir(build) for build in builds}
        return sorted(path for path in self.root.glob("*/*") if path.is_dir() and path not in used)

    def remove(self, build: Path, *, in_use: bool = False) -> None:
        """Delete a build's directory; while a running service still reads its vectors only if ``in_use``."""
        held: list[FileLock] = []
        try:
            held += [FileLock(path, shared=False) for path in build.glob("*.lock")]
        except BlockingIOError:
            if not in_use:
                return
        shutil.rmtree(build, ignore_errors=True)
        for lock in held:
            lock.release()

    def remove_files(self) -> None:
        """Delete what versions out of use have beside their builds, those versions of which nothing else is left, and
        pointers and manifests that were not finished."""
        try:
            pointer = self.pointer()
        except IndexDamaged:
            return  # what is in use is not known
        kept = (pointer.current, pointer.previous) if pointer is not None else ()
        for part in self.root.glob("**/*.part"):
            part.unlink(missing_ok=True)
        for version in self.root.iterdir():
            if not version.is_dir() or version.name in kept:
                continue
            if not any(path.is_dir() for path in version.iterdir()):
                shutil.rmtree(version, ignore_errors=True)
                continue
            for file in version.iterdir():
                if file.is_file():
                    file.unlink(missing_ok=True)
