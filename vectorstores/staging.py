"""Reading sources once: new and changed documents are cut and set aside on disk, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from vectorstores.chunk_store import ChunkRow, ChunkStore, ChunkStoreWriter, DocumentRow
from vectorstores.chunking import chunk_text
from vectorstores.collections import CollectionSpec, collection_for
from vectorstores.fingerprints import document_hash
from vectorstores.loaders.base import Loader, LoadOptions, LoadReport, SourceDocument
from vectorstores.progress import Progress


@dataclass(frozen=True, slots=True)
class Source:
    """A path to ingest. ``key`` names it in the manifest; ``mirror`` also removes its documents that are gone from it."""

    path: Path
    loader: Loader
    key: str
    domain: str | None = None
    mirror: bool = False


@dataclass(slots=True)
class StagedCollection:
    """What the sources bring to one collection beside what it holds (document id → content hash and source key)."""

    spec: CollectionSpec
    directory: Path
    held: Mapping[str, tuple[bytes, str]]
    next_uid: int
    seen: set[str] = field(default_factory=set)
    added: int = 0
    updated: int = 0
    removed: set[str] = field(default_factory=set)
    replaced: set[str] = field(default_factory=set)
    _writer: ChunkStoreWriter | None = None

    @property
    def changed(self) -> bool:
        return bool(self.added or self.updated or self.removed)

    def offer(self, source: SourceDocument, key: str) -> bool:
        """Take a document unless it is held already as it is; False when its id came before in this ingest."""
        document = source.document
        if document.id in self.seen:
            return False
        self.seen.add(document.id)
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
        if self._writer is None:
            self.directory.mkdir(parents=True)
            self._writer = ChunkStoreWriter(self.directory, self.next_uid)
        self._writer.add(_document_row(source, content_hash, key), chunks)
        if held is None:
            self.added += 1
        else:
            self.updated += 1
            self.replaced.add(document.id)
        return True

    def finish(self) -> None:
        if self._writer is not None:
            self._writer.finish()
            self.next_uid = self._writer.next_uid

    def records(self) -> Iterator[tuple[DocumentRow, list[ChunkRow]]]:
        """The documents taken, in the order in which they came."""
        if self._writer is None:
            return
        store = ChunkStore(self.directory, self.spec.name)
        try:
            yield from store.records()
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
        options = LoadOptions(today=self._options.today, domain=source.domain)
        arrived: dict[str, set[str]] = {}
        for document in source.loader.load(source.path, options, report):
            if document.document.id in withheld:
                continue
            spec = collection_for(document.document.domain)
            if self.collections[spec.name].offer(document, source.key):
                arrived.setdefault(spec.name, set()).add(document.document.id)
            else:
                report.problem(document.origin, f"id가 앞선 문서와 겹쳐 건너뜁니다: {document.document.id}")
            self._progress.advance()
        if source.mirror and not report.problems:
            for name, staged in self.collections.items():
                own = {document_id for document_id, (_, key) in staged.held.items() if key == source.key}
                staged.removed |= own - arrived.get(name, set())
        return report


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
    )
