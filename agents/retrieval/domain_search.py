"""The search of one domain: plan, search, judge, and retry on up to three levels where too little was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain as concatenated

from agents.base import BaseAgent
from agents.retrieval.budget import DocumentBudget
from agents.retrieval.graduated_retry import EXTRA_K, GraduatedRetry
from agents.retrieval.inquiry import RetrievalInquiry
from agents.retrieval.merge import both_kinds, rank_together, similarity_weight
from agents.retrieval.plan import DomainPlan, SearchPlanner, with_further_hits
from agents.state import RetrievalResult
from chains.rag_chain import RAGChain
from schemas.chat import Component, Degradation
from utils.config.settings import Settings
from utils.documents import Hit
from utils.question_decomposer import SubQuery
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.search.articles import ArticleLookup
from vectorstores.search.degradation import degradation
from vectorstores.search.request import SearchOutcome, SearchRequest


@dataclass(frozen=True, slots=True)
class DomainFinding:
    """The result of one domain with its plan; ``found`` holds its hits and, for the law, the further ones looked at."""

    plan: DomainPlan
    result: RetrievalResult
    found: tuple[Hit, ...]
    degraded: tuple[Degradation, ...]


class DomainSearch:
    """Searches one domain for one sub-question."""

    def __init__(
        self,
        settings: Settings,
        chain: RAGChain,
        agents: Mapping[str, BaseAgent],
        planner: SearchPlanner,
        evaluator: RuleBasedRetrievalEvaluator,
    ) -> None:
        self._settings = settings
        self._chain = chain
        self._agents = agents
        self._planner = planner
        self._evaluator = evaluator
        self._retry = GraduatedRetry(planner, evaluator, {domain: agent.pack for domain, agent in agents.items()})

    async def run(
        self, inquiry: RetrievalInquiry, sub_query: SubQuery, budget: DocumentBudget, articles: ArticleLookup
    ) -> DomainFinding:
        """Search the domain of ``sub_query``; ``articles`` are those that the question cites.

        A question that asks for articles and nothing else is answered by these, whatever the search finds.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: no side of the index could be searched.
        """
        plan, outcome, further = await self._chain.in_pool(self._plan_and_search, inquiry, sub_query, budget)
        found, degraded = outcome.hits, outcome.degraded
        hits = self._kept(plan, found)
        verdict = self._evaluator.evaluate(plan.profile.terms, hits)
        passed = verdict.passed or (articles.is_answer and not articles.missing)
        result = RetrievalResult(sub_query.domain, sub_query.query, hits, passed, plan.mode.value)
        if not passed and not articles.is_answer and self._settings.enable_graduated_retry:
            retried = await self._retry.run(plan, result, further, self._search, inquiry.reword)
            result, degraded = retried.result, (*degraded, *retried.degraded)
            found = result.hits
        return DomainFinding(plan, result, found, degraded)

    def _plan_and_search(
        self, inquiry: RetrievalInquiry, sub_query: SubQuery, budget: DocumentBudget
    ) -> tuple[DomainPlan, SearchOutcome, tuple[Hit, ...]]:
        """Plan and search in one turn of a worker thread.

        The last value holds `EXTRA_K` hits more than are kept: the first retry level needs no search of its own.
        """
        agent = self._agents[sub_query.domain]
        plan = self._planner.plan(
            self._chain.searcher,
            sub_query,
            agent.pack.collection,
            budget,
            self._planner.variants(inquiry, sub_query),
            inquiry.context,
            agent.search_hints,
        )
        wider = self._planner.widened(plan, plan.request.k + EXTRA_K).request
        if agent.pack.is_law:
            whole = agent.retrieve_only(with_further_hits(wider))
            return plan, self._with_guides(agent, plan.request, whole), whole.hits[: wider.k]
        whole = agent.retrieve_only(wider)
        return plan, replace(whole, hits=whole.hits[: plan.request.k]), whole.hits

    def _with_guides(self, agent: BaseAgent, request: SearchRequest, whole: SearchOutcome) -> SearchOutcome:
        """Return guides and statute articles in turn; guides, which articles may crowd out, are also searched for alone."""
        searcher = self._chain.searcher
        outcomes = [replace(whole, hits=whole.hits[: with_further_hits(request).k])]
        law = searcher.index.collections.get(agent.pack.collection)
        if law is not None and law.bm25_error is None and law.ranking.guides_if_few:
            among_guides = replace(request, queries=request.queries[:1], clauses=(), within=law.ranking.guides_if_few)
            outcomes.append(agent.retrieve_only(among_guides))
        hits = rank_together([outcome.hits for outcome in outcomes], similarity_weight(searcher.embedder_id))
        degraded = dict.fromkeys(concatenated.from_iterable(outcome.degraded for outcome in outcomes))
        return SearchOutcome(tuple(hits), tuple(degraded))

    async def _search(self, domain: str, plan: DomainPlan) -> SearchOutcome:
        """Search once more; a failure is a degradation, so that the documents found before are kept."""
        try:
            return await self._agents[domain].aretrieve_only(plan.request)
        except VectorStoreUnavailable as error:
            return SearchOutcome((), (degradation(Component.INDEX, error),))

    def _kept(self, plan: DomainPlan, found: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Return the hits as found; for the law as many guides as any domain gets, and the articles of a supplement besides."""
        if not self._agents[plan.sub_query.domain].pack.is_law:
            return found
        return both_kinds(found, plan.request.k, self._settings.legal_supplement_k)
