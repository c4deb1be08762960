"""Opens versions of the index, and finds what answers in place of what is damaged of them."""

from __future__ import annotations

import logging

from utils.config.settings import Settings
from vectorstores.backends.chroma import ChromaServer
from vectorstores.backends.vector_table import asks_store
from vectorstores.backends.vectors import vector_server
from vectorstores.embedders.ids import unit_embedder_id
from vectorstores.errors import IndexDamaged, IndexMismatch, IndexMissing, KnowledgeIndexError
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.integrity.checksums import Part, damaged_files, part_of
from vectorstores.integrity.damage_messages import MENDED, is_unusable, with_older_texts, without
from vectorstores.versions.versions import (
    INDEX_LAYOUT,
    INGEST_COMMAND,
    CollectionBuild,
    IndexIdentity,
    IndexLayout,
    Manifest,
)

logger = logging.getLogger(__name__)


class IndexStore:
    """Opens versions for a searcher with a given identity."""

    def __init__(self, settings: Settings, tokenizer_id: str, embedder_id: str) -> None:
        self.layout = IndexLayout(settings.data_dir)
        self.server = vector_server(settings)
        store = "embedded" if self.server is None else self.server.identity
        self.identity = IndexIdentity(
            tokenizer=tokenizer_id,
            embedder=embedder_id,
            unit_embedder=unit_embedder_id(tokenizer_id),
            vector_store=store,
            layout=INDEX_LAYOUT,
        )

    def current_version(self) -> str | None:
        """The version that is current now; one small file, so a running service may ask every second."""
        pointer = self.layout.pointer()
        return None if pointer is None else pointer.current

    def asks_chroma(self) -> bool:
        """Return True if searching the current version asks Chroma; what cannot be read says why when it is opened."""
        if self.server is not None:
            return isinstance(self.server, ChromaServer)
        try:
            builds = self.layout.manifest(self.current_version() or "").collections.values()
        except KnowledgeIndexError:
            return False
        return any(asks_store(build.chunks, None) for build in builds)

    def open_current(self, before: KnowledgeIndex | None = None) -> KnowledgeIndex:
        """``before`` is an open version, whose collections are shared where they have not changed.

        Raises `IndexMissing`, `IndexMismatch` or `IndexDamaged`.
        """
        version = self.current_version()
        if version is None:
            raise IndexMissing(f"색인이 없습니다. 만드는 명령: {INGEST_COMMAND}")
        return self.open(version, before)

    def open(self, version: str, before: KnowledgeIndex | None = None) -> KnowledgeIndex:
        """Open a version; ``before`` and errors as `open_current`."""
        manifest = self.layout.manifest(version)
        if difference := self.identity.difference(manifest.identity):
            raise IndexMismatch(f"색인의 {difference} 다릅니다. 다시 만드는 명령: {INGEST_COMMAND}")
        return self.open_manifest(manifest, before)

    def open_manifest(self, manifest: Manifest, before: KnowledgeIndex | None = None) -> KnowledgeIndex:
        """Open what a manifest names, published or not, without comparing identities.

        What is damaged is left out or stood in for, and named in `KnowledgeIndex.damages`. Raises `IndexDamaged` when nothing
        is left to answer from.
        """
        known = before.collections if before is not None else {}
        opened: dict[str, CollectionIndex] = {}
        for name, build in manifest.collections.items():
            shared = known[name].shared(build) if name in known else None
            opened[name] = shared or self._opened(manifest, build)
        index = KnowledgeIndex(manifest, opened)
        if index.damages and not any(collection.size for collection in opened.values()):
            index.close()
            raise IndexDamaged(f"색인 파일이 손상되어 읽을 수 있는 문서가 없습니다. {MENDED}")
        return index

    def _opened(self, manifest: Manifest, build: CollectionBuild) -> CollectionIndex:
        try:
            return CollectionIndex(build, self.layout.collection_dir(build), self.server)
        except IndexDamaged as error:
            logger.error("%s", error)  # noqa: TRY400 - what is damaged is in the sentence
            return self.stand_in(manifest, build)

    def stand_in(self, manifest: Manifest, build: CollectionBuild) -> CollectionIndex:
        """Return a replacement of an unusable collection: its build in the version before, or an empty one."""
        directory = self.layout.collection_dir(build)
        older = self.older_build(manifest, build.name)
        if older is not None:
            collection = CollectionIndex(older, self.layout.collection_dir(older), self.server)
            holds_deleted = any(collection.has_document(document_id) for document_id in manifest.deleted)
            if not holds_deleted:
                collection.stand_in(directory, with_older_texts(build.domain))
                return collection
            collection.close()
        empty = CollectionIndex(build, directory, self.server, empty=True)
        empty.stand_in(directory, without(build.domain, Part.TEXTS))
        return empty

    def older_build(self, manifest: Manifest, name: str) -> CollectionBuild | None:
        """The build of a collection in the version before ``manifest``, if it is another one, made alike and usable."""
        try:
            pointer = self.layout.pointer()
            versions = [pointer.current, pointer.previous or ""] if pointer is not None else []
            before = max((version for version in versions if version < manifest.version), default="")
            older = self.layout.manifest(before)
        except KnowledgeIndexError:
            return None
        build = older.collections.get(name)
        if build is None or older.identity != manifest.identity or build == manifest.collections[name]:
            return None
        damaged = damaged_files(self.layout.collection_dir(build), build.files)
        return None if is_unusable(part_of(file) for file in damaged) else build
