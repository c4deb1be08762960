"""Connecting to Chroma: embedded in a directory, or a server whose every call is bounded in time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from utils.config.settings import Settings
from vectorstores.errors import VectorStoreUnavailable

if TYPE_CHECKING:
    from chromadb.api.client import Client as ChromaClient

# Chroma and httpx take a second to import, which an ingest that finds nothing to do does not pay.

BUILD_TIMEOUT = 60.0
"""Seconds one call of a build may take; a batch of vectors needs longer than a query."""


@dataclass(frozen=True, slots=True)
class ChromaServer:
    """Where the server is, and how many seconds one call of a query may take."""

    host: str
    port: int
    timeout: float = 2.0


def chroma_server(settings: Settings) -> ChromaServer | None:
    """The server of ``CHROMA_HOST``; None: embedded."""
    if not settings.chroma_host:
        return None
    return ChromaServer(settings.chroma_host, settings.chroma_port, settings.chroma_timeout)


def embedded_client(directory: Path) -> ChromaClient:
    """A client on the store in ``directory``. Closing it frees the store's files."""
    import chromadb

    with unavailable_on_failure(f"임베디드 Chroma ({directory})"):
        return cast("ChromaClient", chromadb.PersistentClient(path=str(directory), settings=_settings()))


def server_client(server: ChromaServer, timeout: float | None = None) -> ChromaClient:
    """A client of the server; raises `VectorStoreUnavailable` within the timeout when it does not answer."""
    settings = _settings(
        chroma_api_impl="chromadb.api.fastapi.FastAPI",
        chroma_server_host=server.host,
        chroma_server_http_port=server.port,
    )
    with unavailable_on_failure(f"Chroma 서버 {server.host}:{server.port}"):
        return cast("ChromaClient", _bounded_client_class()(settings, timeout or server.timeout))


@contextmanager
def unavailable_on_failure(what: str) -> Iterator[None]:
    """Turn whatever Chroma raises into `VectorStoreUnavailable`."""
    import httpx
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, httpx.HTTPError, OSError, ValueError, RuntimeError, LookupError, AttributeError) as error:
        # AttributeError: how Chroma fails on a damaged embedded store that it has tried to open before
        raise VectorStoreUnavailable(
            f"벡터 저장소를 쓸 수 없습니다: {what}: {error or type(error).__name__}"
        ) from error
    except BaseException as error:
        # A panic in Chroma's native part is not an Exception; a damaged store must degrade, not end the process.
        if type(error).__name__ != "PanicException":
            raise
        raise VectorStoreUnavailable(f"벡터 저장소를 쓸 수 없습니다: {what}: {error}") from error


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

    return BoundedClient
