"""Texts and what the user sees of them, one SQLite file a collection: written once, then only read.

The row number of a chunk (``ordinal``, from 0) is its document number in BM25 and its row in the term and vector files.
``uid`` is its id in Chroma: it rises with the ordinal and stays with the chunk from version to version, so that ordinals
may shift when documents are removed while stored vectors keep their ids.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

import numpy as np
import orjson
from cachetools import LRUCache
from numpy.typing import NDArray

from schemas.chat import Scalar
from utils.documents import Chunk, is_web_address
from utils.knowledge.unit_records import unit_of, unit_record
from utils.knowledge.units import AnswerUnit
from utils.korean.sentence_spans import Span
from vectorstores.errors import IndexDamaged, unreadable_as
from vectorstores.integrity.damage_messages import MENDED
from vectorstores.storage.arrays import read_array
from vectorstores.storage.page_ids import PART_MARK, PDF_ID_PREFIX, is_page_chunk, parse_page_chunk_id

_FILE = "chunks.sqlite"
_UIDS_FILE = "uids.npy"
_KEPT_ORDINALS = 4_096
_SCHEMA = """
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, origin TEXT NOT NULL,
    type TEXT NOT NULL, domain TEXT NOT NULL, title TEXT NOT NULL, heading TEXT NOT NULL, name TEXT NOT NULL, label TEXT,
    source_name TEXT NOT NULL, source_url TEXT NOT NULL, effective_date TEXT, related_laws BLOB NOT NULL, metadata BLOB NOT NULL,
    units BLOB NOT NULL
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
    documents.metadata, documents.label, documents.units <> CAST('[]' AS BLOB)
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
    units: tuple[AnswerUnit, ...] = ()


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
            "INSERT INTO documents VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                self._documents, document.id, document.hash, document.origin, document.type, document.domain,
                document.title, document.heading, document.name, document.label, document.source_name,
                document.source_url, document.effective_date, orjson.dumps(document.related_laws),
                orjson.dumps(dict(document.metadata)), orjson.dumps([unit_record(unit) for unit in document.units]),
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

    def abandon(self) -> None:
        """Close the store as it is; nobody will read it."""
        self._connection.close()

    @property
    def uids(self) -> NDArray[np.int64]:
        """Of the chunks so far, in order."""
        return np.asarray(self._uids, dtype=np.int64)

    def finish(self) -> tuple[int, int]:
        """Close the store; returns the numbers of documents and chunks."""
        self._connection.executescript(_INDEXES + "ANALYZE;")
        self._connection.close()
        np.save(self._directory / _UIDS_FILE, self.uids, allow_pickle=False)
        return self._documents, len(self._uids)


class ChunkStore:
    """Read side; thread-safe."""

    def __init__(
        self, collection: str, connection: sqlite3.Connection, uids: NDArray[np.int64], address: str = ""
    ) -> None:
        """Raises `IndexDamaged` when the store cannot be read, or is not that of ``uids``."""
        self._collection = collection
        self._address = address
        self._connection = connection
        self._lock = threading.Lock()
        self._ordinals: LRUCache[str, int] = LRUCache(_KEPT_ORDINALS)  # of the chunks read last, by chunk id
        self.uids = uids
        self.size = int(self._rows("SELECT count(*) FROM chunks")[0][0])
        self.documents = int(self._rows("SELECT count(*) FROM documents")[0][0])
        if self.size != len(uids) or np.any(np.diff(uids) <= 0):
            raise IndexDamaged(f"{collection}: 문서 저장소와 번호표가 맞지 않습니다. {MENDED}")

    @classmethod
    def open(cls, directory: Path, collection: str) -> Self:
        """Raises `IndexDamaged` when the store is missing or unreadable."""
        address = f"{(directory / _FILE).resolve().as_uri()}?mode=ro&immutable=1"
        with unreadable_as(IndexDamaged, f"{collection}: 문서 저장소를 열 수 없습니다. {MENDED}"):
            connection = sqlite3.connect(address, uri=True, check_same_thread=False)
            try:
                connection.execute("PRAGMA mmap_size=2147483648")
                return cls(collection, connection, read_array(directory / _UIDS_FILE, np.int64), address)
            except BaseException:
                connection.close()
                raise

    @classmethod
    def empty(cls, collection: str) -> Self:
        """Hold nothing, and touch no file."""
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.executescript(_SCHEMA)
        return cls(collection, connection, np.zeros(0, dtype=np.int64))

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def chunks(self, ordinals: Sequence[int]) -> list[Chunk]:
        """The chunks of ``ordinals`` in that order; raises IndexError for one that does not exist, and `IndexDamaged`."""
        wanted = set(ordinals)
        if unknown := [ordinal for ordinal in wanted if not 0 <= ordinal < self.size]:
            raise IndexError(f"no such chunks: {sorted(unknown)[:5]}")
        rows = self._rows(_FIND_CHUNKS, (orjson.dumps(list(wanted)).decode(),))
        with self._readable():
            found = {row[0]: self._chunk(row) for row in rows}
        if found.keys() != wanted:
            raise IndexDamaged(f"{self._collection}: 문서 저장소에 빠진 것이 있습니다. {MENDED}")
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
        """Return True if the store holds this document, or a part of it (``id#…``)."""
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
        with self._readable():
            return [(int(row[0]), orjson.loads(row[1])) for row in rows if is_page_chunk(row[2], row[3])]

    def ordinals_of_label(self, label: str) -> list[int]:
        query = "SELECT ordinal FROM chunks WHERE document IN (SELECT number FROM documents WHERE label = ?) ORDER BY ordinal"
        return [int(row[0]) for row in self._rows(query, (label,))]

    def articles_of(self, law: str) -> list[str]:
        """The articles of a statute, its name written as in labels; in no order."""
        query = "SELECT DISTINCT label FROM documents WHERE label >= ? AND label < ?"
        rows = self._rows(query, (f"{law}|", f"{law}}}"))  # } follows | in the order of characters
        return [str(row[0]).partition("|")[2] for row in rows]

    def labelled_documents(self) -> Iterator[tuple[str, str, Mapping[str, Scalar], list[str]]]:
        """``(label, heading, metadata, texts of the passages)`` of each statute article. Raises `IndexDamaged`."""
        query = (
            "SELECT documents.number, documents.label, documents.heading, documents.metadata, chunks.text FROM documents "
            "JOIN chunks ON chunks.document = documents.number WHERE documents.label IS NOT NULL ORDER BY chunks.ordinal"
        )
        with self._readable():
            for _, group in groupby(self._connection.execute(query), key=itemgetter(0)):
                rows = list(group)
                yield rows[0][1], rows[0][2], orjson.loads(rows[0][3]), [row[4] for row in rows]

    def documents_of_units(self) -> Iterator[tuple[str, list[AnswerUnit]]]:
        """``(id, units)`` of each document that is cut into answer units. Raises `IndexDamaged`."""
        rows = self._rows("SELECT id, units FROM documents WHERE units <> CAST('[]' AS BLOB)")
        with self._readable():
            for document_id, units in rows:
                yield document_id, [unit_of(record) for record in orjson.loads(units)]

    def names(self) -> list[str]:
        """The distinct statute names."""
        return [str(row[0]) for row in self._rows("SELECT DISTINCT name FROM documents WHERE name <> ''")]

    def document_hashes(self) -> dict[str, tuple[bytes, str]]:
        """Document id → (content hash, origin)."""
        return {
            str(row[0]): (bytes(row[1]), str(row[2])) for row in self._rows("SELECT id, hash, origin FROM documents")
        }

    def records(self) -> Iterator[tuple[DocumentRow, list[ChunkRow]]]:
        """Every document with its chunks in order, as they were written. Raises `IndexDamaged`."""
        with self._readable():
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
        rows = self._rows("PRAGMA quick_check")
        if rows != [("ok",)]:
            raise IndexDamaged(f"{self._collection}: 문서 저장소가 손상되었습니다: {rows[0][0]}")

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
            source_url=row[9] if is_web_address(row[9]) else "",
            effective_date=row[10],
            related_laws=tuple(orjson.loads(row[11])),
            metadata=metadata,
            sentences=_spans(row[3]),
            label=row[13],
            has_units=bool(row[14]),
        )

    def scan(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query that may read the whole of ``documents``; no search waits for it. Raises `IndexDamaged`."""
        if not self._address:
            return self._rows(query, parameters)
        with self._readable(), closing(sqlite3.connect(self._address, uri=True)) as connection:
            return connection.execute(query, tuple(parameters)).fetchall()

    def _rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._readable():
            return self._connection.execute(query, tuple(parameters)).fetchall()

    def _readable(self) -> AbstractContextManager[None]:
        return unreadable_as(IndexDamaged, f"{self._collection}: 문서 저장소를 읽을 수 없습니다. {MENDED}")


def _document(row: Sequence[Any]) -> DocumentRow:
    """A row of ``documents``, whose columns after the number are the fields in their order."""
    laws, metadata, units = map(orjson.loads, row[-3:])
    values = [*row[1:-3], tuple(laws), metadata, tuple(map(unit_of, units))]
    return DocumentRow(*values)


def _spans(data: bytes) -> tuple[Span, ...]:
    return tuple((start, end) for start, end in np.frombuffer(data, dtype="<u4").reshape(-1, 2).tolist())
