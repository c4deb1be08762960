"""Three retry levels after a failed search of one domain, each tried only if the one before it failed.

L1 relaxes the thresholds, L2 adds query variants, L3 searches the neighbouring domains.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.retrieval.inquiry import Reword, Rewording
from agents.retrieval.merge import merge
from agents.retrieval.plan import DomainPlan, SearchPlanner
from agents.state import RetrievalResult
from schemas.chat import Degradation
from utils.documents import Hit
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from utils.routing.domain_pack import DomainPack
from vectorstores.search.request import SearchOutcome

logger = logging.getLogger(__name__)

RELAX_FACTOR = 0.7
EXTRA_K = 3

Search = Callable[[str, DomainPlan], Awaitable[SearchOutcome]]


@dataclass(frozen=True, slots=True)
class RetryOutcome:
    """The result after the last level tried, and what was unavailable on the way."""

    result: RetrievalResult
    degraded: tuple[Degradation, ...]


class GraduatedRetry:
    """Runs the levels L1, L2 and L3 for one domain."""

    def __init__(
        self, planner: SearchPlanner, evaluator: RuleBasedRetrievalEvaluator, packs: Mapping[str, DomainPack]
    ) -> None:
        self._planner = planner
        self._evaluator = evaluator
        self._packs = packs

    async def run(
        self,
        plan: DomainPlan,
        result: RetrievalResult,
        further: Sequence[Hit],
        search: Search,
        reword: Reword | None = None,
    ) -> RetryOutcome:
        """Try level after level until the evaluator accepts the result.

        ``further`` are the hits of ``plan`` with `EXTRA_K` more than it keeps: L1 needs no search. L2 searches only where it has
        a new query variant or a larger pool, and fails otherwise. ``reword`` is asked at L2 and no earlier.
        """
        degraded: list[Degradation] = []
        wider = self._planner.widened(plan, plan.request.k + EXTRA_K)
        result = self._judged(plan, result, "L1", (result.domain,), [further])
        if result.passed:
            return RetryOutcome(result, ())
        reworded = await reword(plan.sub_query.query) if reword else Rewording()
        degraded += reworded.degraded
        stronger = self._planner.strengthened(wider, reworded.wordings, sees_all=plan.sees_all)
        neighbours = tuple(name for name in self._packs[result.domain].neighbours if name in self._packs)
        for level, domains in (("L2", (result.domain,)), ("L3", neighbours)):
            groups = []
            for domain in () if level == "L2" and stronger.request == wider.request else domains:
                outcome = await search(domain, stronger)
                groups.append(outcome.hits)
                degraded += outcome.degraded
            result = self._judged(plan, result, level, domains, groups)
            if result.passed:
                break
        return RetryOutcome(result, tuple(degraded))

    def _judged(
        self,
        plan: DomainPlan,
        result: RetrievalResult,
        level: str,
        domains: Sequence[str],
        groups: Sequence[Sequence[Hit]],
    ) -> RetrievalResult:
        """Return the result with the best hits of a level, judged by thresholds that are `RELAX_FACTOR` of the usual ones."""
        hits = _best_first(merge([result.hits, *groups]), plan.request.k + EXTRA_K)
        passed = self._evaluator.evaluate(plan.profile.terms, hits, RELAX_FACTOR).passed
        step = _step(level, domains, passed)
        logger.info("graduated retry of %s: %s", result.domain, step)
        return replace(result, hits=tuple(hits), passed=passed, steps=(*result.steps, step))


def _best_first(hits: Sequence[Hit], k: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: -hit.relevance)[:k]


def _step(level: str, domains: Sequence[str], passed: bool) -> str:
    where = f"({'+'.join(domains)})" if level == "L3" else ""
    return f"{level}{where}:{'pass' if passed else 'fail'}"
