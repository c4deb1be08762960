"""After a failed search of one domain: relax, expand, then ask the neighbours. Each level only if the one before failed."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.retrieval.merge import merge
from agents.retrieval.plan import DomainPlan, SearchPlanner
from agents.state import RetrievalResult
from schemas.chat import Degradation
from utils.domain_pack import DomainPack
from utils.knowledge import Hit
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from vectorstores.search_request import SearchOutcome

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
    """L1 → L2 → L3 for one domain."""

    def __init__(
        self, planner: SearchPlanner, evaluator: RuleBasedRetrievalEvaluator, packs: Mapping[str, DomainPack]
    ) -> None:
        self._planner = planner
        self._evaluator = evaluator
        self._packs = packs

    async def run(self, plan: DomainPlan, result: RetrievalResult, search: Search) -> RetryOutcome:
        """Climb until the evaluator is content or the levels are used up."""
        degraded: list[Degradation] = []
        wider = self._planner.widened(plan, plan.request.k + EXTRA_K)
        stronger = self._planner.strengthened(wider)
        neighbours = self._packs[result.domain].neighbours
        levels: Sequence[tuple[str, DomainPlan, tuple[str, ...]]] = (
            ("L1", wider, (result.domain,)),
            ("L2", stronger, (result.domain,)),
            ("L3", stronger, tuple(name for name in neighbours if name in self._packs)),
        )
        for level, level_plan, domains in levels:
            groups: list[Sequence[Hit]] = [result.hits]
            for domain in domains:
                outcome = await search(domain, level_plan)
                groups.append(outcome.hits)
                degraded += outcome.degraded
            hits = _best_first(merge(groups), wider.request.k)
            verdict = self._evaluator.evaluate(plan.profile.terms, hits, RELAX_FACTOR)
            step = _step(level, domains, verdict.passed)
            logger.info("graduated retry of %s: %s", result.domain, step)
            result = replace(result, hits=tuple(hits), passed=verdict.passed, steps=(*result.steps, step))
            if result.passed:
                break
        return RetryOutcome(result, tuple(degraded))


def _best_first(hits: Sequence[Hit], k: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: -hit.relevance)[:k]


def _step(level: str, domains: Sequence[str], passed: bool) -> str:
    where = f"({'+'.join(domains)})" if level == "L3" else ""
    return f"{level}{where}:{'pass' if passed else 'fail'}"
