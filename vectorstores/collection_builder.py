"""Building one collection: texts, terms, BM25 and vectors, streamed in batches so that memory does not grow with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from utils.protocols import AnalyzedText, Analyzer, Embedder
from vectorstores.analysis_cache import AnalysisCache
from vectorstores.chroma import ChromaServer
from vectorstores.chunk_store import ChunkRow, ChunkStoreWriter, DocumentRow
from vectorstores.dense import chroma_name, write_vectors
from vectorstores.lexical import LexicalSettings, build_lexical_index
from vectorstores.progress import Progress
from vectorstores.ragged import RaggedIds, RaggedWriter, TermIds
from vectorstores.versions import CollectionBuild
from vectorstores.vocabulary import write_vocabulary

BM25_FOLDER = "bm25"
VECTORS_FILE = "vectors.npy"
FIELDS = ("body", "heading", "name")
_BATCH_CHUNKS = 1_000


@dataclass(frozen=True, slots=True)
class Analysis:
    """What turns texts into terms and vectors."""

    cache: AnalysisCache
    analyzer: Analyzer
    embedder: Embedder


class CollectionBuilder:
    """Builds ``directory``; nothing in it is used before the version's manifest names it."""

    def __init__(self, directory: Path, analysis: Analysis, next_uid: int, progress: Progress) -> None:
        directory.mkdir(parents=True)
        self._directory = directory
        self._analysis = analysis
        self._progress = progress
        self._store = ChunkStoreWriter(directory, next_uid)
        self._terms = {name: RaggedWriter(directory, name) for name in FIELDS}
        self._raw_vectors = (directory / "vectors.raw").open("wb")
        self._batch: list[tuple[DocumentRow, ChunkRow]] = []

    def add_all(self, records: Iterable[tuple[DocumentRow, Sequence[ChunkRow]]]) -> None:
        for document, chunks in records:
            self._store.add(document, chunks)
            self._batch.extend((document, chunk) for chunk in chunks)
            if len(self._batch) >= _BATCH_CHUNKS:
                self._analyze_batch()
        self._analyze_batch()

    def finish(
        self, name: str, domain: str, version: str, lexical: LexicalSettings, server: ChromaServer | None
    ) -> CollectionBuild:
        """Write the indexes; raises `VectorStoreUnavailable` when the vectors cannot be stored."""
        documents, chunks = self._store.finish()
        self._raw_vectors.close()
        vocabulary_size = self._write_terms()
        fields = {field: RaggedIds.open(self._directory, field) for field in FIELDS}
        self._progress.start(f"{name}: BM25", None)
        body = fields.pop("body")
        build_lexical_index(self._directory / BM25_FOLDER, body, fields, vocabulary_size, lexical)
        self._write_vectors(name, version, chunks, server)
        return CollectionBuild(
            name=name,
            domain=domain,
            built_in=version,
            documents=documents,
            chunks=chunks,
            terms=vocabulary_size,
            next_uid=self._store.next_uid,
        )

    def _analyze_batch(self) -> None:
        if not self._batch:
            return
        chunk_count = len(self._batch)
        texts = [chunk.text for _, chunk in self._batch]
        headings = [document.heading for document, _ in self._batch]
        names = [document.name for document, _ in self._batch]
        ids = self._analysis.cache.term_ids([*texts, *headings, *names], self._analysis.analyzer)
        per_field = dict(
            zip(FIELDS, (ids[:chunk_count], ids[chunk_count:-chunk_count], ids[-chunk_count:]), strict=True)
        )
        for field, lists in per_field.items():
            self._terms[field].append_many(lists)
        passages = [
            self._passage(document, chunk, body, heading)
            for (document, chunk), body, heading in zip(
                self._batch, per_field["body"], per_field["heading"], strict=True
            )
        ]
        vectors = self._analysis.cache.vectors(passages, self._analysis.embedder)
        self._raw_vectors.write(vectors.astype("<f4", copy=False).tobytes())
        self._batch.clear()
        self._progress.advance(chunk_count)

    def _passage(self, document: DocumentRow, chunk: ChunkRow, body: TermIds, heading: TermIds) -> AnalyzedText:
        """What is embedded: the text under its title, which a statute's text already bears as its prefix."""
        if document.label is not None:
            return AnalyzedText(chunk.text, self._strings(body))
        return AnalyzedText(f"{document.title}\n{chunk.text}", self._strings(heading) + self._strings(body))

    def _strings(self, ids: TermIds) -> tuple[str, ...]:
        terms = self._analysis.cache.terms
        return tuple(terms[term_id] for term_id in ids.tolist())

    def _write_terms(self) -> int:
        """Number the terms that occur in sorted order and write the term files; returns how many there are."""
        cached = self._analysis.cache.terms
        used = np.zeros(len(cached), dtype=np.bool_)
        for writer in self._terms.values():
            used |= writer.used_ids(len(cached))
        numbers = np.flatnonzero(used)
        mapping = np.full(len(cached), -1, dtype=np.int32)
        mapping[numbers] = write_vocabulary(self._directory, (cached[number] for number in numbers.tolist()))
        for writer in self._terms.values():
            writer.finish(mapping)
        return len(numbers)

    def _write_vectors(self, name: str, version: str, chunks: int, server: ChromaServer | None) -> None:
        raw_path = self._directory / "vectors.raw"
        shape = (chunks, self._analysis.embedder.dimension)
        raw: NDArray[np.float32] = (
            np.memmap(raw_path, dtype="<f4", mode="r", shape=shape) if chunks else np.zeros(shape, dtype=np.float32)
        )
        uids = np.load(self._directory / "uids.npy", allow_pickle=False)
        self._progress.start(f"{name}: 벡터", chunks)
        write_vectors(self._directory, chroma_name(name, version), uids, raw, server, self._progress.advance)
        # Halves beside the store: the cosine of a chunk that only BM25 found costs a look here instead of a query.
        np.save(self._directory / VECTORS_FILE, raw.astype(np.float16), allow_pickle=False)
        del raw
        raw_path.unlink()
