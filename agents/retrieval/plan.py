"""Makes the search request of each domain from the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.answering.company_profile import search_hint
from agents.retrieval.budget import DocumentBudget
from agents.retrieval.inquiry import RetrievalInquiry
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.search_mode import (
    QuestionProfile,
    SearchMode,
    SearchStrategySelector,
    balance,
    rare_term_count,
)
from schemas.chat import UserContext
from utils.config.settings import Settings
from utils.korean.sentence_spans import split_sentences
from utils.question_decomposer import SubQuery
from utils.routing.search_hints import SearchHint
from vectorstores.ranking.fusion import Fusion
from vectorstores.search.documents import tagged
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import Clause, SearchRequest

# Statutes looked at beyond those kept: the article that a found guide rests on is often not among the first.
_LAW_REACH = 30

# Of the order of a question with its words in another language, against 1 for that of the question as asked: a document is in one
# of the two languages.
_OTHER_WORDS_WEIGHT = 1.0

# Chunks that cost less to compare one by one than to search for in several wordings.
_SEEN_WHOLE = 500

# What fuses better, by embedder family (see evaluation/baselines).
_FUSION_BY_FAMILY: dict[str, Fusion] = {"kiwi": "score", "neural": "rrf"}


@dataclass(frozen=True, slots=True)
class DomainPlan:
    """The search of one domain.

    ``sees_all``: every chunk of the collection is among the candidates, so no other wording of the question finds more.
    """

    sub_query: SubQuery
    profile: QuestionProfile
    mode: SearchMode
    request: SearchRequest
    sees_all: bool = False


def with_further_hits(request: SearchRequest) -> SearchRequest:
    """Return the request for more hits, unless its hits are chosen to differ from each other."""
    return request if request.mmr_lambda is not None else replace(request, k=request.k + _LAW_REACH)


class SearchPlanner:
    """Chooses the mode and builds the request; pure but for the document frequencies it looks up."""

    def __init__(
        self, settings: Settings, expander: MultiQueryExpander, selector: SearchStrategySelector | None = None
    ) -> None:
        self._settings = settings
        self._selector = selector or SearchStrategySelector(settings.enable_adaptive_search)
        self.expander = expander

    def plan(
        self,
        searcher: HybridSearcher,
        sub_query: SubQuery,
        collection: str,
        budget: DocumentBudget,
        variants: tuple[str, ...] = (),
        context: UserContext | None = None,
        hints: Sequence[SearchHint] = (),
    ) -> DomainPlan:
        """Return the plan for one sub-query; ``hints`` are those of its domain."""
        question, k = sub_query.query, sub_query.k or budget.per_domain
        profile = self._profile(searcher, question, collection)
        mode = self._selector.select(profile)
        settings = self._settings
        hint = search_hint(context, hints)
        sides = balance(mode, searcher.embedder_id)
        size = _size(searcher, collection)
        vector_pool = settings.vector_pool or (
            size if size <= _SEEN_WHOLE else round(settings.candidate_pool * sides.pool)
        )
        # without a learned order other wordings count in the order, too
        sees_all = searcher.order is not None and size <= vector_pool
        expanded = self.expander.expand(
            question,
            variants,
            frequencies=lambda terms: searcher.document_frequencies([collection], terms),
            by_rule=not sees_all,
        )
        queries = (question, *expanded, *([f"{question} {hint}"] if hint else []))
        diverse = mode is SearchMode.MMR_DIVERSE
        request = SearchRequest(
            queries=queries,
            readings=self.expander.readings(question),
            k=k,
            pool=settings.lexical_pool or round(settings.candidate_pool * (1 - sides.pool)),
            vector_pool=vector_pool,
            rerank_pool=settings.rerank_pool,
            vector_weight=self._vector_weight(mode, searcher),
            tilt=sides.tilt,
            cited=profile.references if mode is SearchMode.EXACT_PLUS_VECTOR else (),
            fusion=self._fusion(searcher),
            formal=self.expander.formalize(question),
            clauses=(*self._clauses(question), *self._in_other_words(sub_query)),
            lexical=settings.enable_hybrid_search,
            rerank=settings.enable_reranking,
            per_variant=settings.rerank_top_k,
            mmr_lambda=settings.mmr_lambda_mult if diverse else None,
            mmr_fetch=settings.mmr_fetch_k_multiplier * k,
            within=tagged(searcher.index.collections.get(collection), sub_query.tags),
            own_rarity=bool(sub_query.tags),
        )
        return DomainPlan(sub_query, profile, mode, request, sees_all)

    def variants(self, inquiry: RetrievalInquiry, sub_query: SubQuery) -> tuple[str, ...]:
        """Return a model's variants for one sub-query: its own, and those of the whole question that fit no other sub-query better."""
        whole = inquiry.variants
        if len(inquiry.sub_queries) > 1:
            others = [other.query for other in inquiry.sub_queries if other != sub_query]
            whole = tuple(variant for variant in whole if self.expander.fits(variant, sub_query.query, others))
        return (*sub_query.variants, *whole)

    def _clauses(self, question: str) -> tuple[Clause, ...]:
        """Return the clauses with most terms, at most as many as there are variants."""
        clauses = self.expander.clauses(question)[: self._settings.multi_query_count]
        return tuple(Clause(clause, self.expander.formalize(clause)) for clause in clauses)

    def _in_other_words(self, sub_query: SubQuery) -> tuple[Clause, ...]:
        """The question with its further words: another order beside that of the question as asked."""
        if not sub_query.terms:
            return ()
        formal = f"{self.expander.formalize(sub_query.query)} {sub_query.terms}"
        return (Clause(sub_query.query, formal, _OTHER_WORDS_WEIGHT),)

    def widened(self, plan: DomainPlan, k: int) -> DomainPlan:
        """Return the same search with ``k`` documents to keep."""
        return replace(plan, request=replace(plan.request, k=k))

    def strengthened(self, plan: DomainPlan, wordings: tuple[str, ...] = (), *, sees_all: bool = False) -> DomainPlan:
        """Return the same search with more query variants, a model's ``wordings`` first, and a larger pool.

        Where the pool holds the whole collection (``sees_all``) only a model's wordings are added: nothing else can change the order.
        """
        question = plan.sub_query.query
        more = self.expander.expand(question, wordings, extra=self._settings.multi_query_count, by_rule=not sees_all)
        queries = tuple(dict.fromkeys((*plan.request.queries, *more)))
        if sees_all:
            return replace(plan, request=replace(plan.request, queries=queries))
        pool, vector_pool = 2 * plan.request.pool, 2 * plan.request.vector_pool
        return replace(plan, request=replace(plan.request, queries=queries, pool=pool, vector_pool=vector_pool))

    def _profile(self, searcher: HybridSearcher, question: str, collection: str) -> QuestionProfile:
        terms = searcher.analyze(question).terms
        frequencies = searcher.document_frequencies([collection], terms)
        return QuestionProfile(
            text=question,
            terms=terms,
            references=tuple(searcher.law_names.find(question)),
            rare_terms=rare_term_count(frequencies, _size(searcher, collection)),
            sentences=len(split_sentences(question)),
        )

    def _vector_weight(self, mode: SearchMode, searcher: HybridSearcher) -> float:
        """Return the measured weight of the mode where the fusion is the one it was measured with, else that of the family."""
        override = self._settings.vector_search_weight
        measured = searcher.order.fusion if searcher.order else None
        if measured is None or measured.kind != self._fusion(searcher) or mode not in measured.vector_weights:
            return balance(mode, searcher.embedder_id, override).weight
        return override if mode is SearchMode.HYBRID and override is not None else measured.vector_weights[mode]

    def _fusion(self, searcher: HybridSearcher) -> Fusion:
        if self._settings.fusion != "auto":
            return self._settings.fusion
        if searcher.order is not None and searcher.order.fusion is not None:
            return searcher.order.fusion.kind
        return _FUSION_BY_FAMILY["kiwi" if searcher.embedder_id.startswith("kiwi") else "neural"]


def _size(searcher: HybridSearcher, collection: str) -> int:
    """Return the number of chunks of the collection; 0 where it came after the index version was built."""
    held = searcher.index.collections.get(collection)
    return held.size if held is not None else 0
