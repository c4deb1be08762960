"""Forgetting analyses: the cache holds no text, but the terms of every text it ever saw, and those can be names and numbers."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from utils.protocols import BulkAnalyzer, Embedder
from vectorstores.build.analysis_cache import CACHE_SCHEMA, analysis_key, embedding_key
from vectorstores.build.collection_builder import passage_text
from vectorstores.storage.chunk_store import ChunkRow, DocumentRow
from vectorstores.storage.unit_table import StoredUnit, UnitTexts

_TERMS = "SELECT key, ids_and_starts FROM located_terms"
_VECTORS = "SELECT key, vector FROM vectors"


class KeptAnalyses:
    """The keys of what the documents of an index need of the cache."""

    def __init__(self, analyzer: BulkAnalyzer, embedder: Embedder) -> None:
        # it needs langchain, for which an index that is up to date does not wait
        from vectorstores.embedders.unit_encoder import unit_embedder

        self._analyzer_id = analyzer.id
        self._embedder = embedder
        self._unit_embedder = unit_embedder(analyzer)
        self.terms: set[bytes] = set()
        self.vectors: set[bytes] = set()

    def add(self, document: DocumentRow, chunks: Sequence[ChunkRow]) -> None:
        of_units = UnitTexts.of([StoredUnit(document.id, 0, unit) for unit in document.units]).texts
        texts = [document.heading, document.name, *(chunk.text for chunk in chunks), *of_units]
        self.terms.update(analysis_key(self._analyzer_id, text) for text in texts)
        passages = [passage_text(document, chunk) for chunk in chunks]
        self.vectors.update(embedding_key(self._embedder, text) for text in passages)
        self.vectors.update(embedding_key(self._unit_embedder, text) for text in of_units)


def keep_only(path: Path, kept: KeptAnalyses) -> None:
    """Write the cache at ``path`` anew with what is ``kept`` alone; one that cannot be read or written is dropped whole.

    Nobody else may have it open. A new file, as deleted rows would stay readable in the free pages of the old one.
    """
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(part)) as new:
            new.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + CACHE_SCHEMA)
            _copy(old, new, kept)
            new.commit()
        drop(path)
        part.rename(path)
    except (sqlite3.Error, OSError):
        part.unlink(missing_ok=True)
        drop(path)  # everything in it can be made again


def drop(path: Path) -> None:
    """Remove the cache with its journals."""
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink(missing_ok=True)


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, kept: KeptAnalyses) -> None:
    terms = [str(row[0]) for row in old.execute("SELECT term FROM vocabulary ORDER BY id")]
    used = np.zeros(len(terms), dtype=np.bool_)
    located = {key: np.frombuffer(blob, dtype=np.int32).reshape(2, -1) for key, blob in _rows(old, _TERMS, kept.terms)}
    for ids, _ in located.values():
        used[ids] = True
    numbers = np.cumsum(used, dtype=np.int32) - 1
    left = (terms[number] for number in np.flatnonzero(used).tolist())
    new.executemany("INSERT INTO vocabulary VALUES (?,?)", enumerate(left))
    renumbered = ((key, np.stack([numbers[row[0]], row[1]]).tobytes()) for key, row in located.items())
    new.executemany("INSERT INTO located_terms VALUES (?,?)", renumbered)
    new.executemany("INSERT INTO vectors VALUES (?,?)", _rows(old, _VECTORS, kept.vectors))


def _rows(cache: sqlite3.Connection, query: str, keys: Collection[bytes]) -> Iterable[tuple[bytes, bytes]]:
    return ((row[0], row[1]) for row in cache.execute(query) if row[0] in keys)
