"""The vectors of one collection in Chroma: written once by a build, then queried.

Chroma holds vectors alone, under the uid of their chunk (see docs/decisions/0002-texts-beside-chroma.md).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.chroma import (
    BUILD_TIMEOUT,
    ChromaServer,
    embedded_client,
    server_client,
    unavailable_on_failure,
)
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.lexical import Ordinals, Scores
from vectorstores.locks import FileLock

if TYPE_CHECKING:
    from chromadb.api.client import Client as ChromaClient

_BATCH = 5_000  # Chroma takes at most 5,461 records a call
_BATCHES_AHEAD = 4  # that wait while the store writes its graph out; 5 MB each with 256 dimensions
# The least that Chroma takes: it writes its graph out with each batch and keeps none in its log, to be inserted once more.
_SYNC_THRESHOLD = 2
_SEARCH_EF = 200  # neighbours HNSW keeps while searching; above the usual candidate pool, so that recall stays near 1
_KNOWN_VECTORS = 1_024  # whose neighbours are kept: 12 bytes each
_FOLDER = "chroma"
_LOCK = "chroma.lock"

Neighbours = tuple[Ordinals, Scores]


def chroma_name(collection: str, version: str) -> str:
    """The Chroma collection of a build."""
    return f"{collection}__{version}"


class VectorWriter:
    """Fills the new collection ``name`` from a thread of its own: the graph grows while the next texts are analysed.

    A context manager; the store is complete once it is left without an error, its graph written out whole. The first
    vectors open it, so a collection that stays empty gets none.
    """

    def __init__(self, directory: Path, name: str, server: ChromaServer | None) -> None:
        self._directory = directory
        self._name = name
        self._server = server
        self._waiting_uids: list[int] = []
        self._waiting: list[FloatMatrix] = []
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vectors")
        self._under_way: deque[Future[None]] = deque()
        self._opened = ExitStack()
        self._collection: Any = None

    def __enter__(self) -> Self:
        return self

    def add(self, uids: Sequence[int], vectors: FloatMatrix) -> None:
        """Take one vector a uid, shape ``(len(uids), d)``; raises `VectorStoreUnavailable` when an earlier call failed."""
        self._waiting_uids.extend(uids)
        self._waiting.append(vectors)
        if len(self._waiting_uids) >= _BATCH:
            self._hand_over()

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        try:
            if failure is None:
                self._hand_over()
                while self._under_way:
                    self._under_way.popleft().result()
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
        with unavailable_on_failure(self._name):
            self._collection = self._collection or self._create()
            for start in range(0, len(uids), _BATCH):
                ids = [str(uid) for uid in uids[start : start + _BATCH]]
                self._collection.add(ids=ids, embeddings=vectors[start : start + _BATCH])

    def _create(self) -> Any:
        client = self._opened.enter_context(_writing_client(self._directory, self._server))
        return client.create_collection(
            self._name,
            configuration={
                "hnsw": {"space": "cosine", "sync_threshold": _SYNC_THRESHOLD, "ef_search": _SEARCH_EF},
            },
            embedding_function=None,
        )


def drop_vectors(name: str, server: ChromaServer) -> None:
    """Delete the collection of a removed build from the server; an embedded one goes with its directory."""
    from chromadb.errors import NotFoundError

    with _closing(server_client(server, BUILD_TIMEOUT)) as client, unavailable_on_failure(name):
        try:
            client.delete_collection(name)
        except NotFoundError:
            return  # the build died before it came this far


class VectorStore:
    """Nearest neighbours in one collection. Connects on first use and again after a failure; thread-safe."""

    def __init__(self, directory: Path, name: str, uids: NDArray[np.int64], server: ChromaServer | None) -> None:
        self._directory = directory
        self._name = name
        self._uids = uids
        self._server = server
        self._guard = threading.Lock()
        self._known: LRUCache[tuple[bytes, int], Neighbours] = LRUCache(_KNOWN_VECTORS)
        self._known_lock = threading.Lock()
        self._client: ChromaClient | None = None
        self._collection: Any = None
        self._lock = self._read_lock() if self._has_store() else None

    def connect(self) -> None:
        """Open the store now; raises `VectorStoreUnavailable`."""
        with self._guard:
            if self._collection is not None or len(self._uids) == 0:
                return
            if self._server is None and not self._has_store():
                # Chroma would create an empty store in its place.
                raise VectorStoreUnavailable(f"벡터 저장소가 없습니다: {self._directory / _FOLDER}")
            client = self._client or self._open_client()
            self._client = client
            with unavailable_on_failure(self._name):
                collection = client.get_collection(self._name, embedding_function=None)
                collection.get(limit=1, include=[])  # reads the graph as counting does, without the interpreter lock
                count = collection.count()
            if count != len(self._uids):
                raise VectorStoreUnavailable(f"벡터 수가 문서 수와 다릅니다: {self._name}: {count} ≠ {len(self._uids)}")
            self._collection = collection

    def _open_client(self) -> ChromaClient:
        if self._server is not None:
            return server_client(self._server)
        self._lock = self._lock or self._read_lock()
        if self._lock is None:
            raise VectorStoreUnavailable(f"다른 프로세스가 쓰고 있는 벡터 저장소입니다: {self._directory}")
        return embedded_client(self._directory / _FOLDER)

    def _has_store(self) -> bool:
        return self._server is None and (self._directory / _FOLDER / "chroma.sqlite3").is_file()

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
        self.connect()
        rows = np.asarray(vectors, dtype=np.float32)
        keys = {row: (rows[row].tobytes(), k) for row in asked}
        with self._known_lock:
            found = {key: self._known[key] for key in keys.values() if key in self._known}
        new = {key: row for row, key in keys.items() if key not in found}
        if new:
            fresh = dict(zip(new, self._nearest(rows[list(new.values())], k), strict=True))
            found |= fresh
            if self._server is None:  # a server that went away is to be noticed
                with self._known_lock:
                    self._known.update(fresh)
        for row, key in keys.items():
            results[row] = found[key]
        return results

    def _nearest(self, vectors: FloatMatrix, k: int) -> list[Neighbours]:
        with unavailable_on_failure(self._name):
            found = self._collection.query(query_embeddings=vectors, n_results=k, include=["distances"])
        return [self._ordinals(*one) for one in zip(found["ids"], found["distances"], strict=True)]

    def _ordinals(self, ids: Sequence[str], distances: Sequence[float]) -> Neighbours:
        uids = np.asarray([int(uid) for uid in ids], dtype=np.int64)
        ordinals = np.minimum(np.searchsorted(self._uids, uids), len(self._uids) - 1)
        if not np.array_equal(self._uids[ordinals], uids):
            raise VectorStoreUnavailable(f"벡터 저장소에 모르는 문서 번호가 있습니다: {self._name}")
        return ordinals, np.float32(1.0) - np.asarray(distances, dtype=np.float32)

    def stored_uids(self) -> set[int]:
        """All uids in the store (for `verify`; slow for a large one)."""
        if len(self._uids) == 0:
            return set()
        self.connect()
        with unavailable_on_failure(self._name):
            return {int(uid) for uid in self._collection.get(include=[])["ids"]}

    def close(self) -> None:
        with self._guard:
            if self._client is not None:
                self._client.close()
            if self._lock is not None:
                self._lock.release()
            self._client = self._collection = self._lock = None


@contextmanager
def _closing(client: ChromaClient) -> Iterator[ChromaClient]:
    try:
        yield client
    finally:
        client.close()


@contextmanager
def _writing_client(directory: Path, server: ChromaServer | None) -> Iterator[ChromaClient]:
    if server is not None:
        with _closing(server_client(server, BUILD_TIMEOUT)) as client:
            yield client
        return
    with FileLock(directory / _LOCK, shared=False), _closing(embedded_client(directory / _FOLDER)) as client:
        yield client
