"""Opens the index beside whatever else a process does to get ready: reading vectors leaves the interpreter to others.

What it takes is imported with this module, for heavy packages that two threads import at once break.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import bm25s  # noqa: F401
import chromadb.api.rust  # noqa: F401

from vectorstores.index import IndexStore, KnowledgeIndex


def open_beside(store: IndexStore) -> Future[KnowledgeIndex]:
    """The current version with its vectors connected, from a thread; raises as `IndexStore.open_current`."""
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="opening")
    try:
        return thread.submit(open_connected, store)
    finally:
        thread.shutdown(wait=False)


def open_connected(store: IndexStore) -> KnowledgeIndex:
    """The current version, so that no search has to wait for its vectors. Raises as `IndexStore.open_current`."""
    index = store.open_current()
    index.connect()
    return index
