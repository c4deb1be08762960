"""The interface of a search backend: servers that are connected to, and tables of vectors with a number each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from utils.protocols import FloatMatrix
from vectorstores.backends.server_calls import ServerCalls

_COMPARED_ONE_BY_ONE = 2_000  # a product of matrices that takes less than the call of a graph
BUILD_TIMEOUT = 60.0
"""Seconds one call of a build may take; a batch of vectors needs longer than a query."""

Found = tuple[list[int], list[float]]
"""Uids and their cosines, best first."""


class VectorTable(Protocol):
    """The vectors of one build of a collection. Every method raises `VectorStoreUnavailable`."""

    def add(self, uids: Sequence[int], vectors: FloatMatrix) -> None:
        """Store one vector a uid, shape ``(len(uids), d)``."""

    def finish(self) -> None:
        """Make all that was added searchable."""

    def nearest(self, vectors: FloatMatrix, k: int) -> list[Found]:
        """Return the ``k`` stored vectors nearest to each row of ``vectors``, shape ``(q, d)``."""

    def first(self) -> FloatMatrix:
        """Return a stored vector, shape ``(1, d)``; ``(0, 0)`` of an empty table."""

    def count(self) -> int:
        """Return the number of stored vectors."""

    def uids(self) -> list[int]:
        """Return the uids of all stored vectors; slow for a large table."""


class VectorDatabase(Protocol):
    """An open client. Every method but `close` raises `VectorStoreUnavailable`."""

    def create(self, name: str, dimension: int) -> VectorTable:
        """Create the table of a build."""

    def open(self, name: str) -> VectorTable:
        """Return the table of a build that exists."""

    def drop(self, name: str) -> None:
        """Delete all that is stored of a build; nothing happens where there is none."""

    def close(self) -> None:
        """Give the connection back."""


class VectorServer(Protocol):
    """Where a server is, and what bounds the calls to it; shared by all who search it."""

    calls: ServerCalls

    @property
    def identity(self) -> str:
        """The server as a manifest names it: an index whose vectors are elsewhere is another."""

    def connect(self, timeout: float | None = None) -> VectorDatabase:
        """Return a client whose calls take ``timeout`` seconds at most, the server's own by default.

        Raises `VectorStoreUnavailable` when the server does not greet within its own timeout: that takes no longer for a build.
        """


def build_name(collection: str, version: str) -> str:
    """The name of a build in a search backend."""
    return f"{collection}__{version}"


def asks_store(vectors: int, server: VectorServer | None) -> bool:
    """Return True if so many vectors are searched in their store; False where they are compared one by one."""
    return server is not None or vectors > _COMPARED_ONE_BY_ONE
