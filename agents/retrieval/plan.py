"""From a question to the search request of each domain."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.company_profile import search_hint
from agents.retrieval.budget import DocumentBudget
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.strategy import (
    QuestionProfile,
    SearchMode,
    SearchStrategySelector,
    rare_term_count,
    vector_weight,
)
from schemas.chat import UserContext
from utils.config.settings import Settings
from utils.question_decomposer import SubQuery
from vectorstores.search import HybridSearcher
from vectorstores.search_request import Clause, Fusion, SearchRequest
from vectorstores.sentences import split_sentences

# What fuses better, by embedder family (see evaluation/baselines).
_FUSION_BY_FAMILY: dict[str, Fusion] = {"kiwi": "score", "neural": "rrf"}


@dataclass(frozen=True, slots=True)
class DomainPlan:
    """How one domain is searched."""

    sub_query: SubQuery
    profile: QuestionProfile
    mode: SearchMode
    request: SearchRequest


class SearchPlanner:
    """Chooses the mode and builds the request; pure but for the document frequencies it looks up."""

    def __init__(self, settings: Settings, expander: MultiQueryExpander) -> None:
        self._settings = settings
        self._selector = SearchStrategySelector(settings.enable_adaptive_search)
        self.expander = expander

    def plan(
        self,
        searcher: HybridSearcher,
        sub_query: SubQuery,
        collection: str,
        budget: DocumentBudget,
        variants: tuple[str, ...] = (),
        context: UserContext | None = None,
    ) -> DomainPlan:
        """The plan for one sub-question."""
        question = sub_query.query
        profile = self._profile(searcher, question, collection)
        mode = self._selector.select(profile)
        settings = self._settings
        hint = search_hint(context, sub_query.domain)
        queries = (question, *self.expander.expand(question, variants), *([f"{question} {hint}"] if hint else []))
        diverse = mode is SearchMode.MMR_DIVERSE
        request = SearchRequest(
            queries=queries,
            readings=self.expander.readings(question),
            k=budget.per_domain,
            pool=settings.candidate_pool,
            rerank_pool=settings.rerank_pool,
            vector_weight=vector_weight(mode, searcher.embedder_id, settings.vector_search_weight),
            fusion=self._fusion(searcher.embedder_id),
            formal=self.expander.formalize(question),
            clauses=self._clauses(question),
            lexical=settings.enable_hybrid_search,
            rerank=settings.enable_reranking,
            per_variant=settings.rerank_top_k,
            mmr_lambda=settings.mmr_lambda_mult if diverse else None,
            mmr_fetch=settings.mmr_fetch_k_multiplier * budget.per_domain,
        )
        return DomainPlan(sub_query, profile, mode, request)

    def _clauses(self, question: str) -> tuple[Clause, ...]:
        """The fullest clauses, no more of them than there are variants."""
        clauses = self.expander.clauses(question)[: self._settings.multi_query_count]
        return tuple(Clause(clause, self.expander.formalize(clause)) for clause in clauses)

    def widened(self, plan: DomainPlan, k: int) -> DomainPlan:
        """The same search, keeping ``k`` documents."""
        return replace(plan, request=replace(plan.request, k=k))

    def strengthened(self, plan: DomainPlan) -> DomainPlan:
        """The same search with more query variants over a larger pool."""
        question = plan.sub_query.query
        more = self.expander.expand(question, extra=self._settings.multi_query_count)
        queries = tuple(dict.fromkeys((*plan.request.queries, *more)))
        return replace(plan, request=replace(plan.request, queries=queries, pool=2 * plan.request.pool))

    def _profile(self, searcher: HybridSearcher, question: str, collection: str) -> QuestionProfile:
        terms = searcher.analyze(question).terms
        frequencies = searcher.document_frequencies([collection], terms)
        size = searcher.index.collections[collection].size
        return QuestionProfile(
            text=question,
            terms=terms,
            references=tuple(searcher.law_names.find(question)),
            rare_terms=rare_term_count(frequencies, size),
            sentences=len(split_sentences(question)),
        )

    def _fusion(self, embedder_id: str) -> Fusion:
        if self._settings.fusion != "auto":
            return self._settings.fusion
        return _FUSION_BY_FAMILY["kiwi" if embedder_id.startswith("kiwi") else "neural"]
