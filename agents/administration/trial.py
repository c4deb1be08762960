"""Trying out domain data before they are stored: which questions would get other domains."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from agents.administration.question_sets import (
    drawn_evenly,
    example_questions,
    logged_questions,
    unit_questions,
)
from agents.routing import Routing, RoutingDirectory
from agents.understanding import QuestionUnderstanding
from chains.rag_chain import RAGChain
from schemas.administration.domain_trials import DryRun, DryRunRequest, MovedQuestion, QuestionSet, Routed, TriedSet
from schemas.administration.domains import PackChange
from utils.config.settings import Settings
from utils.routing.domain_pack import PackSet

_AT_ONCE = 8
"""Questions that are routed before others get their turn in the pool, some tens of milliseconds."""
_LONGEST = 25.0
"""Seconds of a dry run."""
_SHARE_OF_REQUEST = 0.6
_SHOWN = 500
_NO_LOG = "이 서비스는 질문을 기록하지 않습니다."
_LOG_UNREADABLE = "질문 기록을 읽을 수 없습니다."


class TrialUnderWay(Exception):
    """Somebody else's dry run is under way: it takes a core, so there is never more than a single one."""


class RoutingTrial:
    """Compares the routing in force with that of other packs."""

    def __init__(
        self, settings: Settings, chain: RAGChain, directory: RoutingDirectory, seconds: float | None = None
    ) -> None:
        """``seconds`` bound a dry run; None: as long as a request may take."""
        self._settings = settings
        self._chain = chain
        self._directory = directory
        self._seconds = min(_LONGEST, settings.request_timeout * _SHARE_OF_REQUEST) if seconds is None else seconds
        self._under_way = asyncio.Lock()

    async def compare(
        self, before: PackSet, after: PackSet, changes: Sequence[PackChange], wanted: DryRunRequest
    ) -> DryRun:
        """Route all questions that are ``wanted`` by both sets of packs. Raises `TrialUnderWay`."""
        if self._under_way.locked():
            raise TrialUnderWay
        async with self._under_way:
            until = time.monotonic() + self._seconds
            sets = await self._sets(before, after, wanted)
            now = await self._routing(before)
            then = await self._chain.in_pool(self._directory.routing_of, after)
            return await self._tried(now, then, list(changes), sets, until)

    async def _routing(self, packs: PackSet) -> Routing:
        """The routing in force where it is that of ``packs``; a process may be seconds behind the tables."""
        current = self._directory.current
        return current if current.packs == packs else await self._chain.in_pool(self._directory.routing_of, packs)

    async def _sets(
        self, before: PackSet, after: PackSet, wanted: DryRunRequest
    ) -> Mapping[QuestionSet, tuple[list[str], str]]:
        """The questions of each set, and what is to be said of it."""
        sets: dict[QuestionSet, tuple[list[str], str]] = {}
        if wanted.questions:
            sets["given"] = list(dict.fromkeys(wanted.questions)), ""
        if "examples" in wanted.sets:
            sets["examples"] = drawn_evenly(example_questions(before, after), wanted.per_set), ""
        if "units" in wanted.sets:
            every = await self._chain.in_pool(lambda: unit_questions(self._chain.searcher.index))
            sets["units"] = drawn_evenly(every, wanted.per_set), ""
        if "log" in wanted.sets:
            sets["log"] = await asyncio.to_thread(self._logged, wanted.per_set)
        return sets

    def _logged(self, most: int) -> tuple[list[str], str]:
        if not self._settings.enable_question_log:
            return [], _NO_LOG
        try:
            return logged_questions(self._settings.data_dir, most), ""
        except OSError:
            return [], _LOG_UNREADABLE

    async def _tried(
        self,
        now: Routing,
        then: Routing,
        changes: list[PackChange],
        sets: Mapping[QuestionSet, tuple[list[str], str]],
        until: float,
    ) -> DryRun:
        before, after = self._reader(now), self._reader(then)

        def compare(name: QuestionSet, questions: Sequence[str]) -> list[MovedQuestion]:
            found = []
            for question in questions:
                was, would = before(question), after(question)
                if was != would:
                    same = (was.kind, set(was.domains)) == (would.kind, set(would.domains))
                    moved = MovedQuestion(question=question, set=name, before=was, after=would, order_only=same)
                    found.append(moved)
            return found

        tried_sets: list[TriedSet] = []
        every: list[MovedQuestion] = []
        for name, (questions, note) in sets.items():
            tried, moved = 0, 0
            for start in range(0, len(questions), _AT_ONCE):
                if time.monotonic() > until:
                    break
                piece = questions[start : start + _AT_ONCE]
                found = await self._chain.in_pool(compare, name, piece)
                tried, moved = tried + len(piece), moved + len(found)
                every += found
            tried_sets.append(TriedSet(name=name, questions=len(questions), tried=tried, moved=moved, note=note))
        complete = all(found.tried == found.questions for found in tried_sets)
        return DryRun(changes=changes, sets=tried_sets, moved=every[:_SHOWN], complete=complete)

    def _reader(self, routing: Routing) -> Callable[[str], Routed]:
        understanding = QuestionUnderstanding(self._settings, routing, self._chain)

        def route(question: str) -> Routed:
            found = understanding.by_rule(question).classification
            return Routed(kind=found.kind, domains=list(found.domains))

        return route
