"""Building one collection: texts, terms, BM25 and vectors, streamed in batches so that memory does not grow with it.

Four threads share the work: two have the next batches analysed (on all cores), the caller's embeds and writes the one before,
and one fills the vector store. What the analyser costs is then nearly all that a build takes.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np

from utils.protocols import AnalyzedText, BulkAnalyzer, Embedder, FloatMatrix
from vectorstores.backends.milvus import MilvusServer
from vectorstores.backends.vector_table import VectorServer, build_name
from vectorstores.backends.vectors import VectorWriter
from vectorstores.build.analysis_cache import AnalysisCache
from vectorstores.build.overlap import prefetch
from vectorstores.build.progress import Progress
from vectorstores.collections import CollectionSpec
from vectorstores.integrity.checksums import file_records
from vectorstores.ranking.case_citations import CaseCitations
from vectorstores.ranking.case_words import CaseWords
from vectorstores.ranking.citations import CitationGraph
from vectorstores.ranking.contexts import context_postings, context_settings
from vectorstores.ranking.passages import PassageTableWriter
from vectorstores.ranking.served_scores import store_scores
from vectorstores.storage.arrays import read_array
from vectorstores.storage.chunk_store import ChunkRow, ChunkStoreWriter, DocumentRow
from vectorstores.storage.files import FIELDS, STARTS, VECTORS_FILE
from vectorstores.storage.lexical import (
    BM25_FOLDER,
    CONTEXTS_FOLDER,
    GROUPS_FOLDER,
    LexicalSettings,
    Postings,
    build_lexical_index,
    count_postings,
    group_settings,
)
from vectorstores.storage.ragged import RaggedIds, RaggedWriter, TermIds
from vectorstores.storage.unit_table import StoredUnit, UnitTexts, write_unit_table
from vectorstores.storage.vocabulary import Vocabulary, write_vocabulary
from vectorstores.versions.versions import CollectionBuild

"""Where in a chunk's text each term of its body stands."""
_RAW_VECTORS_FILE = "vectors.raw"
_BATCH_CHUNKS = 1_000

Record = tuple[DocumentRow, Sequence[ChunkRow]]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analyser, the embedder and the cache that turn texts into terms and vectors."""

    cache: AnalysisCache
    analyzer: BulkAnalyzer
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class _Batch:
    """Chunks, each beside its document, and their uids."""

    chunks: list[tuple[DocumentRow, ChunkRow]]
    uids: list[int]


def passage_text(document: DocumentRow, chunk: ChunkRow) -> str:
    """Return the text to embed: title and text. A statute's text already begins with its title."""
    return chunk.text if document.label is not None else f"{document.title}\n{chunk.text}"


class CollectionBuilder:
    """Builds ``directory``; nothing in it is used before the version's manifest names it."""

    def __init__(self, directory: Path, analysis: Analysis, next_uid: int, progress: Progress) -> None:
        directory.mkdir(parents=True)
        self._directory = directory
        self._analysis = analysis
        self._progress = progress
        self._store = ChunkStoreWriter(directory, next_uid)
        self._terms = {name: RaggedWriter(directory, name) for name in FIELDS}
        self._starts = RaggedWriter(directory, STARTS)
        self._passages = PassageTableWriter(CaseCitations.load())
        self._citations = CitationGraph()
        self._units: list[StoredUnit] = []
        self._chunks = 0

    def build(
        self,
        spec: CollectionSpec,
        version: str,
        records: Iterable[Record],
        lexical: LexicalSettings,
        server: VectorServer | None,
    ) -> CollectionBuild:
        """Write everything; raises `VectorStoreUnavailable` when the vectors cannot be stored."""
        with VectorWriter(self._directory, build_name(spec.name, version), server) as store:
            with (self._directory / _RAW_VECTORS_FILE).open("wb") as raw:
                for batch, terms, starts in prefetch(self._analyzed, self._batches(records)):
                    for field, lists in terms.items():
                        self._terms[field].append_many(lists)
                    self._starts.append_many(starts)
                    self._read_citations(batch, terms["body"], starts)
                    vectors = self._embedded(batch, terms)
                    # Halves beside the store: the cosine of a chunk that only BM25 found costs a look and no query.
                    raw.write(vectors.astype("<f2").tobytes())
                    store.add(batch.uids, vectors)
                    self._progress.advance(len({document.id for document, _ in batch.chunks}))
            documents, chunks = self._store.finish()
            mapping = self._write_terms()
            self._progress.start(f"{spec.name}: BM25, 벡터", None)
            vocabulary_size = self._write_lexical(mapping, lexical)
            self._write_vectors(chunks)
            self._write_units()
            store.settle(self._store.uids, read_array(self._directory / VECTORS_FILE, np.float16, mapped=True))
        if isinstance(server, MilvusServer) and chunks:
            store_scores(self._directory, chunks, build_name(spec.name, version), server)
        return CollectionBuild(
            name=spec.name,
            domain=spec.domain,
            built_in=version,
            documents=documents,
            chunks=chunks,
            terms=vocabulary_size,
            next_uid=self._store.next_uid,
            files=file_records(self._directory),
        )

    def _batches(self, records: Iterable[Record]) -> Iterator[_Batch]:
        """Store the texts; documents together until there are enough chunks, so a batch may be longer than that."""
        batch = _Batch([], [])
        for document, chunks in records:
            batch.uids.extend(self._store.add(document, chunks))
            self._units += [StoredUnit(document.id, self._chunks, unit) for unit in document.units]
            self._chunks += len(chunks)
            kind, deleted = str(document.metadata.get("law_kind", "")), bool(document.metadata.get("deleted"))
            self._passages.add(document.id, document.label, kind, deleted, len(chunks))
            batch.chunks.extend((document, chunk) for chunk in chunks)
            if len(batch.chunks) >= _BATCH_CHUNKS:
                yield batch
                batch = _Batch([], [])
        if batch.chunks:
            yield batch

    def _analyzed(self, batch: _Batch) -> tuple[_Batch, dict[str, list[TermIds]], list[TermIds]]:
        """The batch with the term ids of each chunk, by field, and the places of those of its text."""
        texts = {
            "body": [chunk.text for _, chunk in batch.chunks],
            "heading": [document.heading for document, _ in batch.chunks],
            "name": [document.name for document, _ in batch.chunks],
        }
        every = list(chain.from_iterable(texts.values()))
        located = self._analysis.cache.located_ids(every, self._analysis.analyzer)
        ids = iter(pair[0] for pair in located)
        starts = [pair[1] for pair in located[: len(batch.chunks)]]  # the body comes first
        return batch, {field: list(islice(ids, len(batch.chunks))) for field in FIELDS}, starts

    def _embedded(self, batch: _Batch, terms: Mapping[str, Sequence[TermIds]]) -> FloatMatrix:
        passages = [
            self._passage(document, chunk, body, heading)
            for (document, chunk), body, heading in zip(batch.chunks, terms["body"], terms["heading"], strict=True)
        ]
        return self._analysis.cache.vectors(passages, self._analysis.embedder)

    def _passage(self, document: DocumentRow, chunk: ChunkRow, body: TermIds, heading: TermIds) -> AnalyzedText:
        """Return the text to embed, with its terms."""
        terms = self._strings(body) if document.label is not None else self._strings(heading) + self._strings(body)
        return AnalyzedText(passage_text(document, chunk), terms)

    def _strings(self, ids: TermIds) -> tuple[str, ...]:
        terms = self._analysis.cache.terms
        return tuple(terms[term_id] for term_id in ids.tolist())

    def _read_citations(self, batch: _Batch, terms: Sequence[TermIds], starts: Sequence[TermIds]) -> None:
        for (document, chunk), ids, places in zip(batch.chunks, terms, starts, strict=True):
            if document.label is not None:
                self._citations.add(document.label.split("|")[0], document.label, chunk.text, ids, places)

    def _write_terms(self) -> TermIds:
        """Number the terms that occur in sorted order and write the term files; returns the number of each of the cache's terms."""
        cached = self._analysis.cache.terms
        used = np.zeros(len(cached), dtype=np.bool_)
        for writer in self._terms.values():
            used |= writer.used_ids(len(cached))
        numbers = np.flatnonzero(used)
        mapping = np.full(len(cached), -1, dtype=np.int32)
        mapping[numbers] = write_vocabulary(self._directory, (cached[number] for number in numbers.tolist()))
        for writer in self._terms.values():
            writer.finish(mapping)
        self._starts.finish()
        return mapping

    def _write_lexical(self, mapping: TermIds, lexical: LexicalSettings) -> int:
        """BM25 of the chunks, of their groups and of what others say of them, and the table of what is known of each chunk;
        returns the size of the vocabulary.
        """
        vocabulary = Vocabulary.open(self._directory)
        fields = {field: RaggedIds.open(self._directory, field) for field in FIELDS}
        body = fields.pop("body")

        def write(folder: str, postings: Postings, settings: LexicalSettings) -> None:
            build_lexical_index(self._directory / folder, postings, len(vocabulary), settings)

        postings = count_postings(body, fields, lexical)
        write(BM25_FOLDER, postings, lexical)
        postings = postings.grouped(self._passages.finish(self._directory, body, self._citations))
        write(GROUPS_FOLDER, postings, group_settings(lexical))
        postings = context_postings(self._passages.labels, self._citations, mapping, CaseWords.load(), vocabulary)
        write(CONTEXTS_FOLDER, postings, context_settings(lexical))
        return len(vocabulary)

    def _write_units(self) -> None:
        """The units of all documents, if there are any, with the terms and vectors of what is searched of them."""
        if not self._units:
            return
        texts = UnitTexts.of(self._units).texts
        # it needs langchain, for which an index that is up to date does not wait
        from vectorstores.embedders.unit_encoder import unit_embedder

        cache, analyzer = self._analysis.cache, self._analysis.analyzer
        terms = [located[0] for located in cache.located_ids(texts, analyzer)]
        passages = [AnalyzedText(text, self._strings(ids)) for text, ids in zip(texts, terms, strict=True)]
        vectors = cache.vectors(passages, unit_embedder(analyzer))
        write_unit_table(self._directory, self._units, terms, cache.terms, vectors)

    def _write_vectors(self, chunks: int) -> None:
        """The halves as one array, shape ``(chunks, dimension)``."""
        path = self._directory / _RAW_VECTORS_FILE
        shape = (chunks, self._analysis.embedder.dimension)
        with (self._directory / VECTORS_FILE).open("wb") as file, path.open("rb") as raw:
            header = {"descr": "<f2", "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            shutil.copyfileobj(raw, file)
        path.unlink()
