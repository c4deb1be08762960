"""The reading side: the current version of the index and the search primitives of its collections."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from utils.config.settings import Settings
from utils.knowledge import Chunk
from utils.protocols import FloatMatrix
from vectorstores.chroma import ChromaServer, chroma_server
from vectorstores.chunk_store import ChunkStore
from vectorstores.collection_builder import FIELDS, STARTS, VECTORS_FILE
from vectorstores.dense import VectorStore, chroma_name
from vectorstores.errors import (
    IndexDamaged,
    IndexMismatch,
    IndexMissing,
    LexicalIndexUnavailable,
    VectorStoreUnavailable,
)
from vectorstores.lexical import BM25_FOLDER, LexicalIndex, Ordinals, Scores
from vectorstores.page_catalogue import PageCatalogue
from vectorstores.ragged import RaggedIds, TermIds
from vectorstores.ranking.collection import CollectionRanking
from vectorstores.stored_terms import StoredTerms
from vectorstores.versions import INDEX_LAYOUT, CollectionBuild, IndexIdentity, IndexLayout, Manifest
from vectorstores.vocabulary import Vocabulary

_CACHED_CHUNKS = 4_096
_IDENTITY_PARTS = {
    "tokenizer": "형태소 분석기",
    "embedder": "임베딩",
    "vector_store": "벡터 저장소",
    "layout": "파일 구성",
}
INGEST_COMMAND = "python -m vectorstores ingest"


class CollectionIndex:
    """One collection of one version. Reads only; every method may be called from any thread.

    A chunk is named by its ordinal, its number in this version of the collection. What is broken beside the texts is told
    by ``bm25_error`` and ``vector_error`` and raised by the searches that need it.
    """

    def __init__(self, build: CollectionBuild, directory: Path, server: ChromaServer | None) -> None:
        """Map everything. Raises `IndexDamaged` when the texts cannot be read."""
        self.name = build.name
        self.domain = build.domain
        self.documents = build.documents
        self.built_in = build.built_in
        self._store = ChunkStore(directory, build.name)
        self.size = self._store.size
        self.bm25_error: LexicalIndexUnavailable | None = None
        self._vocabulary: Vocabulary | None = None
        self._terms: dict[str, RaggedIds] = {}
        self._stored_terms: StoredTerms | None = None
        self._lexical: LexicalIndex | None = None
        self._ranking: CollectionRanking | None = None
        self._open_lexical(directory)
        self._store_of_vectors = VectorStore(
            directory, chroma_name(build.name, build.built_in), self._store.uids, server
        )
        self._vectors = self._open_vectors(directory)
        self._names: dict[str, str] | None = None
        self._pages: PageCatalogue | None = None
        self._cache: LRUCache[int, Chunk] = LRUCache(_CACHED_CHUNKS)
        self._cache_lock = threading.Lock()

    def _open_lexical(self, directory: Path) -> None:
        try:
            self._vocabulary = Vocabulary.open(directory)
            self._terms = {field: RaggedIds.open(directory, field) for field in FIELDS}
            starts = RaggedIds.open(directory, STARTS)
            stored_terms = StoredTerms(self._vocabulary, self._terms, starts, self.size)
            lexical = LexicalIndex(directory / BM25_FOLDER, self.size, len(self._vocabulary))
            self._ranking = CollectionRanking(directory, self._vocabulary, self._terms, lexical)
            self._stored_terms, self._lexical = stored_terms, lexical
        except LexicalIndexUnavailable as error:
            self.bm25_error = error
        except (OSError, ValueError, EOFError) as error:
            self.bm25_error = LexicalIndexUnavailable(f"용어 파일을 열 수 없습니다 ({directory}): {error}")

    def _open_vectors(self, directory: Path) -> NDArray[np.float16] | None:
        try:
            vectors: NDArray[np.float16] = np.load(directory / VECTORS_FILE, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        return vectors if vectors.ndim == 2 and len(vectors) == self.size else None

    def close(self) -> None:
        self._store_of_vectors.close()
        self._store.close()

    # Lexical search

    def bm25_scores(self, terms: Sequence[str], weights: Sequence[float] | None = None) -> Scores:
        """BM25 of every chunk, shape ``(size,)``, for priors to act on. Unknown terms add nothing.

        ``weights`` scale the terms one by one. Raises `LexicalIndexUnavailable`.
        """
        lexical, vocabulary = self._lexical_parts()
        known = [
            (term_id, 1.0 if weights is None else weights[number])
            for number, term in enumerate(terms)
            if (term_id := vocabulary.id_of(term)) is not None
        ]
        return lexical.scores([term_id for term_id, _ in known], [weight for _, weight in known])

    @property
    def ranking(self) -> CollectionRanking:
        """What candidates are judged by. Raises `LexicalIndexUnavailable`."""
        self._lexical_parts()
        if self._ranking is None:
            raise LexicalIndexUnavailable(f"BM25 색인이 없습니다: {self.name}")
        return self._ranking

    def document_frequency(self, term: str) -> int:
        """In how many chunks a term occurs; 0 when unknown. Raises `LexicalIndexUnavailable`."""
        lexical, vocabulary = self._lexical_parts()
        term_id = vocabulary.id_of(term)
        return 0 if term_id is None else lexical.document_frequency(term_id)

    @property
    def vocabulary(self) -> Vocabulary:
        """Term ↔ id. Raises `LexicalIndexUnavailable`."""
        return self._lexical_parts()[1]

    def terms_of(self, ordinals: Sequence[int], field: str = "body") -> list[TermIds]:
        """Term ids of each chunk in text order; ``field`` body, heading or name. Raises `LexicalIndexUnavailable`."""
        self._lexical_parts()
        lists = self._terms[field]
        return [lists[ordinal] for ordinal in ordinals]

    def term_ids_of_chunk(self, chunk_id: str) -> TermIds:
        """The distinct terms of a chunk, of every field; none for an unknown id. Raises `LexicalIndexUnavailable`."""
        self._lexical_parts()
        ordinal = self._store.ordinal_of_chunk(chunk_id)
        if ordinal is None:
            return np.zeros(0, dtype=np.int32)
        return np.unique(np.concatenate([lists[ordinal] for lists in self._terms.values()]))

    def _lexical_parts(self) -> tuple[LexicalIndex, Vocabulary]:
        if self._lexical is None or self._vocabulary is None:
            raise self.bm25_error or LexicalIndexUnavailable(f"BM25 색인이 없습니다: {self.name}")
        return self._lexical, self._vocabulary

    # Vector search

    @property
    def vector_error(self) -> VectorStoreUnavailable | None:
        """Why vectors cannot be searched now, or None. Connects; a server that came back is found again."""
        try:
            self._store_of_vectors.connect()
        except VectorStoreUnavailable as error:
            return error
        return None

    def vector_search(
        self, vectors: FloatMatrix, k: int, within: Ordinals | None = None
    ) -> list[tuple[Ordinals, Scores]]:
        """The ``k`` nearest chunks of each row (shape ``(q, d)``), in one Chroma call: ordinals and cosines, best first.

        ``within`` leaves out all others; these few are compared one by one, not through Chroma. Raises
        `VectorStoreUnavailable`.
        """
        rows = np.atleast_2d(vectors)
        if within is None:
            return self._store_of_vectors.query(rows, k)
        found: list[tuple[Ordinals, Scores]] = []
        for row, cosines in zip(rows, self.cosines(rows, within), strict=True):
            best = np.argsort(-cosines, kind="stable")[: k if np.any(row) else 0]
            found.append((within[best], cosines[best]))
        return found

    def cosines(self, vectors: FloatMatrix, ordinals: Sequence[int] | Ordinals) -> FloatMatrix:
        """Cosine of each row of ``vectors`` with each chunk, shape ``(q, len(ordinals))``, precise to 1e-3.

        Read from a mapped file, so it also serves chunks that only BM25 found. Raises `VectorStoreUnavailable`.
        """
        result: FloatMatrix = np.atleast_2d(vectors) @ self.vectors_of(ordinals).T
        return result

    def vectors_of(self, ordinals: Sequence[int] | Ordinals) -> FloatMatrix:
        """The chunks' unit vectors, shape ``(len(ordinals), d)``, precise to 1e-3. Raises `VectorStoreUnavailable`."""
        if self._vectors is None:
            raise VectorStoreUnavailable(f"벡터 파일을 열 수 없습니다: {self.name}")
        rows: FloatMatrix = self._vectors[np.asarray(ordinals, dtype=np.int64)].astype(np.float32)
        return rows

    def stored_uids(self) -> tuple[set[int], set[int]]:
        """Uids of the chunks and of the stored vectors (for `verify`). Raises `VectorStoreUnavailable`."""
        return set(self._store.uids.tolist()), self._store_of_vectors.stored_uids()

    # Texts

    def chunks(self, ordinals: Sequence[int] | Ordinals) -> list[Chunk]:
        """The chunks in that order; raises IndexError for an ordinal that does not exist."""
        wanted = [int(ordinal) for ordinal in ordinals]
        with self._cache_lock:
            found = {ordinal: self._cache[ordinal] for ordinal in wanted if ordinal in self._cache}
        missing = [ordinal for ordinal in dict.fromkeys(wanted) if ordinal not in found]
        if missing:
            loaded = dict(zip(missing, self._store.chunks(missing), strict=True))
            if self._stored_terms is not None:
                loaded = self._stored_terms.added_to(loaded)
            found |= loaded
            with self._cache_lock:
                self._cache.update(loaded)
        return [found[ordinal] for ordinal in wanted]

    def chunk_by_id(self, chunk_id: str) -> Chunk | None:
        ordinal = self._store.ordinal_of_chunk(chunk_id)
        return None if ordinal is None else self.chunks([ordinal])[0]

    def by_document(self, document_id: str) -> list[int]:
        """Ordinals of a document's chunks, in order; empty when there is none."""
        return self._store.ordinals_of_document(document_id)

    def has_document(self, document_id: str) -> bool:
        """Whether there is a document with this id, or parts of one (``id#…``)."""
        return self._store.document_exists(document_id)

    @property
    def pages(self) -> PageCatalogue:
        """The pages of PDF files in this collection."""
        if self._pages is None:
            self._pages = PageCatalogue.of(self._store.page_documents())
        return self._pages

    def by_label(self, label: str) -> list[int]:
        """Ordinals of a statute article (``법이름|제N조``, no spaces in the name), in order; empty when there is none."""
        return self._store.ordinals_of_label(label)

    def articles_of(self, law: str) -> list[str]:
        """The articles (``제N조``) of a statute, its name without spaces; in no order, empty when it is not here."""
        return self._store.articles_of(law)

    @property
    def names(self) -> Mapping[str, str]:
        """Statute names: without spaces → as written."""
        if self._names is None:
            self._names = {name.replace(" ", ""): name for name in self._store.names()}
        return self._names

    def check_texts(self) -> None:
        """Read the whole text store; raises `IndexDamaged`."""
        self._store.check()


class KnowledgeIndex:
    """One version, open. ``collections`` is keyed by collection name (``hr_labor_db``)."""

    def __init__(self, manifest: Manifest, collections: Mapping[str, CollectionIndex]) -> None:
        self.manifest = manifest
        self.version = manifest.version
        self.collections = collections

    def for_domain(self, domain: str) -> CollectionIndex:
        """The collection of a domain key; raises KeyError."""
        for collection in self.collections.values():
            if collection.domain == domain:
                return collection
        raise KeyError(domain)

    def law_names(self) -> list[str]:
        """The names of all statutes, as written."""
        return list(dict.fromkeys(name for one in self.collections.values() for name in one.names.values()))

    def connect(self) -> None:
        """Open the vectors of all collections at once; one that fails says so in ``vector_error``.

        Otherwise the first search does: a second for the largest, and the timeout of a server that is away.
        """
        with ThreadPoolExecutor(thread_name_prefix="connect") as threads:
            list(threads.map(lambda collection: collection.vector_error, self.collections.values()))

    def close(self) -> None:
        for collection in self.collections.values():
            collection.close()


class IndexStore:
    """Opens versions for a searcher with a given identity."""

    def __init__(self, settings: Settings, tokenizer_id: str, embedder_id: str) -> None:
        self.layout = IndexLayout(settings.data_dir)
        self.chroma = chroma_server(settings)
        store = "embedded" if self.chroma is None else f"server {self.chroma.host}:{self.chroma.port}"
        self.identity = IndexIdentity(
            tokenizer=tokenizer_id, embedder=embedder_id, vector_store=store, layout=INDEX_LAYOUT
        )

    def current_version(self) -> str | None:
        """The version that is current now; one small file, so a running service may ask every second."""
        pointer = self.layout.pointer()
        return None if pointer is None else pointer.current

    def open_current(self) -> KnowledgeIndex:
        """Raises `IndexMissing`, `IndexMismatch` or `IndexDamaged`."""
        version = self.current_version()
        if version is None:
            raise IndexMissing(f"색인이 없습니다. 만드는 명령: {INGEST_COMMAND}")
        return self.open(version)

    def open(self, version: str) -> KnowledgeIndex:
        """Raises `IndexMissing`, `IndexMismatch` or `IndexDamaged`."""
        manifest = self.layout.manifest(version)
        self._require_identity(manifest.identity)
        return self.open_manifest(manifest)

    def open_manifest(self, manifest: Manifest) -> KnowledgeIndex:
        """Open what a manifest names, published or not, without comparing identities."""
        opened: dict[str, CollectionIndex] = {}
        try:
            for name, build in manifest.collections.items():
                opened[name] = CollectionIndex(build, self.layout.collection_dir(build), self.chroma)
        except IndexDamaged:
            for collection in opened.values():
                collection.close()
            raise
        return KnowledgeIndex(manifest, opened)

    def _require_identity(self, built: IndexIdentity) -> None:
        for part, name in _IDENTITY_PARTS.items():
            was, needed = getattr(built, part), getattr(self.identity, part)
            if was != needed:
                raise IndexMismatch(
                    f"색인의 {name}({was})가 설정({needed})과 다릅니다. 다시 만드는 명령: {INGEST_COMMAND}"
                )
