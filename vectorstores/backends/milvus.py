"""Tables in Milvus: vectors of the chunks, and for each BM25 index the weights of its items as sparse vectors.

Written against the client's interface of Milvus 2.4 and later. Search asks for no consistency: a build is complete before its
version is named, and never changes after.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.backends.server_calls import ServerCalls
from vectorstores.backends.vector_table import Found
from vectorstores.errors import VectorServerUnavailable, VectorStoreUnavailable
from vectorstores.storage.lexical import Ordinals, Scores
from vectorstores.storage.ragged import TermIds

if TYPE_CHECKING:
    from pymilvus import MilvusClient

# The client imports pandas and gRPC, two seconds that nobody pays who searches with Chroma.

MOST_RESULTS = 16_384
"""Milvus gives no more results for one query."""

Result = TypeVar("Result")
_BATCH = 1_000  # rows of one call: 4 MB with 1,024 dimensions, of the 64 that a server takes
_NEIGHBOURS, _BUILD_EF, _SEARCH_EF = 16, 100, 200  # of HNSW, as Chroma builds and searches it
_NO_COLLECTION, _NOT_LOADED = 100, 101
_DENSE = "vectors"
SPARSE = ("terms", "groups", "contexts")
"""The tables of BM25 weights: of chunks, of their groups, and of what others say of them."""


@dataclass(slots=True)
class MilvusServer:
    """Where the server is, and how many seconds the calls of one question may take; its users share ``calls``."""

    uri: str
    token: str = field(default="", repr=False)
    timeout: float = 2.0
    calls: ServerCalls = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.calls = ServerCalls(self.timeout)

    @property
    def identity(self) -> str:
        return f"milvus {self.uri}"

    def connect(self, timeout: float | None = None) -> MilvusDatabase:
        from pymilvus import MilvusClient

        # every failure is raised, and logged by who decides what it means; the client would log a traceback besides
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        with _unavailable_on_failure(self.uri):
            client = MilvusClient(self.uri, token=self.token, timeout=self.timeout)
        return MilvusDatabase(client, timeout or self.timeout)


class MilvusDatabase:
    """An open client."""

    def __init__(self, client: MilvusClient, timeout: float) -> None:
        self._client = client
        self._timeout = timeout

    def create(self, name: str, dimension: int) -> MilvusTable:
        from pymilvus import DataType

        parameters = {"M": _NEIGHBOURS, "efConstruction": _BUILD_EF}
        index = {"index_type": "HNSW", "metric_type": "COSINE", "params": parameters}
        return MilvusTable(self._created(_table(name, _DENSE), DataType.FLOAT_VECTOR, index, dim=dimension))

    def open(self, name: str) -> MilvusTable:
        return MilvusTable(self._opened(_table(name, _DENSE)))

    def create_weights(self, name: str, kind: str) -> WeightTable:
        """Create the table ``kind`` (of `SPARSE`) of a build."""
        from pymilvus import DataType

        index = {"index_type": "SPARSE_INVERTED_INDEX", "metric_type": "IP"}
        return WeightTable(self._created(_table(name, kind), DataType.SPARSE_FLOAT_VECTOR, index))

    def open_weights(self, name: str, kind: str) -> WeightTable:
        """Return the table ``kind`` of a build that exists."""
        return WeightTable(self._opened(_table(name, kind)))

    def _created(self, table: str, kind: Any, index: Mapping[str, Any], **field_options: int) -> _Rows:
        from pymilvus import DataType

        schema = self._client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("id", DataType.INT64, is_primary=True)
        schema.add_field("vector", kind, **field_options)
        indexes = self._client.prepare_index_params()
        indexes.add_index("vector", **index)
        with _unavailable_on_failure(table):
            self._client.create_collection(table, schema=schema, index_params=indexes, timeout=self._timeout)
        return _Rows(self._client, table, self._timeout)

    def _opened(self, table: str) -> _Rows:
        rows = _Rows(self._client, table, self._timeout)
        rows.load()
        return rows

    def drop(self, name: str) -> None:
        for kind in (_DENSE, *SPARSE):
            with _unavailable_on_failure(name):
                self._client.drop_collection(_table(name, kind), timeout=self._timeout)

    def close(self) -> None:
        self._client.close()


class _Rows:
    """A collection of Milvus: rows of an id and a vector."""

    def __init__(self, client: MilvusClient, name: str, timeout: float) -> None:
        self._client = client
        self._name = name
        self._timeout = timeout
        self._is_changed = False

    def load(self) -> None:
        """Have the server load the rows, which a restart may have put away."""
        with _unavailable_on_failure(self._name):
            self._client.load_collection(self._name, timeout=self._timeout)

    def insert(self, rows: Iterable[tuple[int, Any]]) -> None:
        rows = iter(rows)
        while batch := [{"id": number, "vector": vector} for number, vector in islice(rows, _BATCH)]:
            with _unavailable_on_failure(self._name):
                self._client.insert(self._name, batch, timeout=self._timeout)
            self._is_changed = True

    def finish(self) -> None:
        if not self._is_changed:
            return
        with _unavailable_on_failure(self._name):
            self._client.flush(self._name, timeout=self._timeout)
        self.load()
        self.count()
        self._is_changed = False

    def count(self) -> int:
        """Return the number of rows, of all that were inserted before this call."""
        counted = self._query(filter="", output_fields=["count(*)"], consistency_level="Strong")
        return int(counted[0]["count(*)"])

    def first(self) -> list[Any]:
        return [row["vector"] for row in self._query(filter="id >= 0", output_fields=["vector"], limit=1)]

    def ids(self) -> list[int]:
        found: list[int] = []
        with _unavailable_on_failure(self._name):
            pages = self._client.query_iterator(
                self._name, filter="id >= 0", output_fields=["id"], batch_size=10_000, timeout=self._timeout
            )
            while page := pages.next():
                found += [int(row["id"]) for row in page]
            pages.close()
        return found

    def search(self, vectors: Iterable[Any], k: int, **options: Any) -> list[list[tuple[int, float]]]:
        """Return of each vector the ids of the best rows and their similarity, best first."""

        def once() -> list[list[tuple[int, float]]]:
            found = self._client.search(
                self._name,
                data=list(vectors),
                anns_field="vector",
                limit=k,
                output_fields=["id"],
                consistency_level="Eventually",
                timeout=self._timeout,
                retry_times=0,  # of searching again the caller decides
                **options,
            )
            return [[(int(hit["id"]), float(hit["distance"])) for hit in hits] for hits in found]

        return self._when_loaded(once)

    def _query(self, **asked: Any) -> list[dict[str, Any]]:
        def once() -> list[dict[str, Any]]:
            return list(self._client.query(self._name, timeout=self._timeout, **asked))

        return self._when_loaded(once)

    def _when_loaded(self, call: Callable[[], Result]) -> Result:
        from pymilvus import MilvusException

        with _unavailable_on_failure(self._name):
            try:
                return call()
            except MilvusException as error:
                if error.code != _NOT_LOADED:
                    raise
                self._client.load_collection(self._name, timeout=self._timeout)
                return call()


class MilvusTable:
    """The vectors of a build."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows

    def add(self, uids: Sequence[int], vectors: FloatMatrix) -> None:
        self._rows.insert(zip(uids, vectors, strict=True))

    def finish(self) -> None:
        self._rows.finish()

    def nearest(self, vectors: FloatMatrix, k: int) -> list[Found]:
        found = self._rows.search(vectors, min(k, MOST_RESULTS), search_params={"params": {"ef": max(_SEARCH_EF, k)}})
        return [([uid for uid, _ in ranked], [cosine for _, cosine in ranked]) for ranked in found]

    def first(self) -> FloatMatrix:
        vectors: FloatMatrix = np.asarray(self._rows.first(), dtype=np.float32)
        return vectors if vectors.size else vectors.reshape(0, 0)

    def count(self) -> int:
        return self._rows.count()

    def uids(self) -> list[int]:
        return self._rows.ids()


class WeightTable:
    """The weights of the terms of each item: the inner product with those of a question's terms is the item's score."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows

    def add(self, items: Iterable[tuple[int, TermIds, Scores]]) -> None:
        """Store of each item its number, the ids of its terms and their weights, of which none is 0."""
        self._rows.insert(
            (number, dict(zip(ids.tolist(), weights.tolist(), strict=True))) for number, ids, weights in items
        )

    def finish(self) -> None:
        """Make all that was added searchable."""
        self._rows.finish()

    def best(
        self, questions: Sequence[Mapping[int, float]], k: int, among: NDArray[np.int64] | None = None
    ) -> list[tuple[Ordinals, Scores]]:
        """Return the ``k`` best items of each question (term id → weight), best first: their numbers and scores, above 0.

        ``among`` leaves out all other items. Raises `VectorStoreUnavailable`.
        """
        results = [(np.zeros(0, np.int64), np.zeros(0, np.float32)) for _ in questions]
        asked = [place for place, question in enumerate(questions) if question]
        if not asked or k <= 0 or (among is not None and not len(among)):
            return results
        chosen = {} if among is None else {"filter": f"id in {among.tolist()}"}
        vectors = [dict(questions[place]) for place in asked]
        for place, ranked in zip(asked, self._rows.search(vectors, min(k, MOST_RESULTS), **chosen), strict=True):
            numbers = np.asarray([number for number, _ in ranked], dtype=np.int64)
            results[place] = numbers, np.asarray([score for _, score in ranked], dtype=np.float32)
        return results


def _table(name: str, kind: str) -> str:
    """The collection of Milvus for a part of a build; its names have letters, digits and underscores."""
    return f"{re.sub(r'[^0-9A-Za-z_]', '_', name)}_{kind}"


@contextmanager
def _unavailable_on_failure(what: str) -> Iterator[None]:
    """Turn whatever the client raises into `VectorServerUnavailable`, or `VectorStoreUnavailable` of a table that is missing."""
    try:
        yield
    except VectorStoreUnavailable:
        raise
    except Exception as error:  # gRPC's and the client's own; TypeError and ValueError from what a broken server sends
        kind = VectorStoreUnavailable if getattr(error, "code", None) == _NO_COLLECTION else VectorServerUnavailable
        message = getattr(error, "message", "") or str(error) or type(error).__name__
        raise kind(f"벡터 저장소를 쓸 수 없습니다: {what}: {message}") from error
