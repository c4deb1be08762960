"""The retrieve stage: a list of named steps over the sub-questions of one question."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agents.base import BaseAgent
from agents.retrieval.article_search import ArticleSearch
from agents.retrieval.budget import DocumentBudget, DocumentBudgetCalculator
from agents.retrieval.graduated_retry import GraduatedRetry
from agents.retrieval.legal_basis import legal_basis
from agents.retrieval.legal_supplement import LEGAL_DOMAIN, LegalSupplement
from agents.retrieval.merge import cited_first, content_identity, merge, rank_together, similarity_weight
from agents.retrieval.plan import DomainPlan, SearchPlanner
from agents.state import RetrievalResult
from chains.rag_chain import RAGChain
from schemas.chat import Component, Degradation, UserContext
from utils.config.settings import Settings
from utils.knowledge import Chunk, Hit
from utils.question_decomposer import SubQuery
from utils.question_words import without_parties
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from vectorstores.articles import NOTHING_CITED, ArticleLookup
from vectorstores.rerankers.base import RerankerUnavailable
from vectorstores.search import HybridSearcher
from vectorstores.search_request import SearchOutcome, SearchRequest
from vectorstores.spelling import Respelling

# Statutes looked at beyond those kept: the article that a found guide rests on is often not among the first.
_LAW_REACH = 30


@dataclass(frozen=True, slots=True)
class RetrievalInquiry:
    """One question to find documents for."""

    question: str
    sub_queries: tuple[SubQuery, ...]
    variants: tuple[str, ...] = ()
    context: UserContext | None = None


@dataclass(frozen=True, slots=True)
class RetrievalOutcome:
    """What the stage hands on: ``documents`` begin with the cited ``articles``; ``trace`` names what ran."""

    results: tuple[RetrievalResult, ...]
    documents: tuple[Hit, ...]
    articles: ArticleLookup
    degraded: tuple[Degradation, ...]
    trace: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class _DomainSearch:
    """``found`` holds the hits of the result, and of the law what was looked at beyond them."""

    plan: DomainPlan
    result: RetrievalResult
    found: tuple[Hit, ...]
    degraded: tuple[Degradation, ...]


class RetrievalAgent:
    """spelling → cited articles → plan → search → graduated retry → legal supplement → merge → cross-domain rerank."""

    def __init__(
        self,
        settings: Settings,
        chain: RAGChain,
        agents: Mapping[str, BaseAgent],
        planner: SearchPlanner,
        evaluator: RuleBasedRetrievalEvaluator,
        supplement: LegalSupplement,
        articles: ArticleSearch,
    ) -> None:
        self._settings = settings
        self._chain = chain
        self._agents = agents
        self._planner = planner
        self._evaluator = evaluator
        self._supplement = supplement
        self._articles = articles
        self._budget = DocumentBudgetCalculator(
            settings, fixed_limit=settings.enable_fixed_doc_limit, rerank=settings.enable_cross_domain_rerank
        )
        packs = {domain: agent.pack for domain, agent in agents.items()}
        self._retry = GraduatedRetry(planner, evaluator, packs)

    async def retrieve(self, inquiry: RetrievalInquiry) -> RetrievalOutcome:
        """Find the documents for a question.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: no side of the index could be searched.
        """
        inquiry, spelling = await self._put_right(inquiry)
        budget = self._budget.calculate(len(inquiry.sub_queries))
        articles = await self._cited_articles(inquiry.question)
        searches = await asyncio.gather(
            *(self._search_domain(inquiry, one, budget, articles) for one in inquiry.sub_queries)
        )
        results = tuple(one.result for one in searches)
        degraded = [item for one in searches for item in one.degraded]
        supplement = await self._legal_supplement(inquiry, searches)
        degraded += supplement.degraded
        documents, failure = await self._bring_together(inquiry, searches, supplement.hits, budget)
        degraded += failure
        documents = articles.leading(documents)
        trace = _trace(searches, budget, supplement.hits, documents) | _articles_trace(articles) | spelling
        return RetrievalOutcome(results, tuple(documents), articles, tuple(dict.fromkeys(degraded)), trace)

    async def _put_right(self, inquiry: RetrievalInquiry) -> tuple[RetrievalInquiry, dict[str, str]]:
        """The inquiry without typing errors and parties of a made-up case; for the trace, what was read differently."""
        texts = dict.fromkeys([inquiry.question, *(one.query for one in inquiry.sub_queries)])
        if self._settings.enable_spelling:
            respelled = self._chain.searcher.spelling.respelled
            right = await self._chain.in_pool(lambda: {text: respelled(text) for text in texts})
        else:
            right = {text: Respelling(text) for text in texts}
        read = {text: without_parties(one.text) for text, one in right.items()}
        sub_queries = tuple(replace(one, query=read[one.query]) for one in inquiry.sub_queries)
        corrections = dict.fromkeys(one for text in texts for one in right[text].corrections)
        question = read[inquiry.question]
        return replace(inquiry, question=question, sub_queries=sub_queries), Respelling(
            question, tuple(corrections)
        ).trace

    async def _cited_articles(self, question: str) -> ArticleLookup:
        """The articles that the question cites; one that cites none costs no turn of a worker thread."""
        searcher = self._chain.searcher
        references = searcher.law_names.articles(question)
        if not references:
            return NOTHING_CITED
        return await self._chain.in_pool(self._articles.look_up, searcher, question, references)

    async def _search_domain(
        self, inquiry: RetrievalInquiry, sub_query: SubQuery, budget: DocumentBudget, articles: ArticleLookup
    ) -> _DomainSearch:
        """Search one domain, judge what was found, and climb the retry levels if it is not enough.

        A question that asks for articles and nothing else is answered by these, whatever the search finds.
        """
        plan, outcome = await self._chain.in_pool(self._plan_and_search, inquiry, sub_query, budget)
        found, degraded = outcome.hits, outcome.degraded
        hits = tuple(self._balanced(found)[: plan.request.k]) if sub_query.domain == LEGAL_DOMAIN else found
        verdict = self._evaluator.evaluate(plan.profile.terms, hits)
        passed = verdict.passed or (articles.is_answer and not articles.missing)
        result = RetrievalResult(sub_query.domain, sub_query.query, hits, passed, plan.mode.value)
        if not passed and not articles.is_answer and self._settings.enable_graduated_retry:
            retried = await self._retry.run(plan, result, self._search)
            result, degraded = retried.result, (*degraded, *retried.degraded)
            found = result.hits
        return _DomainSearch(plan, result, found, degraded)

    def _plan_and_search(
        self, inquiry: RetrievalInquiry, sub_query: SubQuery, budget: DocumentBudget
    ) -> tuple[DomainPlan, SearchOutcome]:
        """Both in one turn of a worker thread."""
        agent = self._agents[sub_query.domain]
        variants = inquiry.variants if len(inquiry.sub_queries) == 1 else ()
        plan = self._planner.plan(
            self._chain.searcher, sub_query, agent.pack.collection, budget, variants, inquiry.context
        )
        is_law = sub_query.domain == LEGAL_DOMAIN
        return plan, agent.retrieve_only(_reaching_further(plan.request) if is_law else plan.request)

    async def _search(self, domain: str, plan: DomainPlan) -> SearchOutcome:
        return await self._agents[domain].aretrieve_only(plan.request)

    async def _legal_supplement(self, inquiry: RetrievalInquiry, searches: Sequence[_DomainSearch]) -> SearchOutcome:
        """Statutes beside the main domains, when the question or what was found has a legal side."""
        main_domains = {one.result.domain for one in searches}
        if (
            not self._settings.enable_legal_supplement
            or LEGAL_DOMAIN in main_domains
            or LEGAL_DOMAIN not in self._agents
        ):
            return SearchOutcome(())
        if not await self._chain.in_pool(self._needs_law, inquiry, searches):
            return SearchOutcome(())
        plan = searches[0].plan
        request = replace(plan.request, k=self._settings.legal_supplement_k, mmr_lambda=None)
        if len(searches) > 1:
            request = replace(request, queries=(inquiry.question,), readings=(inquiry.question,))
        return await self._chain.in_pool(self._search_supplement, request, merge(one.result.hits for one in searches))

    def _search_supplement(self, request: SearchRequest, guides: Sequence[Hit]) -> SearchOutcome:
        """Statute articles, those first that the found guides rest on; other legal documents where these run out."""
        outcome = self._agents[LEGAL_DOMAIN].retrieve_only(_reaching_further(request))
        articles = [hit for hit in outcome.hits if hit.chunk.label]
        others = [hit for hit in outcome.hits if not hit.chunk.label]
        degraded = outcome.degraded
        try:
            basis = legal_basis(self._chain.searcher, LEGAL_DOMAIN, request.readings, guides, articles)
        except RerankerUnavailable as error:
            basis, degraded = [], (*degraded, Degradation(component=Component.RERANK, reason=str(error)))
        hits = [*cited_first(articles, guides, basis=basis), *others][: request.k]
        return SearchOutcome(tuple(hits), degraded)

    def _needs_law(self, inquiry: RetrievalInquiry, searches: Sequence[_DomainSearch]) -> bool:
        searcher = self._chain.searcher
        references = searcher.law_names.find(inquiry.question)
        if self._supplement.question_is_legal(inquiry.question, references):
            return True
        best = sorted((hit for one in searches for hit in one.result.hits), key=lambda hit: -hit.relevance)
        return self._supplement.documents_are_disputes([_title_terms(searcher, hit.chunk) for hit in best])

    async def _bring_together(
        self,
        inquiry: RetrievalInquiry,
        searches: Sequence[_DomainSearch],
        supplement: Sequence[Hit],
        budget: DocumentBudget,
    ) -> tuple[list[Hit], list[Degradation]]:
        """One list: a single domain keeps its order and gets the supplement on top; several are ranked together."""
        results = [one.result for one in searches]
        if len(results) == 1:
            return merge_in_order(results[0].hits, supplement), []
        merged = merge([*(result.hits for result in results), supplement])
        if not self._settings.enable_cross_domain_rerank:
            return merged[: budget.total], []
        lists = [*(one.found for one in searches), supplement]
        read = merge(lists)
        try:
            relevance = await self._chain.in_pool(
                self._chain.searcher.relevance, self._planner.expander.readings(inquiry.question), read
            )
        except RerankerUnavailable as error:
            return merged[: budget.kept], [Degradation(component=Component.RERANK, reason=str(error))]
        found = {content_identity(hit): score for hit, score in zip(read, relevance, strict=True)}
        rated = [[replace(hit, relevance=found[content_identity(hit)]) for hit in hits] for hits in lists]
        return _keep_each_domain(self._balanced(*rated), results, budget.kept), []

    def _balanced(self, *lists: Sequence[Hit]) -> list[Hit]:
        return rank_together(lists, similarity_weight(self._chain.searcher.embedder_id))


def _reaching_further(request: SearchRequest) -> SearchRequest:
    """The request with more hits, unless these are chosen to differ from each other."""
    return request if request.mmr_lambda is not None else replace(request, k=request.k + _LAW_REACH)


def _title_terms(searcher: HybridSearcher, chunk: Chunk) -> Sequence[str]:
    stored = chunk.load_terms()
    return searcher.all_terms(chunk.title) if stored is None else stored.title


def merge_in_order(hits: Sequence[Hit], supplement: Sequence[Hit]) -> list[Hit]:
    """The hits, then those of the supplement that are not among them."""
    return merge([[*hits, *supplement]])


def _keep_each_domain(ranked: Sequence[Hit], results: Sequence[RetrievalResult], kept: int) -> list[Hit]:
    """The best ``kept`` documents, with the best of each domain among them so that no part goes without."""
    best_of_each = [
        next((hit for hit in ranked if hit.chunk.id == result.hits[0].chunk.id), None)
        for result in results
        if result.hits
    ]
    must = {hit.chunk.id for hit in best_of_each if hit is not None}
    free = kept - len(must)
    chosen: set[str] = set(must)
    for hit in ranked:
        if free <= 0:
            break
        if hit.chunk.id not in chosen:
            chosen.add(hit.chunk.id)
            free -= 1
    return [hit for hit in ranked if hit.chunk.id in chosen][: max(kept, len(must))]


def _trace(
    searches: Sequence[_DomainSearch], budget: DocumentBudget, supplement: Sequence[Hit], documents: Sequence[Hit]
) -> dict[str, str | int]:
    trace: dict[str, str | int] = {"k": budget.per_domain, "supplement": len(supplement), "documents": len(documents)}
    for one in searches:
        trace[f"{one.result.domain}.mode"] = one.result.mode
        trace[f"{one.result.domain}.found"] = len(one.result.hits)
        trace[f"{one.result.domain}.queries"] = len(one.plan.request.queries)
        if one.result.steps:
            trace[f"{one.result.domain}.retry"] = " → ".join(one.result.steps)
    return trace


def _articles_trace(articles: ArticleLookup) -> dict[str, str | int]:
    cited = {"articles.found": len(articles.found), "articles.missing": len(articles.missing)}
    return dict(cited) if any(cited.values()) else {}
