"""The vectors of one collection in a search backend: written once by a build, then queried.

It holds vectors alone, under the uid of their chunk (see docs/decisions/0002-texts-beside-chroma.md).
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Self, TypeVar

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from utils.config.provider_settings import VectorBackend
from utils.config.settings import Settings, SettingsError
from utils.protocols import FloatMatrix
from vectorstores.backends.chroma import DATABASE_FILE, ChromaDatabase, ChromaServer, embedded_client, writable
from vectorstores.backends.milvus import MilvusServer
from vectorstores.backends.strays import Strays, find_strays
from vectorstores.backends.vector_table import BUILD_TIMEOUT, VectorDatabase, VectorServer, VectorTable
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.storage.arrays import read_array
from vectorstores.storage.lexical import Ordinals, Scores
from vectorstores.storage.locks import FileLock

_BATCH = 5_000
_BATCHES_AHEAD = 4  # that wait while the store writes its graph out; 5 MB each with 256 dimensions
_FOUND_WITHIN = 10  # neighbours, when a build looks whether a vector is found by itself
_KNOWN_VECTORS = 1_024  # whose neighbours are kept: 12 bytes each
TWINS_FILE = "twins.npy"
"""Uids whose vector is not stored, each beside the uid of the one equal to it that is; shape ``(twins, 2)``."""
_FOLDER = "chroma"
_KEEPS_NO_OPENINGS = """
CREATE TRIGGER IF NOT EXISTS keeps_no_openings BEFORE INSERT ON acquire_write BEGIN SELECT RAISE(IGNORE); END
"""
_LOCK = "chroma.lock"

Neighbours = tuple[Ordinals, Scores]
Result = TypeVar("Result")


def vector_server(settings: Settings) -> VectorServer | None:
    """The server of ``MILVUS_URI`` or ``CHROMA_HOST``, whichever ``VECTOR_BACKEND`` asks for; None: Chroma, embedded.

    Raises `SettingsError` where the client of Milvus is not installed.
    """
    if settings.vector_backend is VectorBackend.MILVUS:
        if find_spec("pymilvus") is None:
            raise SettingsError("VECTOR_BACKEND: Milvus에는 pymilvus가 있어야 합니다. 설치: make install-milvus")
        token = settings.milvus_token
        return MilvusServer(
            settings.milvus_uri or "", token.get_secret_value() if token else "", settings.milvus_timeout
        )
    if not settings.chroma_host:
        return None
    return ChromaServer(settings.chroma_host, settings.chroma_port, settings.chroma_timeout)


class VectorWriter:
    """Fills the new collection ``name`` from a thread of its own: the graph grows while the next texts are analysed.

    A context manager; the store is complete once it is left without an error, its graph written out whole. The first
    vectors open it, so a collection that stays empty gets none.
    """

    def __init__(self, directory: Path, name: str, server: VectorServer | None) -> None:
        self._directory = directory
        self._name = name
        self._server = server
        self._waiting_uids: list[int] = []
        self._waiting: list[FloatMatrix] = []
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vectors")
        self._under_way: deque[Future[None]] = deque()
        self._opened = ExitStack()
        self._table: VectorTable | None = None
        self._first_of: dict[bytes, int] = {}
        self._twins: list[tuple[int, int]] = []

    def __enter__(self) -> Self:
        return self

    def add(self, uids: Sequence[int], vectors: FloatMatrix) -> None:
        """Take one vector a uid, shape ``(len(uids), d)``; raises `VectorStoreUnavailable` when an earlier call failed."""
        rows = [row for row, uid in enumerate(uids) if self._is_first(uid, vectors[row])]
        self._waiting_uids.extend(uids[row] for row in rows)
        self._waiting.append(vectors[rows])
        if len(self._waiting_uids) >= _BATCH:
            self._hand_over()

    def _is_first(self, uid: int, vector: NDArray[np.float32]) -> bool:
        """Return True if no earlier vector is equal. Many equal vectors would link only to each other in the graph."""
        first = self._first_of.setdefault(hashlib.blake2b(vector.tobytes(), digest_size=16).digest(), uid)
        if first != uid:
            self._twins.append((uid, first))
        return first == uid

    def settle(self, uids: NDArray[np.int64], vectors: NDArray[np.float16]) -> None:
        """Store what waits, and note what the graph does not lead to; ``vectors`` are all that were added, a row a uid."""
        self._flush()
        if self._table is None:
            return
        table = self._table
        twins = dict(self._twins)
        stored = np.asarray([twins.get(uid, uid) for uid in uids.tolist()], dtype=np.int64)
        k = min(_FOUND_WITHIN, len(uids) - len(twins))
        find_strays(lambda rows: table.nearest(rows, k), stored, vectors).write(self._directory)

    def _flush(self) -> None:
        self._hand_over()
        while self._under_way:
            self._under_way.popleft().result()
        if self._table is not None:
            self._table.finish()

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        try:
            if failure is None:
                self._flush()
                twins = np.asarray(self._twins, dtype=np.int64).reshape(-1, 2)
                np.save(self._directory / TWINS_FILE, twins, allow_pickle=False)
        finally:
            self._thread.shutdown(cancel_futures=True)
            self._opened.close()

    def _hand_over(self) -> None:
        if not self._waiting_uids:
            return
        self._under_way.append(self._thread.submit(self._store, self._waiting_uids, np.concatenate(self._waiting)))
        self._waiting_uids, self._waiting = [], []
        if len(self._under_way) > _BATCHES_AHEAD:
            self._under_way.popleft().result()

    def _store(self, uids: Sequence[int], vectors: FloatMatrix) -> None:
        if self._table is None:
            database = self._opened.enter_context(_writing_database(self._directory, self._server))
            self._table = database.create(self._name, vectors.shape[1])
        self._table.add(uids, vectors)


def drop_build(name: str, server: VectorServer) -> None:
    """Delete what a server holds of a removed build; an embedded store goes with its directory."""
    with closing(server.connect(BUILD_TIMEOUT)) as database:
        database.drop(name)


class VectorStore:
    """Nearest neighbours in one collection. Connects on first use and again after a failure; thread-safe."""

    def __init__(self, directory: Path, name: str, uids: NDArray[np.int64], server: VectorServer | None) -> None:
        self._directory = directory
        self._name = name
        self._uids = uids
        self._server = server
        self._twins = _read_twins(directory)
        self._strays = Strays.read(directory)
        self._connecting = threading.Lock()
        self._known: LRUCache[tuple[bytes, int], Neighbours] = LRUCache(_KNOWN_VECTORS)
        self._known_lock = threading.Lock()
        self._opened = ExitStack()
        self._database: VectorDatabase | None = None
        self._table: VectorTable | None = None
        self._sample: FloatMatrix | None = None
        self._lock = self._read_lock() if self._has_store() else None

    def check(self) -> None:
        """Search for a stored vector; raises `VectorStoreUnavailable`. Opens the store, and asks a server anew each time."""
        if len(self._uids):
            self._asked(self._find_itself)

    def _find_itself(self) -> None:
        self._connect()
        if self._sample is None or not len(self._nearest(self._sample, 1)[0][0]):
            raise VectorStoreUnavailable(f"벡터 저장소가 아무것도 찾지 못합니다: {self._name}")

    def _asked(self, call: Callable[[], Result]) -> Result:
        """The result of ``call``; a server is called as `ServerCalls` allows."""
        return call() if self._server is None else self._server.calls.run(call)

    def _connect(self) -> VectorTable:
        """The open table."""
        with self._connecting:
            if self._table is None:
                self._table = self._open_table()
            return self._table

    def _open_table(self) -> VectorTable:
        if self._server is None and not self._has_store():
            # Chroma would create an empty store in its place.
            raise VectorStoreUnavailable(f"벡터 저장소가 없습니다: {self._directory / _FOLDER}")
        self._database = self._database or self._open_database()
        table = self._database.open(self._name)
        # before counting, which in Chroma reads the graph as well but keeps the interpreter lock meanwhile
        sample = table.first()
        count = table.count()
        stored = len(self._uids) - sum(map(len, self._twins.values()))
        if count != stored:
            raise VectorStoreUnavailable(f"벡터 수가 문서 수와 다릅니다: {self._name}: {count} ≠ {stored}")
        self._sample = sample
        return table

    def _open_database(self) -> VectorDatabase:
        if self._server is not None:
            return self._server.connect()
        self._lock = self._lock or self._read_lock()
        if self._lock is None:
            raise VectorStoreUnavailable(f"다른 프로세스가 쓰고 있는 벡터 저장소입니다: {self._directory}")
        return ChromaDatabase(embedded_client(self._opened.enter_context(writable(self._directory / _FOLDER))))

    def _has_store(self) -> bool:
        return self._server is None and (self._directory / _FOLDER / DATABASE_FILE).is_file()

    def _read_lock(self) -> FileLock | None:
        """Held while the store is open, so that no build removes it; None while it is being written or removed."""
        try:
            return FileLock(self._directory / _LOCK, shared=True)
        except BlockingIOError:
            return None

    def query(self, vectors: FloatMatrix, k: int) -> list[Neighbours]:
        """The ``k`` nearest of each row of ``vectors`` (shape ``(q, d)``), nearest first: ordinals and cosines, not to be changed.

        One call for all rows that were not asked lately: the clauses of a question and its second attempts mostly were. A zero
        vector (nothing known in the question) has no neighbours.
        """
        empty = np.zeros(0, np.int64), np.zeros(0, np.float32)
        results: list[Neighbours] = [empty] * len(vectors)
        k = min(k, len(self._uids))
        asked = np.flatnonzero(np.any(vectors != 0, axis=1)).tolist()
        if k <= 0 or not asked:
            return results
        rows = np.asarray(vectors, dtype=np.float32)
        keys = {row: (rows[row].tobytes(), k) for row in asked}
        with self._known_lock:
            found = {key: self._known[key] for key in keys.values() if key in self._known}
        new = {key: row for row, key in keys.items() if key not in found}
        if new:
            nearest = self._asked(lambda: self._nearest(rows[list(new.values())], k))
            fresh = dict(zip(new, nearest, strict=True))
            found |= fresh
            if self._server is None:  # a server that went away is to be noticed
                with self._known_lock:
                    self._known.update(fresh)
        for row, key in keys.items():
            results[row] = found[key]
        return results

    def _nearest(self, vectors: FloatMatrix, k: int) -> list[Neighbours]:
        found = self._connect().nearest(vectors, k)
        return [
            self._ordinals(self._strays.among(vector, dict(zip(*neighbours, strict=True))), k)
            for vector, neighbours in zip(vectors, found, strict=True)
        ]

    def _ordinals(self, found: Mapping[int, float], k: int) -> Neighbours:
        """The first ``k`` of what was ``found`` (uid → cosine), each with its twins."""
        every = [(uid, cosine) for stored, cosine in found.items() for uid in (stored, *self._twins.get(stored, ()))]
        uids = np.asarray([uid for uid, _ in every[:k]], dtype=np.int64)
        ordinals = np.minimum(np.searchsorted(self._uids, uids), len(self._uids) - 1)
        if not np.array_equal(self._uids[ordinals], uids):
            raise VectorStoreUnavailable(f"벡터 저장소에 모르는 문서 번호가 있습니다: {self._name}")
        return ordinals, np.asarray([cosine for _, cosine in every[:k]], dtype=np.float32)

    def stored_uids(self) -> set[int]:
        """All uids in the store (for `verify`; slow for a large one)."""
        if len(self._uids) == 0:
            return set()
        return {uid for known in self._connect().uids() for uid in (known, *self._twins.get(known, ()))}

    def close(self) -> None:
        """Give everything back; what is still searching fails."""
        database, lock = self._database, self._lock
        self._database = self._table = self._lock = None
        if database is not None:
            database.close()
        self._opened.close()
        if lock is not None:
            lock.release()


def _read_twins(directory: Path) -> dict[int, list[int]]:
    """The uids that share a stored vector, by the uid it is stored under; none where there is no such file."""
    try:
        pairs = read_array(directory / TWINS_FILE, np.int64).reshape(-1, 2)
    except (OSError, ValueError):
        return {}  # the number of vectors will not fit
    twins: dict[int, list[int]] = {}
    for uid, stored in pairs.tolist():
        twins.setdefault(stored, []).append(uid)
    return twins


@contextmanager
def _writing_database(directory: Path, server: VectorServer | None) -> Iterator[VectorDatabase]:
    if server is not None:
        with closing(server.connect(BUILD_TIMEOUT)) as database:
            yield database
        return
    with FileLock(directory / _LOCK, shared=False):
        with closing(ChromaDatabase(embedded_client(directory / _FOLDER))) as database:
            yield database
        _let_opening_change_nothing(directory / _FOLDER / DATABASE_FILE)


def _let_opening_change_nothing(database: Path) -> None:
    """Chroma adds a row to a table of its own whenever it opens a store: the file would not stay what its checksum says."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(_KEEPS_NO_OPENINGS)
