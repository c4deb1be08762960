"""Changes of the statutes between the two versions of the index that are kept."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from vectorstores.errors import IndexMissing
from vectorstores.statute_book.articles import index_articles
from vectorstores.statute_book.changes import ArticleChange, changes_between, index_citations
from vectorstores.versions.versions import CollectionBuild, IndexLayout

_KEPT_CHANGES = 20_000  # of one comparison, so that its pages need no further one


class NoStatutes(IndexMissing):
    """Neither version holds statutes."""


class NoVersionBefore(IndexMissing):
    """There is no version before the current one."""


@dataclass(frozen=True, slots=True)
class ComparedVersions:
    """The changes from one version to another, in the order of `changes_between`."""

    before: str
    after: str
    changes: tuple[ArticleChange, ...]


class StatuteHistory:
    """Compares versions of one data directory; blocking, seconds for the national statutes. Safe to use from several threads."""

    def __init__(self, layout: IndexLayout) -> None:
        self._layout = layout
        self._comparing = threading.Lock()
        self._last: tuple[date, ComparedVersions] | None = None

    def between(self, before: str | None, after: str | None, today: date) -> ComparedVersions:
        """Compare two kept versions, by default the one before the current one and the current one.

        Raises `IndexMissing` for a version that is not kept (`NoVersionBefore`, `NoStatutes`), and `IndexDamaged`.
        """
        pointer = self._layout.pointer()
        if pointer is None:
            raise IndexMissing("색인이 없습니다")
        before, after = before or pointer.previous, after or pointer.current
        if before is None:
            raise NoVersionBefore("이전 버전이 없습니다")
        if not {before, after} <= {pointer.current, pointer.previous}:
            raise IndexMissing("보관하는 버전이 아닙니다")
        with self._comparing:  # one at a time: it takes memory
            last = self._last
            if last is not None and (last[0], last[1].before, last[1].after) == (today, before, after):
                return last[1]
            compared = self._compare(before, after, today)
            self._last = (today, compared) if len(compared.changes) <= _KEPT_CHANGES else None
            return compared

    def _compare(self, before: str, after: str, today: date) -> ComparedVersions:
        old, new = self._layout.manifest(before), self._layout.manifest(after)
        shared = [build for build in new.collections.values() if old.collections.get(build.name) == build]
        alike = index_articles(self._layout, shared, today)  # read once: most versions leave the statutes as they were
        old_articles = alike | index_articles(self._layout, _without(old.collections.values(), shared), today)
        new_articles = alike | index_articles(self._layout, _without(new.collections.values(), shared), today)
        if not old_articles and not new_articles:
            raise NoStatutes("색인에 법령이 없습니다")
        changes = changes_between(old_articles, new_articles, index_citations(self._layout, new))
        return ComparedVersions(before, after, tuple(changes))


def _without(builds: Collection[CollectionBuild], shared: Collection[CollectionBuild]) -> list[CollectionBuild]:
    return [build for build in builds if build not in shared]
