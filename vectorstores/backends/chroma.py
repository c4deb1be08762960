"""Connecting to Chroma: embedded in a directory, or a server whose every call is bounded in time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from utils.protocols import FloatMatrix
from vectorstores.backends.server_calls import ServerCalls
from vectorstores.backends.vector_table import Found
from vectorstores.errors import VectorServerUnavailable, VectorStoreUnavailable

if TYPE_CHECKING:
    from chromadb.api.client import Client as ChromaClient

# Chroma and httpx take a second to import, which an ingest that finds nothing to do does not pay.

_BATCH = 5_000  # Chroma takes at most 5,461 records a call
# The least that Chroma takes: it writes its graph out with each batch and keeps none in its log, to be inserted once more.
_SYNC_THRESHOLD = 2
_SEARCH_EF = 200  # neighbours HNSW keeps while searching; above the usual candidate pool, so that recall stays near 1
DATABASE_FILE = "chroma.sqlite3"


@dataclass(slots=True)
class ChromaServer:
    """Where the server is, and how many seconds the calls of one question may take; its users share ``calls``."""

    host: str
    port: int
    timeout: float = 2.0
    calls: ServerCalls = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.calls = ServerCalls(self.timeout)

    @property
    def identity(self) -> str:
        return f"server {self.host}:{self.port}"

    def connect(self, timeout: float | None = None) -> ChromaDatabase:
        return ChromaDatabase(server_client(self, timeout))


class ChromaDatabase:
    """An open client of Chroma, embedded or a server."""

    def __init__(self, client: ChromaClient) -> None:
        self._client = client

    def create(self, name: str, dimension: int) -> ChromaTable:
        """Create a table; Chroma takes the ``dimension`` from the first vectors."""
        configuration = {"space": "cosine", "sync_threshold": _SYNC_THRESHOLD, "ef_search": _SEARCH_EF}
        with unavailable_on_failure(name):
            created = self._client.create_collection(
                name, configuration=cast("Any", {"hnsw": configuration}), embedding_function=None
            )
        return ChromaTable(name, created)

    def open(self, name: str) -> ChromaTable:
        with unavailable_on_failure(name):
            return ChromaTable(name, self._client.get_collection(name, embedding_function=None))

    def drop(self, name: str) -> None:
        from chromadb.errors import NotFoundError

        with unavailable_on_failure(name):
            try:
                self._client.delete_collection(name)
            except NotFoundError:
                return  # the build died before it came this far

    def close(self) -> None:
        self._client.close()


class ChromaTable:
    """The collection of a build in Chroma."""

    def __init__(self, name: str, collection: Any) -> None:
        self._name = name
        self._collection = collection

    def add(self, uids: Sequence[int], vectors: FloatMatrix) -> None:
        with unavailable_on_failure(self._name):
            for start in range(0, len(uids), _BATCH):
                ids = [str(uid) for uid in uids[start : start + _BATCH]]
                self._collection.add(ids=ids, embeddings=vectors[start : start + _BATCH])

    def finish(self) -> None:
        """Do nothing: what Chroma has stored is found."""

    def nearest(self, vectors: FloatMatrix, k: int) -> list[Found]:
        with unavailable_on_failure(self._name):
            found = self._collection.query(query_embeddings=vectors, n_results=k, include=["distances"])
        return [
            ([int(uid) for uid in ids], (np.float32(1.0) - np.asarray(distances, dtype=np.float32)).tolist())
            for ids, distances in zip(found["ids"], found["distances"], strict=True)
        ]

    def first(self) -> FloatMatrix:
        with unavailable_on_failure(self._name):
            first = self._collection.get(limit=1, include=["embeddings"])
        vectors: FloatMatrix = np.asarray(first["embeddings"], dtype=np.float32)
        return vectors

    def count(self) -> int:
        with unavailable_on_failure(self._name):
            return int(self._collection.count())

    def uids(self) -> list[int]:
        with unavailable_on_failure(self._name):
            return [int(uid) for uid in self._collection.get(include=[])["ids"]]


def embedded_client(directory: Path) -> ChromaClient:
    """A client on the store in ``directory``. Closing it frees the store's files."""
    import chromadb

    with unavailable_on_failure(f"임베디드 Chroma ({directory})"):
        return cast("ChromaClient", chromadb.PersistentClient(path=str(directory), settings=_settings()))


@contextmanager
def writable(directory: Path) -> Iterator[Path]:
    """The store in ``directory``, or what stands in for it where nothing can be written.

    Chroma writes to its database when it only reads. The stand-in is a copy of that file in a temporary folder, with links
    to the graphs, which are large and are only read.
    """
    if os.access(directory, os.W_OK) and os.access(directory / DATABASE_FILE, os.W_OK):
        yield directory
        return
    with TemporaryDirectory(prefix="bizi-vectors-") as folder:
        stand_in = Path(folder)
        for part in directory.iterdir():
            if part.is_dir():
                (stand_in / part.name).symlink_to(part.resolve(), target_is_directory=True)
            else:
                shutil.copyfile(part, stand_in / part.name)
        yield stand_in


def server_client(server: ChromaServer, timeout: float | None = None) -> ChromaClient:
    """A client of the server whose calls take ``timeout`` seconds at most, the server's own by default.

    Raises `VectorStoreUnavailable` when the server does not greet within its own timeout: that takes no longer for a build.
    """
    settings = _settings(
        chroma_api_impl="chromadb.api.fastapi.FastAPI",
        chroma_server_host=server.host,
        chroma_server_http_port=server.port,
    )
    with unavailable_on_failure(f"Chroma 서버 {server.host}:{server.port}"):
        client = _bounded_client_class()(settings, server.timeout)
        client.allow(timeout or server.timeout)
        return cast("ChromaClient", client)


@contextmanager
def unavailable_on_failure(what: str) -> Iterator[None]:
    """Turn whatever Chroma raises into `VectorStoreUnavailable`, of a server that failed `VectorServerUnavailable`."""
    try:
        yield
    except VectorStoreUnavailable:
        raise
    except Exception as error:
        # of any kind: AttributeError and TypeError come from a damaged store, a bare Exception from a proxy's error page
        kind = VectorServerUnavailable if _is_http_failure(error) else VectorStoreUnavailable
        raise kind(f"벡터 저장소를 쓸 수 없습니다: {what}: {error or type(error).__name__}") from error
    except BaseException as error:
        # A panic in Chroma's native part is not an Exception; a damaged store must degrade, not end the process.
        if type(error).__name__ != "PanicException":
            raise
        raise VectorStoreUnavailable(f"벡터 저장소를 쓸 수 없습니다: {what}: {error}") from error


def _is_http_failure(error: BaseException) -> bool:
    """Return True if no response came, or one that only a broken server sends; Chroma wraps both in its own errors."""
    import httpx
    from chromadb.errors import ChromaError

    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, httpx.HTTPStatusError):
            return not isinstance(error, ChromaError) or seen.response.status_code >= 500
        if isinstance(seen, httpx.HTTPError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _settings(**values: Any) -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False, **values)


def _bounded_client_class() -> Any:
    import httpx
    from chromadb.api.client import Client

    class BoundedClient(Client):
        """Chroma's HTTP client waits for ever; both its sessions get a timeout before their first call."""

        def __init__(self, settings: Any, timeout: float) -> None:
            self._timeout = httpx.Timeout(timeout)
            super().__init__(settings=settings)

        def get_user_identity(self) -> Any:
            self._server._session.timeout = self._timeout  # type: ignore[attr-defined]
            return super().get_user_identity()

        def _validate_tenant_database(self, tenant: str, database: str) -> None:
            self._admin_client._server._session.timeout = self._timeout  # type: ignore[attr-defined]
            super()._validate_tenant_database(tenant, database)

        def allow(self, timeout: float) -> None:
            """Give the calls from here on ``timeout`` seconds each."""
            self._server._session.timeout = httpx.Timeout(timeout)  # type: ignore[attr-defined]

    return BoundedClient
