"""The search of one domain: plan, search, judge, and climb the retry levels where it was not enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain as concatenated

from agents.base import BaseAgent
from agents.legal import LEGAL_DOMAIN
from agents.retrieval.budget import DocumentBudget
from agents.retrieval.graduated_retry import GraduatedRetry
from agents.retrieval.inquiry import RetrievalInquiry
from agents.retrieval.merge import both_kinds, rank_together, similarity_weight
from agents.retrieval.plan import DomainPlan, SearchPlanner, reaching_further
from agents.state import RetrievalResult
from chains.rag_chain import RAGChain
from schemas.chat import Degradation
from utils.config.settings import Settings
from utils.knowledge import Hit
from utils.question_decomposer import SubQuery
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from vectorstores.articles import ArticleLookup
from vectorstores.search_request import SearchOutcome, SearchRequest


@dataclass(frozen=True, slots=True)
class DomainFinding:
    """``found`` holds the hits of the result, and of the law what was looked at beyond them."""

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
        """What the domain of ``sub_query`` has; ``articles`` are those that the question cites.

        A question that asks for articles and nothing else is answered by these, whatever the search finds.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: no side of the index could be searched.
        """
        plan, outcome = await self._chain.in_pool(self._plan_and_search, inquiry, sub_query, budget)
        found, degraded = outcome.hits, outcome.degraded
        hits = self._kept(plan, found)
        verdict = self._evaluator.evaluate(plan.profile.terms, hits)
        passed = verdict.passed or (articles.is_answer and not articles.missing)
        result = RetrievalResult(sub_query.domain, sub_query.query, hits, passed, plan.mode.value)
        if not passed and not articles.is_answer and self._settings.enable_graduated_retry:
            retried = await self._retry.run(plan, result, self._search)
            result, degraded = retried.result, (*degraded, *retried.degraded)
            found = result.hits
        return DomainFinding(plan, result, found, degraded)

    def _plan_and_search(
        self, inquiry: RetrievalInquiry, sub_query: SubQuery, budget: DocumentBudget
    ) -> tuple[DomainPlan, SearchOutcome]:
        """Both in one turn of a worker thread."""
        agent = self._agents[sub_query.domain]
        variants = inquiry.variants if len(inquiry.sub_queries) == 1 else ()
        plan = self._planner.plan(
            self._chain.searcher, sub_query, agent.pack.collection, budget, variants, inquiry.context
        )
        if sub_query.domain == LEGAL_DOMAIN:
            return plan, self._search_law(plan.request)
        return plan, agent.retrieve_only(plan.request)

    def _search_law(self, request: SearchRequest) -> SearchOutcome:
        """Guides and statute articles in turn. Guides that articles crowd out are searched for by themselves, too."""
        agent, searcher = self._agents[LEGAL_DOMAIN], self._chain.searcher
        outcomes = [agent.retrieve_only(reaching_further(request))]
        law = searcher.index.for_domain(LEGAL_DOMAIN)
        if law.bm25_error is None and law.ranking.few_guides:
            among_guides = replace(request, queries=request.queries[:1], clauses=(), within=law.ranking.few_guides)
            outcomes.append(agent.retrieve_only(among_guides))
        hits = rank_together([one.hits for one in outcomes], similarity_weight(searcher.embedder_id))
        degraded = dict.fromkeys(concatenated.from_iterable(one.degraded for one in outcomes))
        return SearchOutcome(tuple(hits), tuple(degraded))

    async def _search(self, domain: str, plan: DomainPlan) -> SearchOutcome:
        return await self._agents[domain].aretrieve_only(plan.request)

    def _kept(self, plan: DomainPlan, found: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Other domains as found; of the law as many guides as any domain gets, and on top the articles of a supplement."""
        if plan.sub_query.domain != LEGAL_DOMAIN:
            return found
        return both_kinds(found, plan.request.k, self._settings.legal_supplement_k)
