"""The retrieve stage: a list of named steps over the sub-questions of one question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from agents.answering.units_in_force import in_force, with_validity
from agents.retrieval.agent_set import AgentSet
from agents.retrieval.article_search import ArticleSearch
from agents.retrieval.budget import DocumentBudget, DocumentBudgetCalculator
from agents.retrieval.domain_search import DomainFinding, DomainSearch
from agents.retrieval.inquiry import RetrievalInquiry, RetrievalOutcome
from agents.retrieval.legal_supplement import LegalSupplement
from agents.retrieval.merge import content_identity, keep_each_domain, merge, rank_together, similarity_weight
from agents.retrieval.plan import SearchPlanner
from agents.retrieval.unit_search import UnitSearch, with_documents_of
from agents.state import AskedUnits
from chains.rag_chain import RAGChain
from schemas.chat import Component, Degradation
from utils.config.settings import Settings
from utils.documents import Hit
from utils.protocols import Analyzer
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from vectorstores.rerankers.base import RerankerUnavailable
from vectorstores.search.articles import NOTHING_CITED, ArticleLookup
from vectorstores.search.degradation import degradation


class RetrievalAgent:
    """cited articles → search of each domain → legal supplement → merge → cross-domain rerank → answer units."""

    def __init__(
        self,
        settings: Settings,
        chain: RAGChain,
        agents: AgentSet,
        analyzer: Analyzer,
        planner: SearchPlanner,
        evaluator: RuleBasedRetrievalEvaluator,
        units: UnitSearch,
    ) -> None:
        self._settings = settings
        self._chain = chain
        self._expander = planner.expander
        self._budget = DocumentBudgetCalculator(
            settings, fixed_limit=settings.enable_fixed_doc_limit, rerank=settings.enable_cross_domain_rerank
        )
        self._articles = ArticleSearch(analyzer)
        self._units = units
        self._domain = DomainSearch(settings, chain, agents, planner, evaluator)
        self._supplement = LegalSupplement(settings, chain, agents, analyzer)

    async def retrieve(self, inquiry: RetrievalInquiry, today: date | None = None) -> RetrievalOutcome:
        """Find the documents for a question asked ``today``; where no day is given, units are taken to hold.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: no side of the index could be searched.
        """
        inquiry = inquiry.without_parties()
        budget = self._budget.calculate(len(inquiry.sub_queries))
        articles = await self._cited_articles(inquiry.question)
        findings = await asyncio.gather(
            *(self._domain.run(inquiry, sub_query, budget, articles) for sub_query in inquiry.sub_queries)
        )
        supplement = await self._supplement.search(inquiry.question, findings)
        searched, failure = await self._bring_together(inquiry.question, findings, supplement.hits, budget)
        units = await self._chain.in_pool(self._units.run, self._chain.searcher, inquiry, searched)
        if today is not None:
            units = tuple(in_force(asked, today) for asked in units)
        documents = articles.leading(with_documents_of(units, searched))
        if today is not None:
            documents = with_validity(documents, units, today)
        degraded = [*(item for finding in findings for item in finding.degraded), *supplement.degraded, *failure]
        return RetrievalOutcome(
            results=tuple(finding.result for finding in findings),
            documents=tuple(documents),
            searched=tuple(searched),
            articles=articles,
            units=units,
            degraded=tuple(dict.fromkeys(degraded)),
            trace=_trace(findings, budget, supplement.hits, documents)
            | _articles_trace(articles)
            | _units_trace(units),
        )

    async def _cited_articles(self, question: str) -> ArticleLookup:
        """The articles that the question cites; one that cites none costs no turn of a worker thread."""
        searcher = self._chain.searcher
        references = searcher.law_names.articles(question)
        if not references:
            return NOTHING_CITED
        return await self._chain.in_pool(self._articles.look_up, searcher, question, references)

    async def _bring_together(
        self, question: str, findings: Sequence[DomainFinding], supplement: Sequence[Hit], budget: DocumentBudget
    ) -> tuple[list[Hit], list[Degradation]]:
        """Return the documents as a list, and what failed: a single domain keeps its order, the supplement behind it; several are ranked together."""
        results = [finding.result for finding in findings]
        if len(results) == 1:
            return merge([[*results[0].hits, *supplement]]), []
        merged = merge([*(result.hits for result in results), supplement])
        if not self._settings.enable_cross_domain_rerank:
            return merged[: budget.total], []
        lists = [*(finding.found for finding in findings), supplement]
        read = merge(lists)
        try:
            relevance = await self._chain.in_pool(self._relevance, question, read)
        except RerankerUnavailable as error:
            return merged[: budget.kept], [degradation(Component.RERANK, error)]
        found = {content_identity(hit): score for hit, score in zip(read, relevance, strict=True)}
        rated = [[replace(hit, relevance=found[content_identity(hit)]) for hit in hits] for hits in lists]
        ranked = rank_together(rated, similarity_weight(self._chain.searcher.embedder_id))
        return keep_each_domain(ranked, results, budget.kept), []

    def _relevance(self, question: str, hits: Sequence[Hit]) -> Sequence[float]:
        return self._chain.searcher.relevance(self._expander.readings(question), hits)


def _trace(
    findings: Sequence[DomainFinding], budget: DocumentBudget, supplement: Sequence[Hit], documents: Sequence[Hit]
) -> dict[str, str | int]:
    trace: dict[str, str | int] = {"k": budget.per_domain, "supplement": len(supplement), "documents": len(documents)}
    for finding in findings:
        trace[f"{finding.result.domain}.mode"] = finding.result.mode
        trace[f"{finding.result.domain}.found"] = len(finding.result.hits)
        trace[f"{finding.result.domain}.queries"] = len(finding.plan.request.queries)
        if finding.result.steps:
            trace[f"{finding.result.domain}.retry"] = " → ".join(finding.result.steps)
    return trace


def _units_trace(units: Sequence[AskedUnits]) -> dict[str, str | int]:
    return {"asks": len(units), "asks.answered": sum(asked.is_answered for asked in units)} if units else {}


def _articles_trace(articles: ArticleLookup) -> dict[str, str | int]:
    cited = {"articles.found": len(articles.found), "articles.missing": len(articles.missing)}
    return dict(cited) if any(cited.values()) else {}
