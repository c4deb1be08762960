"""Making the next version of the index: what the current one holds, plus what the sources bring."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path

from utils.config.settings import Settings
from utils.protocols import Analyzer, Embedder
from vectorstores.analysis_cache import AnalysisCache
from vectorstores.chunk_store import ChunkStore
from vectorstores.collection_builder import Analysis, CollectionBuilder
from vectorstores.collections import CHUNKING_VERSION, COLLECTIONS
from vectorstores.dense import chroma_name, drop_vectors
from vectorstores.errors import KnowledgeIndexError, VectorStoreUnavailable
from vectorstores.fingerprints import path_sha256
from vectorstores.index import IndexStore
from vectorstores.lexical import LEXICAL_SETTINGS, LexicalSettings
from vectorstores.loaders.base import LoadOptions, LoadProblem
from vectorstores.page_ids import PART_MARK
from vectorstores.progress import NoProgress, Progress
from vectorstores.staging import Source, StagedCollection, Staging
from vectorstores.verify import verify_index
from vectorstores.versions import CollectionBuild, Manifest, SourceRecord

_STAGING = "staging"


@dataclass(frozen=True, slots=True)
class Engines:
    """The identity of an index and how to load what builds it; nothing is loaded when nothing has changed."""

    tokenizer_id: str
    embedder_id: str
    load: Callable[[], tuple[Analyzer, Embedder]]


@dataclass(slots=True)
class IngestResult:
    """What an ingest did; ``version`` is the current one afterwards, ``withheld`` how many documents stayed deleted."""

    version: str | None
    changed: bool = False
    added: int = 0
    updated: int = 0
    removed: int = 0
    withheld: int = 0
    problems: list[LoadProblem] = field(default_factory=list)
    notes: list[LoadProblem] = field(default_factory=list)


class Ingest:
    """Builds versions in one data directory. One build at a time; readers are never disturbed."""

    def __init__(
        self,
        settings: Settings,
        engines: Engines,
        *,
        lexical: LexicalSettings = LEXICAL_SETTINGS,
        progress: Progress | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._store = IndexStore(settings, engines.tokenizer_id, engines.embedder_id)
        self._layout = self._store.layout
        self._engines = engines
        self._chroma = self._store.chroma
        self._lexical = lexical
        self._progress = progress or NoProgress()
        self._today = today

    def run(self, sources: Sequence[Source], *, rebuild: bool = False, restore: bool = False) -> IngestResult:
        """Add and refresh the documents of ``sources``; with ``rebuild`` they are all that the new version holds, with
        ``restore`` those are added again that were deleted.

        Raises `KnowledgeIndexError` (`BuildInProgress`, `IngestError`, `VectorStoreUnavailable` …) or OSError; the current
        version stays as it is then, and what was analysed is kept for the next try.
        """
        with self._building():
            base = None if rebuild else self._base()
            records = {source.key: self._record(source) for source in sources}
            # what was cut by other rules has to be read again, now or when its source is next given
            known = base.sources if base is not None and base.chunking == CHUNKING_VERSION else {}
            changed = [
                source
                for source in sources
                if not self._is_current(records[source.key], known.get(source.key))
                or (restore and self._withheld(base, source, records[source.key]))
            ]
            if base is not None and not changed and self._built_alike(base):
                result = IngestResult(base.version)
            else:
                result = self._build(base, changed, {**known, **records}, restore=restore)
            if base is not None and not restore:
                given = {record.sha256 for record in records.values()}
                result.withheld = sum(origin in given for origin in base.deleted.values())
            return result

    def delete(self, document_ids: Collection[str]) -> IngestResult:
        """Remove documents by id, an id before a ``#`` with all its parts; unknown ids change nothing.

        They stay out when the same content is read again; other content brings back what it holds, but for a mirrored
        source (the starter), whose updates nobody asks for one by one. `run` with ``restore`` brings them back.
        """
        with self._building():
            base = self._base()
            return IngestResult(None) if base is None else self._build(base, [], base.sources, remove=document_ids)

    @contextmanager
    def _building(self) -> Iterator[None]:
        with self._layout.lock_for_build():
            try:
                yield
            except sqlite3.Error as error:
                raise KnowledgeIndexError(f"색인을 쓰지 못했습니다 ({self._layout.root}): {error}") from error

    def _base(self) -> Manifest | None:
        version = self._store.current_version()
        return None if version is None else self._layout.manifest(version)

    def _record(self, source: Source) -> SourceRecord:
        return SourceRecord(
            sha256=path_sha256(source.path),
            format=source.loader.name,
            domain=source.domain,
            loader_version=source.loader.version,
        )

    def _is_current(self, record: SourceRecord, known: SourceRecord | None) -> bool:
        if known is None or known.problems or (known.reread_on is not None and known.reread_on <= self._today()):
            return False
        return known.model_copy(update={"reread_on": None}) == record

    def _built_alike(self, base: Manifest) -> bool:
        return (base.identity, base.chunking, base.lexical) == (
            self._store.identity,
            CHUNKING_VERSION,
            asdict(self._lexical),
        )

    def _build(
        self,
        base: Manifest | None,
        sources: Sequence[Source],
        records: dict[str, SourceRecord],
        remove: Collection[str] = (),
        restore: bool = False,
    ) -> IngestResult:
        self._clean_up()
        version = self._layout.new_version()
        directory = self._layout.root / version
        staging = Staging(
            {spec.name: self._staged(base, spec.name, directory) for spec in COLLECTIONS},
            LoadOptions(today=self._today()),
            self._progress,
        )
        result = IngestResult(base.version if base else None)
        for source in sources:
            withheld = frozenset() if restore else self._withheld(base, source, records[source.key])
            report = staging.read(source, withheld)
            result.problems += report.problems
            result.notes += report.notes
            records[source.key] = records[source.key].model_copy(
                update={"reread_on": report.reread_on, "problems": len(report.problems)}
            )
        deleted = dict(base.deleted) if base is not None else {}
        for staged in staging.collections.values():
            named = {held for held in staged.held if held in remove or held.rpartition(PART_MARK)[0] in remove}
            staged.removed |= named
            deleted |= {one: self._origin(base, staged.held[one][1]) for one in named}
            deleted = {one: origin for one, origin in deleted.items() if one not in staged.seen}
            staged.finish()
            result.added += staged.added
            result.updated += staged.updated
            result.removed += len(staged.removed)
        alike = base is not None and self._built_alike(base)
        if alike and not any(staged.changed for staged in staging.collections.values()):
            shutil.rmtree(directory)
            return result
        manifest = self._manifest(version, base if alike else None, base, staging, records)
        self._publish(manifest.model_copy(update={"deleted": deleted}))
        result.version, result.changed = version, True
        return result

    def _withheld(self, base: Manifest | None, source: Source, record: SourceRecord) -> frozenset[str]:
        """Deleted documents that reading ``source`` does not bring back."""
        deleted = base.deleted if base is not None else {}
        return frozenset(one for one, origin in deleted.items() if source.mirror or origin == record.sha256)

    def _origin(self, base: Manifest | None, key: str) -> str:
        """SHA-256 of the source of a document; empty when it is not known any more."""
        record = base.sources.get(key) if base is not None else None
        return record.sha256 if record is not None else ""

    def _staged(self, base: Manifest | None, name: str, directory: Path) -> StagedCollection:
        spec = next(spec for spec in COLLECTIONS if spec.name == name)
        build = base.collections.get(name) if base is not None else None
        with self._old_store(build) as store:
            held = store.document_hashes() if store is not None else {}
        return StagedCollection(spec, directory / _STAGING / name, held, build.next_uid if build else 0)

    @contextmanager
    def _old_store(self, build: CollectionBuild | None) -> Iterator[ChunkStore | None]:
        if build is None:
            yield None
            return
        store = ChunkStore(self._layout.collection_dir(build), build.name)
        try:
            yield store
        finally:
            store.close()

    def _manifest(
        self,
        version: str,
        reusable: Manifest | None,
        base: Manifest | None,
        staging: Staging,
        records: dict[str, SourceRecord],
    ) -> Manifest:
        """Build what changed (everything when nothing is ``reusable``) and describe the version."""
        builds: dict[str, CollectionBuild] = {}
        analysis: Analysis | None = None
        cache = AnalysisCache(self._layout.cache)
        try:
            for name, staged in staging.collections.items():
                old = base.collections.get(name) if base is not None else None
                if reusable is not None and old is not None and not staged.changed:
                    builds[name] = old
                    continue
                analysis = analysis or Analysis(cache, *self._engines.load())
                builds[name] = self._build_collection(version, staged, old, analysis)
        finally:
            cache.close()
        shutil.rmtree(self._layout.root / version / _STAGING, ignore_errors=True)
        return Manifest(
            version=version,
            created=datetime.now(UTC),
            identity=self._store.identity,
            chunking=CHUNKING_VERSION,
            lexical=asdict(self._lexical),
            collections=builds,
            sources=records,
        )

    def _build_collection(
        self, version: str, staged: StagedCollection, old: CollectionBuild | None, analysis: Analysis
    ) -> CollectionBuild:
        name = staged.spec.name
        builder = CollectionBuilder(self._layout.root / version / name, analysis, staged.next_uid, self._progress)
        gone = staged.removed | staged.replaced
        self._progress.start(f"{name}: 분석", len(staged.held) - len(gone) + staged.added + staged.updated)
        with self._old_store(old) as store:
            kept = (record for record in store.records() if record[0].id not in gone) if store is not None else ()
            return builder.build(staged.spec, version, chain(kept, staged.records()), self._lexical, self._chroma)

    def _publish(self, manifest: Manifest) -> None:
        """Swap to the new version once it has proven whole, then remove what no version needs."""
        self._progress.start("검증", None)
        index = self._store.open_manifest(manifest)
        try:
            fresh = [name for name, build in manifest.collections.items() if build.built_in == manifest.version]
            problems = verify_index(index, only=fresh)
        finally:
            index.close()
        if problems:
            raise KnowledgeIndexError("새 색인이 검증을 통과하지 못해 바꾸지 않았습니다: " + "; ".join(problems))
        self._layout.publish(manifest)
        self._clean_up()

    def _clean_up(self) -> None:
        """Remove versions nobody needs, and what builds that died have left behind."""
        for build in self._layout.removable():
            if self._chroma is not None:
                try:
                    drop_vectors(chroma_name(build.name, build.parent.name), self._chroma)
                except VectorStoreUnavailable:
                    continue  # its directory stays, so that the next build tries again
            self._layout.remove(build)
        self._layout.remove_empty()
