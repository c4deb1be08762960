"""L1 → L2 → L3: in order, each only while the one before failed."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest

from agents.retrieval.graduated_retry import GraduatedRetry, RetryOutcome
from agents.retrieval.inquiry import Reword, Rewording
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import DomainPlan, SearchPlanner
from agents.retrieval.search_mode import QuestionProfile, SearchMode
from agents.state import RetrievalResult
from schemas.chat import Component, Degradation
from tests.support.hits import make_hit
from tests.support.routing import DOMAINS_DIR, LABOR, LAW, STARTUP, TAX
from tests.support.small_searcher import request_for
from utils.config.settings import Settings
from utils.documents import Hit
from utils.question_decomposer import SubQuery
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from utils.routing.domain_pack import load_pack_files
from vectorstores.search.request import SearchOutcome

QUESTION = "직원 퇴직금을 언제까지 지급하고, 연차 수당은 어떻게 계산하나요?"
NEIGHBOURS = {STARTUP: (TAX,), TAX: (STARTUP, LAW), LABOR: (LAW,), LAW: (LABOR, TAX)}
FIRST = (make_hit("처음", 0.1),)
SILENT = Degradation(component=Component.LLM, reason="alternatives: timeout")
AWAY = Degradation(component=Component.VECTOR, reason="꺼짐")


def good(*numbers: int, relevance: float = 0.9) -> list[Hit]:
    return [make_hit(f"직원 퇴직금 지급 연차 수당 계산 {number}", relevance, similarity=0.8) for number in numbers]


class Searches:
    """Gives what a test wrote down for each call in turn, nothing after that; keeps what it was asked."""

    def __init__(self, *outcomes: Sequence[Hit]) -> None:
        self._outcomes = list(outcomes)
        self.asked: list[tuple[str, DomainPlan]] = []

    async def __call__(self, domain: str, plan: DomainPlan) -> SearchOutcome:
        self.asked.append((domain, plan))
        hits = self._outcomes.pop(0) if self._outcomes else ()
        return SearchOutcome(tuple(hits), (AWAY,) if not hits else ())

    @property
    def domains(self) -> list[str]:
        return [domain for domain, _ in self.asked]


def climb(expander: MultiQueryExpander) -> GraduatedRetry:
    settings = Settings()
    packs = {pack.key: pack for pack in load_pack_files(DOMAINS_DIR).domains}
    evaluator = RuleBasedRetrievalEvaluator(settings, "kiwi-words", "kiwi-written")
    return GraduatedRetry(SearchPlanner(settings, expander), evaluator, packs)


async def run(
    expander: MultiQueryExpander,
    searches: Searches,
    domain: str = LABOR,
    reword: Reword | None = None,
    further: Sequence[Hit] = (),
    *,
    sees_all: bool = False,
) -> RetryOutcome:
    profile = QuestionProfile(QUESTION, ("직원", "퇴직금", "지급"), (), 1, 1)
    request = request_for(QUESTION, "직원 퇴직금", k=4, pool=60)
    plan = DomainPlan(SubQuery(domain, QUESTION), profile, SearchMode.HYBRID, request, sees_all)
    result = RetrievalResult(domain, QUESTION, FIRST, passed=False, mode="HYBRID")
    return await climb(expander).run(plan, result, further, searches, reword)


async def test_the_first_level_keeps_more_of_what_the_search_found(expander: MultiQueryExpander) -> None:
    searches = Searches()
    outcome = await run(expander, searches, further=good(1, 2, 3))
    assert searches.asked == [], "the search before had them already"
    assert (outcome.result.passed, outcome.result.steps) == (True, ("L1:pass",))
    assert [hit.chunk.text[-1] for hit in outcome.result.hits] == ["1", "2", "3", "음"], "what was found before stays"
    assert outcome.degraded == ()


async def test_the_first_level_is_content_with_less(expander: MultiQueryExpander) -> None:
    """Relevance 0.2 is below the floor of 0.25, but above 0.7 of it."""
    assert (await run(expander, Searches(), further=good(1, 2, 3, relevance=0.2))).result.steps == ("L1:pass",)


async def test_the_second_level_asks_more_ways(expander: MultiQueryExpander) -> None:
    searches = Searches(good(1, 2, 3))
    outcome = await run(expander, searches, further=good(1))
    assert searches.domains == [LABOR]
    stronger = searches.asked[0][1].request
    assert stronger.queries[:2] == (QUESTION, "직원 퇴직금")
    assert len(stronger.queries) > 2
    assert (stronger.k, stronger.pool) == (7, 120)
    assert outcome.result.steps == ("L1:fail", "L2:pass")


async def test_the_second_level_does_not_search_for_the_same_once_more(expander: MultiQueryExpander) -> None:
    searches = Searches(good(1, 2, 3))
    outcome = await run(expander, searches, sees_all=True)
    assert LABOR not in searches.domains, "all of it was seen"
    assert outcome.result.steps[:2] == ("L1:fail", "L2:fail")
    assert outcome.result.steps[2].startswith("L3(")


async def test_from_the_second_level_on_a_model_s_wordings_are_searched_for(expander: MultiQueryExpander) -> None:
    searches, asked = Searches(), []

    async def reword(question: str) -> Rewording:
        asked.append((question, len(searches.asked)))
        return Rewording(("퇴직급여 지급 기한", "연차 유급휴가 미사용 수당"), (SILENT,))

    outcome = await run(expander, searches, reword=reword)
    assert asked == [(QUESTION, 0)], "once, after the first level"
    wordings = {"퇴직급여 지급 기한", "연차 유급휴가 미사용 수당"}
    assert [wordings <= set(plan.request.queries) for _, plan in searches.asked] == [True, True]
    assert SILENT in outcome.degraded


async def test_no_model_is_asked_where_the_first_level_is_enough(expander: MultiQueryExpander) -> None:
    async def reword(question: str) -> Rewording:
        raise AssertionError(question)

    assert (await run(expander, Searches(), reword=reword, further=good(1, 2, 3))).result.passed


@pytest.mark.parametrize(("domain", "neighbours"), NEIGHBOURS.items())
async def test_the_third_level_asks_the_neighbours(
    expander: MultiQueryExpander, domain: str, neighbours: tuple[str, ...]
) -> None:
    searches = Searches([], good(1, 2), good(2, 3))
    outcome = await run(expander, searches, domain)
    assert searches.domains == [domain, *neighbours]
    passed = "pass" if len(neighbours) == 2 else "fail"
    assert outcome.result.steps == ("L1:fail", "L2:fail", f"L3({'+'.join(neighbours)}):{passed}")
    assert len({hit.chunk.text for hit in outcome.result.hits}) == len(outcome.result.hits)


async def test_what_stays_too_little_says_so_and_names_what_was_away(
    expander: MultiQueryExpander, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="agents.retrieval.graduated_retry"):
        outcome = await run(expander, Searches())
    assert not outcome.result.passed
    assert outcome.result.hits == FIRST
    assert set(outcome.degraded) == {AWAY}
    assert [record.getMessage().rpartition(" ")[2] for record in caplog.records] == list(outcome.result.steps)


async def test_the_most_relevant_are_kept(expander: MultiQueryExpander) -> None:
    outcome = await run(expander, Searches(), further=[*good(1, 2, relevance=0.3), *good(3, 4, 5, 6, 7, 8, 9)])
    kept = [hit.relevance for hit in outcome.result.hits]
    assert kept == sorted(kept, reverse=True) == [0.9] * 7
