"""The reading side: one version of the index and the search primitives of its collections."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import numpy as np
from cachetools import LRUCache

from utils.documents import Chunk
from utils.protocols import FloatMatrix
from vectorstores.backends.vector_table import VectorServer, asks_store, build_name
from vectorstores.backends.vectors import VectorStore
from vectorstores.errors import IndexDamaged, LexicalIndexUnavailable, VectorStoreUnavailable
from vectorstores.integrity.checksums import Part, damaged_files, part_of
from vectorstores.integrity.damage_messages import SEARCHED, LexicalIndexDamaged, VectorsDamaged, is_unusable, without
from vectorstores.ranking.collection import CollectionRanking
from vectorstores.ranking.lexical_side import LexicalSide
from vectorstores.ranking.question_scores import MappedScores, QuestionScores, Terms
from vectorstores.ranking.served_scores import ScoreServer
from vectorstores.storage.chunk_store import ChunkStore
from vectorstores.storage.lexical import Ordinals, Scores
from vectorstores.storage.mapped_vectors import MappedVectors
from vectorstores.storage.page_catalogue import PageCatalogue
from vectorstores.storage.ragged import TermIds
from vectorstores.storage.unit_table import UnitTable
from vectorstores.storage.vocabulary import Vocabulary
from vectorstores.versions.users import Users
from vectorstores.versions.versions import CollectionBuild, Manifest

_CACHED_CHUNKS = 4_096


class CollectionIndex:
    """A collection in one version of the index. Reads only; every method may be called from any thread.

    A chunk is named by its ordinal, its number in this version of the collection. ``bm25_error`` and ``vector_error``
    hold the damage of BM25 and vectors; the searches that need them raise it.
    """

    def __init__(
        self, build: CollectionBuild, directory: Path, server: VectorServer | None, *, empty: bool = False
    ) -> None:
        """Map everything that is whole; ``empty`` touches no file and stands in for what cannot be used.

        Raises `IndexDamaged` when the texts cannot be read, or neither side of a search can be used.
        """
        self.build = build
        self.directory = directory
        """Of the build that the version names, whatever stands in for it."""
        self.name = build.name
        self.domain = build.domain
        self.built_in = build.built_in
        # before anything of it is opened: native code dies of a damaged graph, and a number that changed changes an answer
        damaged = SEARCHED if empty else {part_of(name) for name in damaged_files(directory, build.files)}
        if not empty and is_unusable(damaged):
            raise IndexDamaged(without(build.domain, Part.TEXTS))
        self._store = ChunkStore.empty(build.name) if empty else ChunkStore.open(directory, build.name)
        self.size = self._store.size
        self.documents = self._store.documents
        self.damage = ""
        """The damage and the command that mends it, in Korean; empty as long as none is known."""
        self.is_stand_in = empty
        """True if other texts stand in for those of the version, which are damaged."""
        self.bm25_error: LexicalIndexUnavailable | None = None
        self._vector_damage: VectorStoreUnavailable | None = None
        self._lexical: LexicalSide | None = None
        self._vectors: MappedVectors | None = None
        self.take_out(damaged)
        self._open_searched(directory, damaged)
        self._asks_store = asks_store(build.chunks, server)
        self._store_of_vectors = VectorStore(
            directory, build_name(build.name, build.built_in), self._store.uids, server
        )
        self._score_server = ScoreServer.of(build_name(build.name, build.built_in), server)
        self._cache: LRUCache[int, Chunk] = LRUCache(_CACHED_CHUNKS)
        self._cache_lock = threading.Lock()
        self._users = Users()

    def _open_searched(self, directory: Path, damaged: Collection[Part]) -> None:
        """Both sides, as far as they are not ``damaged``."""
        if Part.BM25 not in damaged:
            try:
                self._lexical = LexicalSide.open(directory, self.size)
            except LexicalIndexUnavailable:
                self.take_out({Part.BM25})
        if Part.VECTOR not in damaged:
            try:
                self._vectors = MappedVectors(directory, self.size)
            except (OSError, ValueError):
                self.take_out({Part.VECTOR})

    def take_out(self, damaged: Iterable[Part]) -> None:
        """Search no more what is damaged, and say so; the other side stands in."""
        for part in SEARCHED.intersection(damaged):
            self.damage = without(self.domain, part)
            if part is Part.BM25:
                self.bm25_error = LexicalIndexDamaged(self.damage)
                self._drop_lexical()
            else:
                self._vector_damage = VectorsDamaged(self.damage)
            if part is Part.VECTOR:
                self._vectors = None

    def stand_in(self, directory: Path, damage: str) -> None:
        """Serve for the build in ``directory``, which cannot be used; ``damage`` says why."""
        self.directory = directory
        self.is_stand_in = True
        self.damage = damage

    def shared(self, build: CollectionBuild) -> CollectionIndex | None:
        """Itself for one user more, when it is ``build``, open and whole; `close` is then to be called once more."""
        if (self.name, self.built_in) != (build.name, build.built_in) or self.damage or self._vectors is None:
            return None
        return self if self._users.enter() else None

    def close(self) -> None:
        """Give it back; with the last user its files, maps and threads are freed, whoever still holds this object."""
        if not self._users.leave():
            return
        self._store_of_vectors.close()
        if self._score_server is not None:
            self._score_server.close()
        self._store.close()
        self._drop_lexical()
        self._vectors = None

    def _drop_lexical(self) -> None:
        lexical, self._lexical = self._lexical, None
        if lexical is not None:
            lexical.stored_terms.close()

    # Lexical search

    def bm25_scores(self, terms: Sequence[str], weights: Sequence[float] | None = None) -> Scores:
        """BM25 of every chunk, shape ``(size,)``, for priors to act on. Unknown terms add nothing.

        ``weights`` scale the terms one by one. Raises `LexicalIndexUnavailable`.
        """
        return self._searchable().scores(terms, weights)

    def question_scores(self, questions: Sequence[Terms], k: int) -> list[QuestionScores]:
        """BM25 of questions, wherever it is computed; ``k`` best chunks are wanted of each. Raises `LexicalIndexUnavailable`."""
        side = self._searchable()
        if self._score_server is not None:
            return self._score_server.scores(side, questions, k)
        return [MappedScores(side, *question) for question in questions]

    @property
    def ranking(self) -> CollectionRanking:
        """The ranking features of the collection. Raises `LexicalIndexUnavailable`."""
        return self._searchable().ranking

    def document_frequency(self, term: str) -> int:
        """In how many chunks a term occurs; 0 when unknown. Raises `LexicalIndexUnavailable`."""
        return self._searchable().document_frequency(term)

    @property
    def vocabulary(self) -> Vocabulary:
        """Term ↔ id. Raises `LexicalIndexUnavailable`."""
        return self._searchable().vocabulary

    def terms_of(self, ordinals: Sequence[int], field: str = "body") -> list[TermIds]:
        """Term ids of each chunk in text order; ``field`` body, heading or name. Raises `LexicalIndexUnavailable`."""
        lists = self._searchable().fields[field]
        return [lists[ordinal] for ordinal in ordinals]

    def term_ids_of_chunk(self, chunk_id: str) -> TermIds:
        """The distinct terms of a chunk, of every field; none for an unknown id. Raises `LexicalIndexUnavailable`."""
        fields = self._searchable().fields
        ordinal = self._store.ordinal_of_chunk(chunk_id)
        if ordinal is None:
            return np.zeros(0, dtype=np.int32)
        return np.unique(np.concatenate([lists[ordinal] for lists in fields.values()]))

    @property
    def units(self) -> UnitTable | None:
        """The answer units of the documents; None where none has any. Raises `LexicalIndexUnavailable`."""
        return self._searchable().units

    def _searchable(self) -> LexicalSide:
        lexical = self._lexical
        if lexical is None:
            raise self.bm25_error or LexicalIndexUnavailable(f"{self.name}: 닫힌 색인입니다.")
        return lexical

    # Vector search

    @property
    def vector_error(self) -> VectorStoreUnavailable | None:
        """Why vectors cannot be searched now, or None. A store is searched for one; a server that came back is found again."""
        if self._vector_damage is not None:
            return self._vector_damage
        try:
            look = self._store_of_vectors.check if self._asks_store else self._mapped_vectors
            look()
        except VectorStoreUnavailable as error:
            return error
        return None

    def vector_search(
        self, vectors: FloatMatrix, k: int, within: Ordinals | None = None
    ) -> list[tuple[Ordinals, Scores]]:
        """Return the ``k`` nearest chunks of each row (shape ``(q, d)``): ordinals and cosines, best first.

        ``within`` leaves out all others. A few vectors are compared one by one, which is exact and faster than a graph; more, and
        whatever a Chroma server holds, in one Chroma call. A zero vector has no neighbours. Raises `VectorStoreUnavailable`.
        """
        rows = np.atleast_2d(vectors)
        if within is None:
            self._require_vector_side()
            if self._asks_store:
                return self._store_of_vectors.query(rows, k)
        cosines = self._mapped_vectors().every @ rows.T if within is None else self.cosines(rows, within).T
        found: list[tuple[Ordinals, Scores]] = []
        for row, column in zip(rows, cosines.T, strict=True):
            best = np.argsort(-column, kind="stable")[: k if np.any(row) else 0]
            found.append((best if within is None else within[best], column[best]))
        return found

    def cosines(self, vectors: FloatMatrix, ordinals: Sequence[int] | Ordinals) -> FloatMatrix:
        """Cosine of each row of ``vectors`` with each chunk, shape ``(q, len(ordinals))``, precise to 1e-3.

        Read from a mapped file, so it also serves chunks that only BM25 found. Raises `VectorStoreUnavailable`.
        """
        result: FloatMatrix = np.atleast_2d(vectors) @ self.vectors_of(ordinals).T
        return result

    def vectors_of(self, ordinals: Sequence[int] | Ordinals) -> FloatMatrix:
        """The chunks' unit vectors, shape ``(len(ordinals), d)``, precise to 1e-3. Raises `VectorStoreUnavailable`."""
        return self._mapped_vectors().of(ordinals)

    def _require_vector_side(self) -> None:
        """Refuse to open what is damaged: its reader is native code."""
        if self._vector_damage is not None:
            raise self._vector_damage
        self._mapped_vectors()

    def _mapped_vectors(self) -> MappedVectors:
        vectors = self._vectors
        if vectors is None:
            raise self._vector_damage or VectorStoreUnavailable(f"{self.name}: 닫힌 색인입니다.")
        return vectors

    def stored_uids(self) -> tuple[set[int], set[int]]:
        """Uids of the chunks and of the stored vectors (for `verify`). Raises `VectorStoreUnavailable`."""
        self._require_vector_side()
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
            if (lexical := self._lexical) is not None:
                loaded = lexical.stored_terms.added_to(loaded)
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
        """Return True if the collection holds a document with this id, or a part of it (``id#…``)."""
        return self._store.document_exists(document_id)

    @property
    def texts(self) -> ChunkStore:
        """The documents and chunks as stored."""
        return self._store

    @cached_property
    def pages(self) -> PageCatalogue:
        """The pages of PDF files in this collection."""
        return PageCatalogue.of(self._store.page_documents())

    def by_label(self, label: str) -> list[int]:
        """Ordinals of a statute article (``법이름|제N조``, no spaces in the name), in order; empty when there is none."""
        return self._store.ordinals_of_label(label)

    def articles_of(self, law: str) -> list[str]:
        """The articles (``제N조``) of a statute, its name without spaces; in no order, empty when it is not here."""
        return self._store.articles_of(law)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Statute names: without spaces → as written."""
        return {name.replace(" ", ""): name for name in self._store.names()}

    def check_texts(self) -> None:
        """Read the whole text store; raises `IndexDamaged`."""
        self._store.check()


class KnowledgeIndex:
    """An open version of the index. ``collections`` is keyed by collection name (``hr_labor_db``)."""

    def __init__(self, manifest: Manifest, collections: Mapping[str, CollectionIndex]) -> None:
        self.manifest = manifest
        self.version = manifest.version
        self.collections = dict(collections)
        self._replaced: list[CollectionIndex] = []

    @property
    def damages(self) -> Mapping[str, str]:
        """The known damage by collection name: its effect and the command that mends it, in Korean."""
        return {name: collection.damage for name, collection in self.collections.items() if collection.damage}

    @property
    def state(self) -> str:
        """The version and what is damaged of it: what answers rest on."""
        return "|".join([self.version, *sorted(self.damages.values())])

    def replace(self, name: str, stand_in: CollectionIndex) -> None:
        """Answer from ``stand_in`` from now on. Searches under way go on in the collection before."""
        self._replaced.append(self.collections[name])
        self.collections[name] = stand_in

    def law_names(self) -> list[str]:
        """The names of all statutes, as written."""
        every = (name for collection in self.collections.values() for name in collection.names.values())
        return list(dict.fromkeys(every))

    def connect(self) -> None:
        """Open the stores that are searched, all at once; one that fails says so in ``vector_error``.

        Otherwise the first search does: a second for the largest, and the timeout of a server that is away.
        """
        with ThreadPoolExecutor(thread_name_prefix="connect") as threads:
            list(threads.map(lambda collection: collection.vector_error, self.collections.values()))

    def close(self) -> None:
        for collection in (*self.collections.values(), *self._replaced):
            collection.close()
