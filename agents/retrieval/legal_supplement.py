"""The law itself, beside the documents of the main domains: when it is needed, and which articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.base import BaseAgent
from agents.retrieval.agent_set import AgentSet
from agents.retrieval.domain_search import DomainFinding
from agents.retrieval.legal_basis import legal_basis
from agents.retrieval.merge import cited_first, merge
from agents.retrieval.plan import with_further_hits
from chains.rag_chain import RAGChain
from schemas.chat import Component
from utils.config.settings import Settings
from utils.documents import Chunk, Hit
from utils.law.question_references import LawReference
from utils.protocols import Analyzer
from utils.retrieval_evaluator import provider_family
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.rerankers.base import RerankerUnavailable
from vectorstores.search.degradation import degradation
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchOutcome, SearchRequest

# Lemmas, matched as whole terms: 방법, 용법 and 편법 hold the syllable 법 and are not among them.
_LEGAL_LEMMAS = frozenset(
    "법 법률 법적 법령 소송 손해배상 배상 판결 판례 고소 고발 위법 불법 합법 적법 소장 재판 법원 변호사 민사 형사 처벌 벌칙 가압류 가처분".split()
)
# Whether the analyser keeps a compound whole depends on the words around it, so these are looked for in unbroken text.
_LEGAL_COMPOUNDS = frozenset("소멸시효 강제집행 지급명령 내용증명 이의신청 행정심판 구제신청".split())
# Penalties are no sign of a dispute: nearly every guide names one.
_DISPUTE_LEMMAS = frozenset("소송 분쟁 손해배상 침해 고소 고발 가압류 가처분 판결 승소 패소 배상".split())
_DISPUTE_COMPOUNDS = frozenset({"구제신청"})
# By reranker family: relevance below which a law document is no supplement. At 0.35 the embedded one keeps 98 % of the gold
# articles of 61 business questions over the statutes in force and 90 % of the gold guides of 50 legal questions over the starter
# base, and drops 76 % of what 151 questions of other domains find there and 93 % of what 44 questions out of scope do. The neural
# one is that from which the retrieval evaluator counts a document.
_RELEVANCE_FLOOR = {"kiwi": 0.35, "neural": 0.05}
_TOP_DOCUMENTS = 5
_DISPUTES_NEEDED = 2


class LegalSigns:
    """Tells from the question, and from the disputes that the found documents name, whether the law is needed."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    def question_is_legal(self, question: str, references: Sequence[LawReference]) -> bool:
        """Return whether the question names a statute or has a legal lemma."""
        unbroken = "".join(question.split())
        return bool(references) or bool(
            _named(self._analyzer.terms(question), unbroken, _LEGAL_LEMMAS, _LEGAL_COMPOUNDS)
        )

    def documents_are_disputes(self, documents: Sequence[Sequence[str]]) -> bool:
        """Return whether the first five documents, each given as its terms, hold two different dispute lemmas."""
        found: set[str] = set()
        for terms in documents[:_TOP_DOCUMENTS]:
            found |= _named(terms, "".join(terms), _DISPUTE_LEMMAS, _DISPUTE_COMPOUNDS)
        return len(found) >= _DISPUTES_NEEDED


class LegalSupplement:
    """Searches the law for a question whose domains are others."""

    def __init__(self, settings: Settings, chain: RAGChain, agents: AgentSet, analyzer: Analyzer) -> None:
        self._settings = settings
        self._chain = chain
        self._agents = agents
        self._signs = LegalSigns(analyzer)

    async def search(self, question: str, findings: Sequence[DomainFinding]) -> SearchOutcome:
        """Return legal documents where the question or the found documents have a legal side, else nothing.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: no side of the index could be searched.
        """
        main_domains = {finding.result.domain for finding in findings}
        if (
            not self._settings.enable_legal_supplement
            or self._agents.law is None
            or self._agents.law.pack.key in main_domains
        ):
            return SearchOutcome(())
        return await self._chain.in_pool(self._search, self._agents.law, question, findings)

    def _search(self, law: BaseAgent, question: str, findings: Sequence[DomainFinding]) -> SearchOutcome:
        if not self._is_needed(question, findings):
            return SearchOutcome(())
        request = replace(findings[0].plan.request, k=self._settings.legal_supplement_k, mmr_lambda=None)
        if len(findings) > 1:
            request = replace(request, queries=(question,), readings=(question,))
        return self._articles(law, request, merge(finding.result.hits for finding in findings))

    def _is_needed(self, question: str, findings: Sequence[DomainFinding]) -> bool:
        searcher = self._chain.searcher
        if self._signs.question_is_legal(question, searcher.law_names.find(question)):
            return True
        best = sorted((hit for finding in findings for hit in finding.result.hits), key=lambda hit: -hit.relevance)
        return self._signs.documents_are_disputes([_title_terms(searcher, hit.chunk) for hit in best])

    def _articles(self, law: BaseAgent, request: SearchRequest, guides: Sequence[Hit]) -> SearchOutcome:
        """Return statute articles, those cited by the found guides first, then other legal documents."""
        try:
            outcome = law.retrieve_only(with_further_hits(request))
        except VectorStoreUnavailable as error:  # there are documents already
            return SearchOutcome((), (degradation(Component.INDEX, error),))
        articles = [hit for hit in outcome.hits if hit.chunk.label]
        others = [hit for hit in outcome.hits if not hit.chunk.label]
        degraded = outcome.degraded
        try:
            basis = legal_basis(self._chain.searcher, law.pack.collection, request.readings, guides, articles)
        except RerankerUnavailable as error:
            basis, degraded = [], (*degraded, degradation(Component.RERANK, error))
        hits = [*cited_first(articles, guides, basis=basis), *others][: request.k]
        return SearchOutcome(tuple(self._relevant(hits)), degraded)

    def _relevant(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits above the floor; all of them where no reranker scored them."""
        floor = self._settings.legal_supplement_min_relevance
        if floor is None:
            floor = _RELEVANCE_FLOOR[provider_family(self._chain.searcher.reranker_id)]
        if not any(hit.relevance for hit in hits):
            return list(hits)
        return [hit for hit in hits if hit.relevance >= floor]


def _title_terms(searcher: HybridSearcher, chunk: Chunk) -> Sequence[str]:
    stored = chunk.load_terms()
    return searcher.all_terms(chunk.title) if stored is None else stored.title


def _named(terms: Sequence[str], unbroken: str, lemmas: frozenset[str], compounds: frozenset[str]) -> frozenset[str]:
    return lemmas.intersection(terms) | {compound for compound in compounds if compound in unbroken}
