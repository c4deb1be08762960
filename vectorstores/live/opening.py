"""Open the index in a background thread during start-up; reading the vector files releases the GIL.

The packages it needs are imported before, by who begins it: heavy packages break when two threads import them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import bm25s  # noqa: F401
import overrides

from vectorstores.errors import VectorStoreUnavailable
from vectorstores.index import KnowledgeIndex
from vectorstores.live.index_store import IndexStore

Method = TypeVar("Method", bound=Callable[..., object])


def _marked(method: Method) -> Method:
    setattr(method, "__override__", True)  # noqa: B010 - what the package itself sets
    return method


@contextmanager
def _without_checks() -> Iterator[None]:
    """Have ``@override`` mark a method and no more. Chroma's developers check by it that their methods fit, at each import: by reading the
    bytecode around each, which is a tenth of a start."""
    kept = overrides.override, overrides.overrides
    overrides.override = overrides.overrides = _marked  # type: ignore[assignment]
    try:
        yield
    finally:
        overrides.override, overrides.overrides = kept


def _import_chroma() -> None:
    """Four hundred modules, which an index of few chunks does not need: its vectors are compared one by one."""
    with _without_checks():
        import chromadb.api.rust  # noqa: F401


def open_in_background(store: IndexStore) -> Future[KnowledgeIndex]:
    """Open the current version in a thread, with its vectors connected. The result raises as `IndexStore.open_current`."""
    if store.asks_chroma():
        _import_chroma()
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="opening")
    try:
        return thread.submit(open_connected, store)
    finally:
        thread.shutdown(wait=False)


def open_connected(store: IndexStore, before: KnowledgeIndex | None = None) -> KnowledgeIndex:
    """Open the current version and connect its vectors, so that no search waits for them.

    Raises as `IndexStore.open_current`.
    """
    index = store.open_current(before)
    index.connect()
    return index


def dimension_of(index: KnowledgeIndex) -> int | None:
    """Return the length of the vectors of an index; None where it holds none that can be read."""
    for collection in index.collections.values():
        if not collection.size:
            continue
        try:
            return int(collection.vectors_of([0]).shape[1])
        except VectorStoreUnavailable:
            continue
    return None
