"""Finding the documents that answer: runs the real retrieve stage with k raised and scores the ranked ids."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from statistics import mean, median
from typing import Any

from langgraph.runtime import Runtime

from agents.abilities.base import Ability
from agents.abilities.hooks import AbilityHooks
from agents.assembly import SharedParts, build_agents, build_retrieval
from agents.retrieval.inquiry import RetrievalInquiry, RetrievalOutcome
from agents.retrieval.search_mode import SearchMode
from agents.state import RouterState, RunContext, Understanding
from utils.config.settings import Settings
from utils.documents import Hit
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline

CUTOFFS = (1, 5, 10, 20)
_SECONDS = 600.0  # for the calls of one question, of which there are none without a model
_MOST_DOCUMENTS = 100  # that the setting allows


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """The ranked ids for one question: an article's label, or the id of the document. ``ms`` is milliseconds."""

    id: str
    hits: tuple[str, ...]
    ms: float


class RetrievalRunner:
    """Every question goes to all collections given (routing is off), its hits are ranked together.

    ``mode`` is searched in whatever the question. ``abilities`` are those of the assistant that say what is searched for.
    """

    def __init__(
        self,
        parts: SharedParts,
        domains: Sequence[str],
        k: int,
        mode: SearchMode | None = None,
        abilities: Sequence[Ability] = (),
    ) -> None:
        self._abilities = AbilityHooks(abilities)
        self._chain = parts.chain
        self._retrieval = build_retrieval(parts, build_agents(parts), mode)
        self._domains = domains
        self._k = k

    async def run(self, identifier: str, question: str) -> RankedAnswer:
        """Search for one question."""
        answer, _ = await self.search(identifier, question)
        return answer

    async def search(self, identifier: str, question: str) -> tuple[RankedAnswer, RetrievalOutcome]:
        """The same with all that the retrieve stage hands on."""
        started = time.perf_counter()
        question = self._chain.correct_spelling(question).text
        sub_queries = await self._planned(question)
        found = await self._retrieval.retrieve(RetrievalInquiry(question, sub_queries))
        elapsed = (time.perf_counter() - started) * 1000
        ids = dict.fromkeys(ranked_id(hit) for hit in found.documents)
        return RankedAnswer(identifier, tuple(ids)[: self._k], round(elapsed, 2)), found

    async def _planned(self, question: str) -> tuple[SubQuery, ...]:
        """Return what is searched for; the abilities of an assistant do not say how many documents are kept."""
        sub_queries = tuple(SubQuery(domain, question) for domain in self._domains)
        state: RouterState = {
            "query": question,
            "history": (),
            "domains": tuple(self._domains),
            "understanding": Understanding(question),
            "degraded": (),
        }
        run = RunContext("evaluation", Deadline.after(_SECONDS), date.today(), streaming=False)  # noqa: DTZ011 - any day
        planned = await self._abilities.after(
            "after_decompose", state, {"sub_queries": sub_queries}, Runtime(context=run)
        )
        return tuple(replace(sub_query, k=None) for sub_query in planned["sub_queries"])


def ranked_id(hit: Hit) -> str:
    """``법이름|제N조`` for a statute article, the document's id for everything else."""
    return hit.chunk.label or hit.chunk.doc_id


def score(answers: Sequence[RankedAnswer], gold: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """any@k, recall@10 and MRR over the questions that have gold, and milliseconds over all.

    any@k: some gold id among the first k. recall@10: share of the gold among the first 10. MRR: mean of 1 / rank of the
    first gold id, 0 without one.
    """
    judged = [answer for answer in answers if gold.get(answer.id)]
    figures: dict[str, float] = {"questions": len(judged)}
    if judged:
        for cutoff in CUTOFFS:
            figures[f"any@{cutoff}"] = mean(bool(set(answer.hits[:cutoff]) & set(gold[answer.id])) for answer in judged)
        figures["recall@10"] = mean(
            len(set(answer.hits[:10]) & set(gold[answer.id])) / len(gold[answer.id]) for answer in judged
        )
        figures["mrr"] = mean(reciprocal_rank(answer.hits, gold[answer.id]) for answer in judged)
    times = sorted(answer.ms for answer in answers)
    figures["ms_p50"] = median(times)
    figures["ms_p95"] = times[min(len(times) - 1, int(0.95 * len(times)))]
    return {name: round(value, 4) for name, value in figures.items()}


def figures_table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Figures of several configurations as a Markdown table, a configuration a row."""
    names = [name for name in next(iter(rows.values())) if name != "questions"]
    lines = ["| configuration | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    lines += [f"| {row} | " + " | ".join(_shown(name, rows[row][name]) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def _shown(name: str, value: float) -> str:
    return f"{value:.1f}" if name.startswith("ms_") else f"{value:.3f}"


def reciprocal_rank(hits: Sequence[str], gold: Sequence[str]) -> float:
    """1 / rank of the first gold id, 0 without one."""
    return next((1 / rank for rank, hit in enumerate(hits, start=1) if hit in gold), 0.0)


def evaluation_settings(settings: Settings, k: int, data_dir: Path | None) -> Settings:
    """The settings with the budget raised to ``k`` for every collection and nothing dropped after the merge."""
    return settings.model_copy(update=raised_budget(k) | ({"data_dir": data_dir} if data_dir else {}))


def raised_budget(k: int) -> dict[str, Any]:
    """Return the settings that differ from those of a service: see `evaluation_settings`."""
    return {
        "retrieval_k": k,
        "max_retrieval_docs": min(4 * k, _MOST_DOCUMENTS),
        "cross_domain_rerank_ratio": 1.0,
        "enable_fixed_doc_limit": False,
        "enable_legal_supplement": False,
        "enable_graduated_retry": False,
    }
