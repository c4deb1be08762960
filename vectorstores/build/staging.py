"""Reading sources once: new and changed documents are cut and set aside on disk, so that memory stays bounded.

Several changes may go into one version. Each is read upon what those before it leave, and taken in whole or not at all.
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from vectorstores.build.fingerprints import document_hash
from vectorstores.build.progress import Progress
from vectorstores.collections import CollectionSpec
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.registry import Loader
from vectorstores.storage.chunk_store import ChunkRow, ChunkStore, ChunkStoreWriter, DocumentRow
from vectorstores.storage.chunking import chunk_text

Held = tuple[bytes, str]
"""Content hash and source key of a document."""


@dataclass(frozen=True, slots=True)
class Source:
    """A path to ingest. ``key`` names it in the manifest; ``mirror`` also removes its documents that are gone from it."""

    path: Path
    loader: Loader
    key: str
    domain: str | None = None
    mirror: bool = False


@dataclass(slots=True)
class _Part:
    """Documents that the current change adds to a collection or removes from it."""

    directory: Path
    seen: set[str] = field(default_factory=set)
    taken: dict[str, Held] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    writer: ChunkStoreWriter | None = None


@dataclass(frozen=True, slots=True)
class PartCounts:
    """Documents that a change added to a collection, put in place of others, and removed."""

    added: int
    updated: int
    removed: int


class StagedCollection:
    """A collection with the changes accepted so far; ``held`` has the documents it will hold, by id."""

    def __init__(self, spec: CollectionSpec, directory: Path, held: Mapping[str, Held], next_uid: int) -> None:
        self.spec = spec
        self.held = dict(held)
        self.next_uid = next_uid
        self.gone: set[str] = set()
        """Documents of the version before that the next one does not take over as they were."""
        self.changed = False
        self._directory = directory
        self._places: dict[str, int] = {}  # of documents taken in: the number of the part that has each as it shall be
        self._parts: list[Path] = []
        self._part = self._new_part()

    @property
    def documents(self) -> int:
        """Number of documents that the collection will hold."""
        return len(self.held)

    def _new_part(self) -> _Part:
        return _Part(self._directory / str(len(self._parts)))

    def offer(self, source: SourceDocument, key: str) -> bool:
        """Take a document unless it is held already as it is; False when its id came before in this change."""
        document, part = source.document, self._part
        if document.id in part.seen:
            return False
        part.seen.add(document.id)
        policy = source.policy or self.spec.policy(document.type, Path(source.origin).stem)
        content_hash = document_hash(source, policy)
        held = self.held.get(document.id)
        if held is not None and held[0] == content_hash:
            return True
        passages = chunk_text(document.content, policy, source.prefix)
        name = source.chunk_id or partial(_chunk_id, document.id, len(passages))
        chunks = [
            ChunkRow(name(number, passage.text), passage.text, passage.sentences)
            for number, passage in enumerate(passages, start=1)
        ]
        if part.writer is None:
            part.directory.mkdir(parents=True)
            part.writer = ChunkStoreWriter(part.directory, self.next_uid)
        part.writer.add(_document_row(source, content_hash, key), chunks)
        part.taken[document.id] = (content_hash, key)
        return True

    def remove(self, document_ids: Collection[str]) -> None:
        """Have the change remove documents that are held."""
        self._part.removed |= set(document_ids)

    def accept(self) -> PartCounts:
        """Take the change in."""
        part, number = self._part, len(self._parts)
        if part.writer is not None:
            part.writer.finish()
            self.next_uid = part.writer.next_uid
        removed = part.removed - part.taken.keys()
        updated = len(part.taken.keys() & self.held.keys())
        self.gone |= removed | part.taken.keys()
        for document_id in removed:
            self.held.pop(document_id, None)
            self._places.pop(document_id, None)
        self.held |= part.taken
        self._places |= dict.fromkeys(part.taken, number)
        self._parts.append(part.directory)
        self.changed |= bool(part.taken or removed)
        self._part = self._new_part()
        return PartCounts(len(part.taken) - updated, updated, len(removed))

    def discard(self) -> None:
        """Forget the change."""
        if self._part.writer is not None:
            self._part.writer.abandon()
        shutil.rmtree(self._part.directory, ignore_errors=True)
        self._part = self._new_part()

    @property
    def seen(self) -> set[str]:
        """The ids that the change under way has brought."""
        return self._part.seen

    def records(self) -> Iterator[tuple[DocumentRow, list[ChunkRow]]]:
        """The documents taken, in the order in which they came, each as the last change left it."""
        for number, directory in enumerate(self._parts):
            if not directory.exists():
                continue
            store = ChunkStore.open(directory, self.spec.name)
            try:
                yield from (record for record in store.records() if self._places.get(record[0].id) == number)
            finally:
                store.close()


class Staging:
    """Collects what sources bring, by collection."""

    def __init__(self, collections: Mapping[str, StagedCollection], options: LoadOptions, progress: Progress) -> None:
        self.collections = collections
        self._options = options
        self._progress = progress

    def read(self, source: Source, withheld: Collection[str] = ()) -> LoadReport:
        """Read one source to its end, but for the documents ``withheld`` by id."""
        report = LoadReport()
        self._progress.start(f"읽기: {source.path.name}", None)
        fallback = self._options.domain if source.loader.needs_collection else None
        options = replace(self._options, domain=source.domain or fallback)
        arrived: dict[str, set[str]] = {}
        until = math.inf if options.seconds is None else time.monotonic() + options.seconds
        for document in source.loader.load(source.path, options, report):
            if time.monotonic() > until:
                report.problem(document.origin, f"읽는 데 {options.seconds:g}초를 넘겨 여기까지만 넣었습니다")
                break
            if document.document.id in withheld:
                continue
            spec = options.collections.find(document.document.domain)
            report.placed[spec.domain] = spec.fingerprint
            if self.collections[spec.name].offer(document, source.key):
                arrived.setdefault(spec.name, set()).add(document.document.id)
            else:
                report.problem(document.origin, f"id가 앞선 문서와 겹쳐 건너뜁니다: {document.document.id}")
            self._progress.advance()
        if source.mirror and not report.problems:
            for name, staged in self.collections.items():
                own = {document_id for document_id, (_, key) in staged.held.items() if key == source.key}
                staged.remove(own - arrived.get(name, set()))
        return report

    def accept(self) -> PartCounts:
        """Take the change under way in; what it did to all collections."""
        counts = [staged.accept() for staged in self.collections.values()]
        return PartCounts(
            sum(count.added for count in counts),
            sum(count.updated for count in counts),
            sum(count.removed for count in counts),
        )

    def discard(self) -> None:
        """Forget the change under way."""
        for staged in self.collections.values():
            staged.discard()


def _chunk_id(document_id: str, passages: int, number: int, _text: str) -> str:
    return document_id if passages == 1 else f"{document_id}#{number}"


def _document_row(source: SourceDocument, content_hash: bytes, key: str) -> DocumentRow:
    document = source.document
    return DocumentRow(
        id=document.id,
        hash=content_hash,
        origin=key,
        type=document.type,
        domain=document.domain,
        title=document.title,
        heading=source.heading,
        name=source.name,
        label=source.label,
        source_name=document.source.name,
        source_url=document.source.url,
        effective_date=document.effective_date.isoformat() if document.effective_date else None,
        related_laws=document.related_laws,
        metadata=document.metadata,
        units=source.units,
    )
