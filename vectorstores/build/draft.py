"""The next version of the index in the making: changes taken in one after the other, before anything is built."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from vectorstores.build.staging import Source, Staging
from vectorstores.collections import CHUNKING_VERSION
from vectorstores.errors import DiskFull, KnowledgeIndexError, SourceUnreadable
from vectorstores.integrity.disk import is_disk_full
from vectorstores.loaders.base import LoadProblem
from vectorstores.loaders.files import path_sha256
from vectorstores.storage.chunk_store import ChunkStore
from vectorstores.storage.page_ids import PART_MARK
from vectorstores.versions.versions import IndexLayout, Manifest, SourceRecord

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Change:
    """Sources to read, or documents to remove by id (an id before a ``#`` with all its parts).

    With ``restore`` documents are added again that were deleted; with ``purge`` no trace is kept of what is removed.
    """

    sources: Sequence[Source] = ()
    restore: bool = False
    remove: frozenset[str] = frozenset()
    purge: bool = False


@dataclass(slots=True)
class IngestResult:
    """Result of a change. ``version`` is the current one afterwards; ``withheld``: documents that stayed deleted.

    ``origins`` are the keys of the sources that purged documents came from.
    """

    version: str | None
    changed: bool = False
    added: int = 0
    updated: int = 0
    removed: int = 0
    withheld: int = 0
    problems: list[LoadProblem] = field(default_factory=list)
    notes: list[LoadProblem] = field(default_factory=list)
    origins: frozenset[str] = frozenset()


Applied = IngestResult | Exception
"""The result of a change, or the error for which it was left out."""


class Draft:
    """Content of the next version: that of ``base`` with the changes applied so far."""

    def __init__(self, base: Manifest | None, staging: Staging, today: Callable[[], date]) -> None:
        self.staging = staging
        self._sources = base.sources if base is not None else {}
        # what was cut by other rules has to be read again, now or when its source is next given
        known = self._sources if base is not None and base.chunking == CHUNKING_VERSION else {}
        self.records: dict[str, SourceRecord] = dict(known)
        self.deleted: dict[str, str] = dict(base.deleted) if base is not None else {}
        self.must_publish = False
        """True if a new version is due although no collection changes: the old manifest holds a trace to erase."""
        self._base = base
        self._today = today

    @property
    def changed(self) -> bool:
        """True if a collection changes."""
        return any(staged.changed for staged in self.staging.collections.values())

    def attempt(self, change: Change) -> Applied:
        """Take a change in, or return its error: a foreign file can make its loader fail in any way, and others must not
        suffer."""
        try:
            return self.apply(change)
        except (KnowledgeIndexError, OSError, sqlite3.Error) as error:
            if is_disk_full(error):
                return DiskFull(f"저장 공간이 모자라 문서를 읽어 두지 못했습니다: {error}")
            if isinstance(error, sqlite3.Error):
                return KnowledgeIndexError(f"문서를 읽어 두지 못했습니다: {error}")
            return error
        except Exception as error:
            logger.exception("a source could not be read")
            return SourceUnreadable(f"문서를 읽다가 실패했습니다: {type(error).__name__}")

    def apply(self, change: Change) -> IngestResult:
        """Take a change in; when it raises, what it brought is forgotten and the draft is as it was.

        Raises whatever a loader raises, KnowledgeIndexError, OSError or sqlite3.Error.
        """
        try:
            return self._applied(change)
        except BaseException:
            self.staging.discard()
            raise

    def _applied(self, change: Change) -> IngestResult:
        result = IngestResult(None)
        given = {source.key: _record(source) for source in change.sources}
        if self._base is not None and not change.restore:
            hashes = {record.sha256 for record in given.values()}
            result.withheld = sum(origin in hashes for origin in self.deleted.values())
        for source in change.sources:
            given[source.key] = self._read(source, given[source.key], change.restore, result)
        brought = set().union(*(staged.seen for staged in self.staging.collections.values()))
        named = self._named(change.remove)
        for name, ids in named.items():
            self.staging.collections[name].remove(ids)
        origins = self._origins(named)
        if change.purge:
            result.origins = self._keys_of(origins, change.remove)
        counts = self.staging.accept()
        result.added, result.updated, result.removed = counts.added, counts.updated, counts.removed
        self.records |= given
        self.deleted = {
            document_id: origin
            for document_id, origin in (self.deleted | origins).items()
            if document_id not in brought
        }
        if change.purge:
            result.origins |= self._forget(change.remove)
        return result

    def _read(self, source: Source, record: SourceRecord, restore: bool, result: IngestResult) -> SourceRecord:
        """Read a source unless it is known as it is; its record, with what came of the reading."""
        known = self.records.get(source.key)
        withheld = self._withheld(source, record)
        if known is not None and self._is_current(record, known) and not (restore and withheld):
            return known
        report = self.staging.read(source, frozenset() if restore else withheld)
        result.problems += report.problems
        result.notes += report.notes
        found = {"reread_on": report.reread_on, "problems": len(report.problems), "placed": report.placed}
        return record.model_copy(update=found)

    def _is_current(self, record: SourceRecord, known: SourceRecord) -> bool:
        if known.problems or (known.reread_on is not None and known.reread_on <= self._today()):
            return False
        specs = [staged.spec for staged in self.staging.collections.values()]
        rules = {spec.domain: spec.fingerprint for spec in specs}
        if any(rules.get(domain) != fingerprint for domain, fingerprint in known.placed.items()):
            return False
        return known.model_copy(update={"reread_on": None, "placed": {}}) == record

    def _withheld(self, source: Source, record: SourceRecord) -> frozenset[str]:
        """Deleted documents that reading ``source`` does not bring back."""
        return frozenset(
            document_id for document_id, origin in self.deleted.items() if source.mirror or origin == record.sha256
        )

    def _named(self, document_ids: Collection[str]) -> dict[str, set[str]]:
        """Return the ids that each collection holds of ``document_ids``, their parts included."""
        return {
            name: {held for held in staged.held if names(document_ids, held)} if document_ids else set()
            for name, staged in self.staging.collections.items()
        }

    def _origins(self, named: Mapping[str, set[str]]) -> dict[str, str]:
        """SHA-256 of the source of each document; empty when it is not known any more."""
        keys = {
            document_id: self.staging.collections[name].held[document_id][1]
            for name, ids in named.items()
            for document_id in ids
        }
        records = {**self._sources, **self.records}
        return {document_id: records[key].sha256 if key in records else "" for document_id, key in keys.items()}

    def _keys_of(self, origins: Mapping[str, str], document_ids: Collection[str]) -> frozenset[str]:
        """The sources that documents came from, those deleted before among them."""
        earlier = (origin for deleted_id, origin in self.deleted.items() if names(document_ids, deleted_id))
        hashes = {*origins.values(), *earlier} - {""}
        records = {**self._sources, **self.records}
        return frozenset(key for key, record in records.items() if record.sha256 in hashes)

    def _forget(self, document_ids: Collection[str]) -> frozenset[str]:
        """Drop what is on record of purged documents, but for those that a source would bring back of which others are held.

        Returns the sources that no document is held of any more, which are forgotten with them: what they held may have been
        other versions of the same documents.
        """
        alive = {key for staged in self.staging.collections.values() for _, key in staged.held.values()}
        empty = frozenset(key for key in {**self._sources, **self.records} if key not in alive)
        self.records = {key: record for key, record in self.records.items() if key in alive}
        kept = {record.sha256 for record in self.records.values()}
        self.deleted = {
            deleted_id: origin
            for deleted_id, origin in self.deleted.items()
            if not names(document_ids, deleted_id) or origin in kept
        }
        self.must_publish = True
        return empty


def names(document_ids: Collection[str], document_id: str) -> bool:
    """Return True if a document is among ``document_ids``, or is a part of one that is."""
    return document_id in document_ids or document_id.rpartition(PART_MARK)[0] in document_ids


def _record(source: Source) -> SourceRecord:
    return SourceRecord(
        sha256=path_sha256(source.path),
        format=source.loader.name,
        domain=source.domain,
        loader_version=source.loader.version,
    )


def is_remembered(layout: IndexLayout, document_id: str) -> bool:
    """Return True if the list of deleted documents names it, or the version before the current one holds it.

    Raises `KnowledgeIndexError`.
    """
    pointer = layout.pointer()
    if pointer is None:
        return False
    if any(names([document_id], deleted_id) for deleted_id in layout.manifest(pointer.current).deleted):
        return True
    builds = layout.manifest(pointer.previous).collections.values() if pointer.previous is not None else ()
    for build in builds:
        store = ChunkStore.open(layout.collection_dir(build), build.name)
        try:
            if store.document_exists(document_id):
                return True
        finally:
            store.close()
    return False
