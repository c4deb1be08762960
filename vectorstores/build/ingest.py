"""Making the next version of the index: what the current one holds, plus what the sources bring."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from functools import partial
from itertools import chain
from pathlib import Path

from utils.config.settings import Settings
from utils.protocols import BulkAnalyzer, Embedder
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.build.collection_builder import Analysis, CollectionBuilder
from vectorstores.build.domains import collections_in_force, default_domain
from vectorstores.build.draft import Applied, Change, Draft, IngestResult, names
from vectorstores.build.forgetting import KeptAnalyses, keep_only
from vectorstores.build.progress import NoProgress, Progress
from vectorstores.build.staging import Source, StagedCollection, Staging
from vectorstores.build.verify import verify_index
from vectorstores.collections import CHUNKING_VERSION
from vectorstores.errors import DiskFull, IndexDamaged, IndexMissing, KnowledgeIndexError, VectorServerUnavailable
from vectorstores.index import CollectionIndex
from vectorstores.integrity.checksums import Part, damaged_files, part_of
from vectorstores.integrity.damage_messages import without
from vectorstores.integrity.disk import BUILD_FACTOR, STAGED_FACTOR, is_disk_full, require_free, tree_bytes
from vectorstores.live.index_store import IndexStore
from vectorstores.loaders.base import LoadOptions, LoadProblem
from vectorstores.storage.chunk_store import ChunkStore
from vectorstores.storage.lexical import LEXICAL_SETTINGS, LexicalSettings
from vectorstores.versions.cleanup import clean_up
from vectorstores.versions.versions import INGEST_COMMAND, CollectionBuild, Manifest, SourceRecord

_STAGING = "staging"


@dataclass(frozen=True, slots=True)
class BuildProviders:
    """The identity of an index and how to load what builds it; nothing is loaded when nothing has changed."""

    tokenizer_id: str
    embedder_id: str
    load: Callable[[], tuple[BulkAnalyzer, Embedder]]


class Ingest:
    """Builds versions of the index in one data directory. One build at a time; readers are never disturbed.

    >>> source = Source(path, loader_for(path), key=str(path))
    >>> result = Ingest(settings, build_providers(settings)).run([source])
    >>> (result.added, result.problems)
    (1, [])
    """

    def __init__(
        self,
        settings: Settings,
        engines: BuildProviders,
        *,
        lexical: LexicalSettings = LEXICAL_SETTINGS,
        progress: Progress | None = None,
        today: Callable[[], date] = date.today,
        seconds: float | None = None,
    ) -> None:
        """``seconds`` bound the reading of each source. The domain packs in force are read for each version made."""
        self._settings = settings
        self._store = IndexStore(settings, engines.tokenizer_id, engines.embedder_id)
        self._layout = self._store.layout
        self._engines = engines
        self._server = self._store.server
        self._lexical = lexical
        self._progress = progress or NoProgress()
        self._today = today
        self._seconds = seconds

    def run(self, sources: Sequence[Source], *, rebuild: bool = False, restore: bool = False) -> IngestResult:
        """Add and refresh the documents of ``sources``.

        With ``rebuild`` the new version holds only these; with ``restore`` deleted ones are added again. Raises
        `KnowledgeIndexError` (`BuildInProgress`, `IngestError`, `VectorStoreUnavailable`, `DiskFull` …) or OSError; then the
        current version stays, and finished analyses are kept for the next try.
        """
        return _only(self.apply([Change(sources, restore=restore)], rebuild=rebuild))

    def delete(self, document_ids: Collection[str]) -> IngestResult:
        """Remove documents by id, an id before a ``#`` with all its parts; unknown ids change nothing.

        They stay deleted when the same content is read again. Changed content brings them back, except in a mirrored
        source (the starter), which is updated without being asked for. `run` with ``restore`` brings them back, too.
        """
        return _only(self.apply([Change(remove=frozenset(document_ids))]))

    def purge(self, document_ids: Collection[str]) -> IngestResult:
        """Delete for good: no version, list or cache of the index names the documents any more. Their traces outside the
        index are erased by `vectorstores.jobs.purge.erase`.
        """
        return _only(self.apply([Change(remove=frozenset(document_ids), purge=True)]))

    def repair(self, source_of: Callable[[str, SourceRecord], Source | None]) -> IngestResult:
        """Rebuild damaged parts: BM25 and vectors from the texts; texts from the version before and from their sources.

        ``source_of`` returns the source of a key, or None if it is gone: its damaged documents are then lost, and it is
        named in ``problems``. Raises as `run`.
        """
        with self._building():
            base = self._base()
            if base is None:
                raise IndexMissing(f"색인이 없습니다. 만드는 명령: {INGEST_COMMAND}")
            damaged = {name: self._damaged(build) for name, build in base.collections.items()}
            if not any(damaged.values()):
                self._layout.write_again(base)
                return IngestResult(base.version)
            without_texts = [name for name, parts in damaged.items() if Part.TEXTS in parts]
            sources = {key: source_of(key, record) for key, record in base.sources.items()} if without_texts else {}
            found = [source for source in sources.values() if source is not None]
            older = {name: self._store.older_build(base, name) for name in without_texts}
            kept = {name: older.get(name, build) for name, build in base.collections.items()}
            usable = base.model_copy(
                update={
                    "collections": {name: build for name, build in kept.items() if build},
                    "sources": {key: record for key, record in base.sources.items() if not sources.get(key)},
                }
            )
            try:
                anew = [name for name, parts in damaged.items() if parts]
                result = _only(self._apply(usable, [Change(found)], None, anew))
            finally:
                clean_up(self._layout, self._server)
            gone = [key for key, source in sources.items() if source is None]
            result.problems += [LoadProblem(key, "원본이 없어 다시 읽지 못했습니다") for key in gone]
            return result

    def _damaged(self, build: CollectionBuild) -> set[Part]:
        parts = {part_of(file) for file in damaged_files(self._layout.collection_dir(build), build.files)}
        return parts or ({Part.GRAPH} if self._is_lost_by_server(build) else set())

    def _is_lost_by_server(self, build: CollectionBuild) -> bool:
        """Return True if a Chroma server answers and does not hold the vectors of a build, as one that came back empty."""
        if self._server is None:
            return False
        with closing(CollectionIndex(build, self._layout.collection_dir(build), self._server)) as collection:
            error = collection.vector_error
        if isinstance(error, VectorServerUnavailable):
            raise error
        return error is not None

    def apply(
        self,
        changes: Sequence[Change],
        *,
        rebuild: bool = False,
        announce: Callable[[Path, Sequence[Applied]], None] | None = None,
    ) -> list[Applied]:
        """Make one version of several changes, each upon what those before it leave; what came of each, in order.

        A change that cannot be read is left out, and its error stands in its place. ``announce`` is told the directory of the
        version right before it becomes current. Raises as `run`, when there is no version of any of them.
        """
        with self._building():
            base = None if rebuild else self._base()
            try:
                return self._apply(base, changes, announce)
            finally:
                clean_up(self._layout, self._server)

    def _apply(
        self,
        base: Manifest | None,
        changes: Sequence[Change],
        announce: Callable[[Path, Sequence[Applied]], None] | None,
        anew: Collection[str] = (),
    ) -> list[Applied]:
        """Make the version after ``base``; the collections ``anew`` even if nothing changes in them."""
        if base is None and not any(change.sources for change in changes):
            return [IngestResult(None) for _ in changes]
        clean_up(self._layout, self._server)
        version = self._layout.new_version()
        draft = Draft(base, self._staging(base.collections if base else {}, self._layout.root / version), self._today)
        results = [draft.attempt(change) for change in changes]
        done = [result for result in results if isinstance(result, IngestResult)]
        for change, result in zip(changes, results, strict=True):
            if change.purge and isinstance(result, IngestResult):
                result.origins |= self._earlier_origins(change.remove)
        alike = base is not None and self._built_alike(base)
        is_needed = bool(anew) or base is None or not alike or draft.changed or draft.must_publish
        if not done or not is_needed:
            for result in done:
                result.version = base.version if base else None
            return results
        for result in done:
            result.version, result.changed = version, True
        reusable = base.collections.keys() - set(anew) if base is not None and alike else frozenset()
        manifest = self._manifest(version, base, draft, reusable)
        self._publish(manifest, partial(announce, self._layout.root / version, results) if announce else None, draft)
        return results

    def _earlier_origins(self, document_ids: Collection[str]) -> frozenset[str]:
        """The sources that documents of the version before came from."""
        pointer = self._layout.pointer()
        if pointer is None or pointer.previous is None:
            return frozenset()
        origins: set[str] = set()
        for build in self._layout.manifest(pointer.previous).collections.values():
            with self._old_store(build) as store:
                held = store.document_hashes() if store is not None else {}
            origins.update(key for held_id, (_, key) in held.items() if names(document_ids, held_id))
        return frozenset(origins)

    def _staging(self, builds: Mapping[str, CollectionBuild], directory: Path) -> Staging:
        collections = {}
        known = collections_in_force(self._settings)
        filled = {name: build.domain for name, build in builds.items() if build.documents}
        for spec in known.with_held(filled):
            build = builds.get(spec.name)
            if build is not None:
                self._require_texts(build)
            with self._old_store(build) as store:
                held = store.document_hashes() if store is not None else {}
            first = build.next_uid if build else 0
            collections[spec.name] = StagedCollection(spec, directory / _STAGING / spec.name, held, first)
        options = LoadOptions(self._today(), default_domain(self._settings, known), self._seconds, collections=known)
        return Staging(collections, options, self._progress)

    def _require_texts(self, build: CollectionBuild) -> None:
        """Raises `IndexDamaged` where the next version would carry damaged texts on as whole ones."""
        texts = {name: record for name, record in build.files.items() if part_of(name) is Part.TEXTS}
        if damaged_files(self._layout.collection_dir(build), texts):
            raise IndexDamaged(without(build.domain, Part.TEXTS))

    @contextmanager
    def _building(self) -> Iterator[None]:
        try:
            with self._layout.lock_for_build():
                yield
        except Exception as error:
            if is_disk_full(error) and not isinstance(error, DiskFull):
                raise DiskFull(f"저장 공간이 모자라 색인을 쓰지 못했습니다 ({self._layout.root}): {error}") from error
            if isinstance(error, sqlite3.Error):
                raise KnowledgeIndexError(f"색인을 쓰지 못했습니다 ({self._layout.root}): {error}") from error
            raise

    def _base(self) -> Manifest | None:
        version = self._store.current_version()
        return None if version is None else self._layout.manifest(version)

    def _built_alike(self, base: Manifest) -> bool:
        return (base.identity, base.chunking, base.lexical) == (
            self._store.identity,
            CHUNKING_VERSION,
            asdict(self._lexical),
        )

    @contextmanager
    def _old_store(self, build: CollectionBuild | None) -> Iterator[ChunkStore | None]:
        if build is None:
            yield None
            return
        store = ChunkStore.open(self._layout.collection_dir(build), build.name)
        try:
            yield store
        finally:
            store.close()

    def _manifest(self, version: str, base: Manifest | None, draft: Draft, reusable: Collection[str]) -> Manifest:
        """Build what changed, and what ``base`` has that is not ``reusable``, and describe the version."""
        builds: dict[str, CollectionBuild] = {}
        wanted: dict[str, CollectionBuild | None] = {}
        for name, staged in draft.staging.collections.items():
            old = base.collections.get(name) if base is not None else None
            if name in reusable and old is not None and not staged.changed:
                builds[name] = old.model_copy(update={"domain": staged.spec.domain})
            else:
                wanted[name] = old
        self._require_room(version, wanted.values())
        cache = AnalysisCache(self._layout.cache)
        try:
            analysis = Analysis(cache, *self._engines.load()) if wanted else None
            for name, old in wanted.items():
                assert analysis is not None
                builds[name] = self._build_collection(version, draft.staging.collections[name], old, analysis)
        finally:
            cache.close()
        shutil.rmtree(self._layout.root / version / _STAGING, ignore_errors=True)
        return Manifest(
            version=version,
            created=datetime.now(UTC),
            identity=self._store.identity,
            chunking=CHUNKING_VERSION,
            lexical=asdict(self._lexical),
            collections={name: builds[name] for name in draft.staging.collections},
            sources=draft.records,
            deleted=draft.deleted,
        )

    def _require_room(self, version: str, replaced: Iterable[CollectionBuild | None]) -> None:
        """Refuse a build that will not fit on the disk, before it fills it. Raises `DiskFull`."""
        copied = sum(tree_bytes(self._layout.collection_dir(build)) for build in replaced if build is not None)
        staged = tree_bytes(self._layout.root / version / _STAGING)
        require_free(self._layout.root, BUILD_FACTOR * copied + STAGED_FACTOR * staged)

    def _build_collection(
        self, version: str, staged: StagedCollection, old: CollectionBuild | None, analysis: Analysis
    ) -> CollectionBuild:
        name = staged.spec.name
        builder = CollectionBuilder(self._layout.root / version / name, analysis, staged.next_uid, self._progress)
        self._progress.start(f"{name}: 분석", staged.documents)
        with self._old_store(old) as store:
            kept = (
                (record for record in store.records() if record[0].id not in staged.gone) if store is not None else ()
            )
            return builder.build(staged.spec, version, chain(kept, staged.records()), self._lexical, self._server)

    def _publish(self, manifest: Manifest, announce: Callable[[], None] | None, draft: Draft) -> None:
        """Swap to the new version once it has proven whole; what was analysed for purged documents is forgotten."""
        self._progress.start("검증", None)
        index = self._store.open_manifest(manifest)
        try:
            fresh = [name for name, build in manifest.collections.items() if build.built_in == manifest.version]
            problems = verify_index(index, only=fresh)
        finally:
            index.close()
        if problems:
            raise KnowledgeIndexError("새 색인이 검증을 통과하지 못해 바꾸지 않았습니다: " + "; ".join(problems))
        if draft.must_publish:
            self._forget_analyses(manifest)
        if announce is not None:
            announce()
        self._layout.publish(manifest, for_good=draft.must_publish)

    def _forget_analyses(self, manifest: Manifest) -> None:
        """Keep of the cache what the documents of the version need, and nothing that was ever analysed beside."""
        analyzer, embedder = self._engines.load()
        kept = KeptAnalyses(analyzer, embedder)
        for build in manifest.collections.values():
            with self._old_store(build) as store:
                for document, chunks in store.records() if store is not None else ():
                    kept.add(document, chunks)
        keep_only(self._layout.cache, kept)


def _only(results: Sequence[Applied]) -> IngestResult:
    [result] = results
    if isinstance(result, Exception):
        raise result
    return result
