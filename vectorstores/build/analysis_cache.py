"""Terms and vectors by content: what was analysed once is never analysed again, in whatever file or version it stands.

One SQLite file in DATA_DIR/cache. Terms are kept as ids into the cache's own growing vocabulary; a key is a hash over the
tokenizer's or embedder's id and the text, so another tokenizer finds nothing. Each batch is committed as it is made: a build
that is killed loses the two or three under way.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from utils.protocols import AnalyzedText, BulkAnalyzer, Embedder, FloatMatrix
from vectorstores.storage.ragged import TermIds

CACHE_SCHEMA = """
CREATE TABLE IF NOT EXISTS vocabulary (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
DROP TABLE IF EXISTS terms;  -- of versions that kept no places
CREATE TABLE IF NOT EXISTS located_terms (key BLOB PRIMARY KEY, ids_and_starts BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL);
"""
# Keys are random: a small index beside rows in the order of their arrival keeps each batch's pages together.
_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536;"
_VECTORS_AT_ONCE = 256  # embedded before they are kept: a model may take a minute for as many

_FIND_TERMS = "SELECT ids_and_starts FROM located_terms WHERE key = ?"
_FIND_VECTOR = "SELECT vector FROM vectors WHERE key = ?"


class AnalysisCache:
    """Used by one build at a time (the build lock sees to that), by several threads of it."""

    def __init__(self, path: Path) -> None:
        """Open the cache; a damaged one is replaced by an empty one, since everything in it can be made again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._open(path)
        except sqlite3.DatabaseError:
            for part in path.parent.glob(path.name + "*"):
                part.unlink()
            self._open(path)

    def _open(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._lock = threading.Lock()
        self._connection.executescript(_PRAGMAS + CACHE_SCHEMA)
        self.terms = [str(row[0]) for row in self._connection.execute("SELECT term FROM vocabulary ORDER BY id")]
        self._ids = _TermIds(self.terms)

    def close(self) -> None:
        self._connection.close()

    def located_ids(self, texts: Sequence[str], analyzer: BulkAnalyzer) -> list[TermIds]:
        """The terms of each text, in order: shape ``(2, terms)``, the cache's ids and where in the text each one stands."""
        keys = [analysis_key(analyzer.id, text) for text in texts]
        found = {
            key: np.frombuffer(blob, dtype=np.int32).reshape(2, -1)
            for key, blob in self._found(_FIND_TERMS, keys).items()
        }
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            located = dict(zip(missing, analyzer.located_many(missing.values()), strict=True))
            with self._lock, self._connection:
                before = len(self.terms)
                fresh = {
                    key: np.array([[self._ids[term] for term in analysis.terms], analysis.starts], dtype=np.int32)
                    for key, analysis in located.items()
                }
                new_terms = enumerate(self.terms[before:], start=before)
                self._connection.executemany("INSERT INTO vocabulary VALUES (?,?)", new_terms)
                rows = ((key, row.tobytes()) for key, row in fresh.items())
                self._connection.executemany("INSERT OR REPLACE INTO located_terms VALUES (?,?)", rows)
            found |= fresh
        return [found[key] for key in keys]

    def vectors(self, items: Sequence[AnalyzedText], embedder: Embedder) -> FloatMatrix:
        """Unit vectors of the items, shape ``(len(items), dimension)``."""
        keys = [embedding_key(embedder, item.text) for item in items]
        found = {
            key: np.frombuffer(vector, dtype=np.float32) for key, vector in self._found(_FIND_VECTOR, keys).items()
        }
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in found}
        if missing:
            new = list(missing)
            for start in range(0, len(new), _VECTORS_AT_ONCE):
                some = new[start : start + _VECTORS_AT_ONCE]
                fresh = dict(zip(some, embedder.embed_passages([missing[key] for key in some]), strict=True))
                with self._lock, self._connection:
                    rows = ((key, vector.astype(np.float32).tobytes()) for key, vector in fresh.items())
                    self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?,?)", rows)
                found |= fresh
        matrix = np.empty((len(keys), embedder.dimension), dtype=np.float32)
        for row, key in enumerate(keys):
            matrix[row] = found[key]
        return matrix

    def _found(self, query: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with self._lock:
            for key in dict.fromkeys(keys):
                row = self._connection.execute(query, (key,)).fetchone()
                if row is not None:
                    found[key] = row[0]
        return found


class _TermIds(dict[str, int]):
    """Term → its place in ``terms``, where a new term is appended."""

    def __init__(self, terms: list[str]) -> None:
        super().__init__((term, number) for number, term in enumerate(terms))
        self._terms = terms

    def __missing__(self, term: str) -> int:
        self[term] = len(self._terms)
        self._terms.append(term)
        return self[term]


def analysis_key(analyzer_id: str, text: str) -> bytes:
    """The key of the terms of a text."""
    return _key(analyzer_id, text)


def embedding_key(embedder: Embedder, text: str) -> bytes:
    """The key of the vector of a text; a provider may change what a model's name stands for, so the dimension counts."""
    return _key(f"{embedder.id}/{embedder.dimension}", text)


def _key(maker: str, text: str) -> bytes:
    return hashlib.blake2b(f"{maker}\0{text}".encode(), digest_size=16).digest()
