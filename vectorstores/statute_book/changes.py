"""Differences between two versions of the statutes, by article, and the answer units that cite what has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path

from utils.knowledge.references import references_of
from utils.knowledge.unit_parser import parse_unit_document
from utils.knowledge.units import AnswerUnit
from utils.law.article_numbers import article_order
from utils.law.statute_names import squeeze
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadReport
from vectorstores.loaders.files import read_text_files
from vectorstores.statute_book.articles import ArticleState, Statutes
from vectorstores.storage.chunk_store import ChunkStore
from vectorstores.versions.versions import IndexLayout, Manifest


class ChangeKind(StrEnum):
    """Kinds of change. ``upcoming``: the text is the same, and some of it is still to take effect."""

    ADDED = "added"
    AMENDED = "amended"
    REPEALED = "repealed"
    UPCOMING = "upcoming"


@dataclass(frozen=True, slots=True)
class CitingUnit:
    """An answer unit that cites an article: the id of its document and its heading there."""

    document: str
    unit: str


@dataclass(frozen=True, slots=True)
class ArticleChange:
    """A change of an article; ``upcoming`` is the first day ahead on which some of it takes effect."""

    kind: ChangeKind
    law: str
    article: str
    heading: str
    upcoming: date | None = None
    units: tuple[CitingUnit, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.law} {self.article}" + (f"({self.heading})" if self.heading else "")


Citations = Mapping[str, tuple[CitingUnit, ...]]
"""The units that cite an article, by its key."""


def changes_between(old: Statutes, new: Statutes, citations: Citations) -> list[ArticleChange]:
    """Return what became of the articles of ``old`` in ``new``, by law and number; those alike are left out unless upcoming."""
    found = []
    for label in old.keys() | new.keys():
        before, after = old.get(label), new.get(label)
        kind = _kind(_in_force(before), _in_force(after))
        state = after or before
        if kind is None or state is None:
            continue
        heading = state.heading or (before.heading if before is not None else "")
        upcoming = after.upcoming if after is not None else None
        cited_by = citations.get(article_key(state.law, state.article), ())
        found.append(ArticleChange(kind, state.law, state.article, heading, upcoming, cited_by))
    return sorted(found, key=lambda change: (change.law, article_order(change.article)))


def _in_force(state: ArticleState | None) -> ArticleState | None:
    """An article that says only 삭제 is none."""
    return None if state is None or state.deleted else state


def _kind(before: ArticleState | None, after: ArticleState | None) -> ChangeKind | None:
    if before is None or after is None:
        return None if before is after else ChangeKind.ADDED if before is None else ChangeKind.REPEALED
    if before.digest != after.digest:
        return ChangeKind.AMENDED
    return ChangeKind.UPCOMING if after.upcoming is not None else None


def counts_of(changes: Iterable[ArticleChange]) -> dict[str, int]:
    """Return the number of changes of each kind; ``upcoming`` counts all that are still to take effect, new text or not."""
    every = list(changes)
    kinds = Counter(change.kind for change in every)
    upcoming = sum(change.upcoming is not None for change in every)
    return {kind.value: upcoming if kind is ChangeKind.UPCOMING else kinds[kind] for kind in ChangeKind}


def article_key(law: str, article: str) -> str:
    """Return what the same article has in common however its law is spaced."""
    return f"{squeeze(law)}|{article}"


def base_citations(folder: Path, report: LoadReport) -> dict[str, tuple[CitingUnit, ...]]:
    """Read which units of a base in the unit form cite which article. Raises `IngestError` where there is none."""
    if not folder.exists():
        raise IngestError(f"경로가 없습니다: {folder}")
    found: dict[str, list[CitingUnit]] = {}
    for file in read_text_files(folder, (".md",), report):
        text = file.text(report)
        document = parse_unit_document(text).document if text is not None else None
        if document is not None:
            _add(found, document.id, document.units)
    return {key: tuple(units) for key, units in found.items()}


def index_citations(layout: IndexLayout, manifest: Manifest) -> dict[str, tuple[CitingUnit, ...]]:
    """Read which units that a version of the index holds cite which article. Raises `IndexDamaged`."""
    found: dict[str, list[CitingUnit]] = {}
    for build in manifest.collections.values():
        store = ChunkStore.open(layout.collection_dir(build), build.name)
        try:
            for document_id, units in store.documents_of_units():
                _add(found, document_id, units)
        finally:
            store.close()
    return {key: tuple(units) for key, units in found.items()}


def _add(found: dict[str, list[CitingUnit]], document_id: str, units: Iterable[AnswerUnit]) -> None:
    for unit in units:
        for key in _cited(unit):
            found.setdefault(key, []).append(CitingUnit(document_id, unit.name))


def _cited(unit: AnswerUnit) -> Iterator[str]:
    for reference in references_of(sentence.text for sentence in unit.sentences).found:
        yield article_key(reference.law, reference.article)
