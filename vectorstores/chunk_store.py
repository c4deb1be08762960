"""Texts and what the user sees of them, one SQLite file a collection: written once, then only read.

The row number of a chunk (``ordinal``, from 0) is its document number in BM25 and its row in the term and vector files.
``uid`` is its id in Chroma: it rises with the ordinal and stays with the chunk from version to version, so that ordinals
may shift when documents are removed while stored vectors keep their ids.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from cachetools import LRUCache
from numpy.typing import NDArray

from utils.knowledge import Chunk, Scalar
from vectorstores.errors import IndexDamaged
from vectorstores.page_ids import PART_MARK, PDF_ID_PREFIX, is_page_chunk, parse_page_chunk_id
from vectorstores.sentences import Span

_FILE = "chunks.sqlite"
_UIDS_FILE = "uids.npy"
_KEPT_ORDINALS = 4_096
_SCHEMA = """
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, origin TEXT NOT NULL,
    type TEXT NOT NULL, domain TEXT NOT NULL, title TEXT NOT NULL, heading TEXT NOT NULL, name TEXT NOT NULL, label TEXT,
    source_name TEXT NOT NULL, source_url TEXT NOT NULL, effective_date TEXT, related_laws BLOB NOT NULL, metadata BLOB NOT NULL
);
CREATE TABLE chunks (
    ordinal INTEGER PRIMARY KEY, uid INTEGER NOT NULL, id TEXT NOT NULL, document INTEGER NOT NULL,
    text TEXT NOT NULL, sentences BLOB NOT NULL
);
"""
_INDEXES = """
CREATE INDEX chunks_of_id ON chunks (id);
CREATE INDEX chunks_of_document ON chunks (document);
CREATE INDEX documents_of_label ON documents (label) WHERE label IS NOT NULL;
CREATE INDEX documents_of_name ON documents (name) WHERE name <> '';
"""
_FIND_CHUNKS = """
SELECT chunks.ordinal, chunks.id, chunks.text, chunks.sentences, documents.id, documents.type, documents.domain,
    documents.title, documents.source_name, documents.source_url, documents.effective_date, documents.related_laws,
    documents.metadata, documents.label
FROM chunks JOIN documents ON documents.number = chunks.document
WHERE chunks.ordinal IN (SELECT value FROM json_each(?))
"""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as stored; ``hash`` is over everything of it that reaches the index."""

    id: str
    hash: bytes
    origin: str
    type: str
    domain: str
    title: str
    heading: str
    name: str
    label: str | None
    source_name: str
    source_url: str
    effective_date: str | None
    related_laws: tuple[str, ...]
    metadata: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as stored; ``uid`` None asks for a new one."""

    id: str
    text: str
    sentences: tuple[Span, ...]
    uid: int | None = None


class ChunkStoreWriter:
    """Writes one collection's documents in order."""

    def __init__(self, directory: Path, next_uid: int) -> None:
        self._connection = sqlite3.connect(directory / _FILE, isolation_level=None)
        # A build that dies is thrown away whole, so nothing needs a journal.
        self._connection.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=8192;" + _SCHEMA
        )
        self._connection.execute("BEGIN")
        self._directory = directory
        self._uids: list[int] = []
        self._documents = 0
        self.next_uid = next_uid

    def add(self, document: DocumentRow, chunks: Sequence[ChunkRow]) -> list[int]:
        """Store a document; returns the uids of its chunks."""
        self._documents += 1
        self._connection.execute(
            "INSERT INTO documents VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                self._documents, document.id, document.hash, document.origin, document.type, document.domain,
                document.title, document.heading, document.name, document.label, document.source_name,
                document.source_url, document.effective_date, orjson.dumps(document.related_laws),
                orjson.dumps(dict(document.metadata)),
            ),
        )  # fmt: skip
        for chunk in chunks:
            uid = self.next_uid if chunk.uid is None else chunk.uid
            self.next_uid = max(self.next_uid, uid + 1)
            spans = np.asarray(chunk.sentences, dtype="<u4").tobytes()
            self._connection.execute(
                "INSERT INTO chunks VALUES (?,?,?,?,?,?)",
                (len(self._uids), uid, chunk.id, self._documents, chunk.text, spans),
            )
            self._uids.append(uid)
        return self._uids[len(self._uids) - len(chunks) :]

    def finish(self) -> tuple[int, int]:
        """Close the store; returns the numbers of documents and chunks."""
        self._connection.executescript(_INDEXES + "ANALYZE;")
        self._connection.close()
        np.save(self._directory / _UIDS_FILE, np.asarray(self._uids, dtype=np.int64), allow_pickle=False)
        return self._documents, len(self._uids)


class ChunkStore:
    """Read side; thread-safe."""

    def __init__(self, directory: Path, collection: str) -> None:
        """Raises `IndexDamaged` when the store is missing or unreadable."""
        self._collection = collection
        self._lock = threading.Lock()
        self._ordinals: LRUCache[str, int] = LRUCache(_KEPT_ORDINALS)  # of the chunks read last, by chunk id
        path = directory / _FILE
        try:
            self._connection = sqlite3.connect(
                f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            self._connection.execute("PRAGMA mmap_size=2147483648")
            self.uids: NDArray[np.int64] = np.load(directory / _UIDS_FILE, allow_pickle=False)
            self.size = int(self._rows("SELECT count(*) FROM chunks")[0][0])
            self.documents = int(self._rows("SELECT count(*) FROM documents")[0][0])
        except (sqlite3.Error, OSError, ValueError, EOFError) as error:
            raise IndexDamaged(f"문서 저장소를 열 수 없습니다 ({path}): {error}") from error
        if self.size != len(self.uids) or np.any(np.diff(self.uids) <= 0):
            raise IndexDamaged(f"문서 저장소와 번호표가 맞지 않습니다 ({path})")

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def chunks(self, ordinals: Sequence[int]) -> list[Chunk]:
        """The chunks of ``ordinals`` in that order; raises IndexError for one that does not exist."""
        wanted = set(ordinals)
        found = {row[0]: self._chunk(row) for row in self._rows(_FIND_CHUNKS, (orjson.dumps(list(wanted)).decode(),))}
        if len(found) != len(wanted):
            raise IndexError(f"no such chunks: {sorted(wanted - found.keys())[:5]}")
        with self._lock:
            self._ordinals.update((chunk.id, ordinal) for ordinal, chunk in found.items())
        return [found[ordinal] for ordinal in ordinals]

    def ordinal_of_chunk(self, chunk_id: str) -> int | None:
        with self._lock:
            known = self._ordinals.get(chunk_id)
        if known is not None:
            return known
        rows = self._rows("SELECT ordinal FROM chunks WHERE id = ? ORDER BY ordinal", (chunk_id,))
        return int(rows[0][0]) if rows else None

    def ordinals_of_document(self, document_id: str) -> list[int]:
        query = (
            "SELECT ordinal FROM chunks WHERE document = (SELECT number FROM documents WHERE id = ?) ORDER BY ordinal"
        )
        return [int(row[0]) for row in self._rows(query, (document_id,))]

    def document_exists(self, document_id: str) -> bool:
        """Whether there is such a document, or one that is a part of it (``id#…``)."""
        query = (
            "SELECT 1 FROM documents WHERE id = ? UNION ALL SELECT 1 FROM documents WHERE id >= ? AND id < ? LIMIT 1"
        )
        after = chr(ord(PART_MARK) + 1)
        return bool(self._rows(query, (document_id, document_id + PART_MARK, document_id + after)))

    def page_documents(self) -> list[tuple[int, Mapping[str, Scalar]]]:
        """``(ordinal, metadata)`` of each chunk of a page of a PDF, in order."""
        query = (
            "SELECT chunks.ordinal, documents.metadata, documents.id, chunks.id FROM documents "
            "JOIN chunks ON chunks.document = documents.number "
            "WHERE documents.id >= ? AND documents.id < ? ORDER BY chunks.ordinal"
        )
        beyond = PDF_ID_PREFIX[:-1] + chr(ord(PDF_ID_PREFIX[-1]) + 1)
        rows = self._rows(query, (PDF_ID_PREFIX, beyond))
        return [(int(row[0]), orjson.loads(row[1])) for row in rows if is_page_chunk(row[2], row[3])]

    def ordinals_of_label(self, label: str) -> list[int]:
        query = "SELECT ordinal FROM chunks WHERE document IN (SELECT number FROM documents WHERE label = ?) ORDER BY ordinal"
        return [int(row[0]) for row in self._rows(query, (label,))]

    def articles_of(self, law: str) -> list[str]:
        """The articles of a statute, its name written as in labels; in no order."""
        query = "SELECT DISTINCT label FROM documents WHERE label >= ? AND label < ?"
        rows = self._rows(query, (f"{law}|", f"{law}}}"))  # } follows | in the order of characters
        return [str(row[0]).partition("|")[2] for row in rows]

    def names(self) -> list[str]:
        """The distinct statute names."""
        return [str(row[0]) for row in self._rows("SELECT DISTINCT name FROM documents WHERE name <> ''")]

    def document_hashes(self) -> dict[str, tuple[bytes, str]]:
        """Document id → (content hash, origin)."""
        return {
            str(row[0]): (bytes(row[1]), str(row[2])) for row in self._rows("SELECT id, hash, origin FROM documents")
        }

    def records(self) -> Iterator[tuple[DocumentRow, list[ChunkRow]]]:
        """Every document with its chunks in order, as they were written."""
        documents = self._connection.execute("SELECT * FROM documents ORDER BY number")
        chunks = self._connection.execute("SELECT document, id, text, sentences, uid FROM chunks ORDER BY ordinal")
        pending = chunks.fetchone()
        for row in documents:
            own: list[ChunkRow] = []
            while pending is not None and pending[0] == row[0]:
                own.append(ChunkRow(pending[1], pending[2], _spans(pending[3]), pending[4]))
                pending = chunks.fetchone()
            yield _document(row), own

    def check(self) -> None:
        """Read the whole file; raises `IndexDamaged` where it is not intact."""
        try:
            rows = self._rows("PRAGMA quick_check")
        except sqlite3.Error as error:
            raise IndexDamaged(f"문서 저장소가 손상되었습니다: {error}") from error
        if rows != [("ok",)]:
            raise IndexDamaged(f"문서 저장소가 손상되었습니다: {rows[0][0]}")

    def _chunk(self, row: Sequence[Any]) -> Chunk:
        metadata = orjson.loads(row[12])
        if is_page_chunk(row[4], row[1]):
            metadata["chunk_index"] = parse_page_chunk_id(row[1])[0]
        return Chunk(
            id=row[1],
            doc_id=row[4],
            collection=self._collection,
            domain=row[6],
            doc_type=row[5],
            title=row[7],
            text=row[2],
            source_name=row[8],
            source_url=row[9],
            effective_date=row[10],
            related_laws=tuple(orjson.loads(row[11])),
            metadata=metadata,
            sentences=_spans(row[3]),
            label=row[13],
        )

    def _rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(query, tuple(parameters)).fetchall()


def _document(row: Sequence[Any]) -> DocumentRow:
    """A row of ``documents``, whose columns after the number are the fields in their order."""
    values = [*row[1:-2], tuple(orjson.loads(row[-2])), orjson.loads(row[-1])]
    return DocumentRow(*values)


def _spans(data: bytes) -> tuple[Span, ...]:
    return tuple((start, end) for start, end in np.frombuffer(data, dtype="<u4").reshape(-1, 2).tolist())
