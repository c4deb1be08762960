"""The articles of one version of the statutes, from a Markdown tree or an index, in the form that versions are compared in."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from schemas.chat import Scalar
from vectorstores.collections import LONG_ONLY, Collections
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.statutes import StatuteLoader
from vectorstores.storage.chunk_store import ChunkStore
from vectorstores.storage.chunking import join_passages
from vectorstores.versions.versions import CollectionBuild, IndexLayout

_MARK = re.compile(r"\[시행 예정[^\[\]\n]{0,40}\]")


@dataclass(frozen=True, slots=True)
class ArticleState:
    """An article of one version. ``digest`` is over its heading and its text without blanks and the marks of what is to come.

    ``upcoming`` is the first day ahead on which some of it takes effect.
    """

    law: str
    article: str
    heading: str
    digest: bytes
    upcoming: date | None
    deleted: bool


Statutes = Mapping[str, ArticleState]
"""Articles by label (``근로기준법|제2조``)."""


def tree_articles(tree: Path, today: date, collections: Collections, report: LoadReport) -> dict[str, ArticleState]:
    """Read a folder or ``.tar.gz`` of statutes as of ``today``. Raises `IngestError` where there is none."""
    if not tree.exists():
        raise IngestError(f"경로가 없습니다: {tree}")
    found = dict(_states(StatuteLoader().load(tree, LoadOptions(today, collections=collections), report)))
    if not found:
        raise IngestError(f"법령이 없습니다: {tree} (법령 Markdown의 폴더나 tar.gz)")
    return found


def _states(sources: Iterable[SourceDocument]) -> Iterator[tuple[str, ArticleState]]:
    for source in sources:
        metadata = source.document.metadata
        yield str(source.label), _state(metadata, source.heading, source.document.content)


def _state(metadata: Mapping[str, Scalar], heading: str, text: str) -> ArticleState:
    compared = "".join(f"{heading}\0{_MARK.sub('', text)}".split())
    upcoming = metadata.get("upcoming")
    return ArticleState(
        sys.intern(str(metadata.get("law", ""))),  # of 200,000 articles few differ
        sys.intern(str(metadata.get("article", ""))),
        heading,
        hashlib.blake2b(compared.encode(), digest_size=16).digest(),
        date.fromisoformat(upcoming) if isinstance(upcoming, str) else None,
        bool(metadata.get("deleted")),
    )


def index_articles(layout: IndexLayout, builds: Iterable[CollectionBuild], today: date) -> dict[str, ArticleState]:
    """Read the articles that collections of an index hold; marks of a day that has come count no more. Raises `IndexDamaged`."""
    found: dict[str, ArticleState] = {}
    for build in builds:
        found |= _build_articles(layout, build, today)
    return found


def _build_articles(layout: IndexLayout, build: CollectionBuild, today: date) -> dict[str, ArticleState]:
    store = ChunkStore.open(layout.collection_dir(build), build.name)
    try:
        states = {}
        for label, heading, metadata, texts in store.labelled_documents():
            passages = [text.partition("\n")[2] for text in texts]  # without the title at the head of each
            state = _state(metadata, heading, join_passages(passages, LONG_ONLY))
            is_past = state.upcoming is not None and state.upcoming <= today
            states[label] = replace(state, upcoming=None) if is_past else state
        return states
    finally:
        store.close()
