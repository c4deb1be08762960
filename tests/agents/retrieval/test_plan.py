"""From real questions to search requests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.retrieval.budget import DocumentBudget
from agents.retrieval.inquiry import RetrievalInquiry
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import DomainPlan, SearchPlanner
from agents.retrieval.search_mode import SearchMode, balance
from schemas.chat import CompanyProfile, UserContext
from tests.support.packs import shipped_packs
from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import open_searcher
from utils.config.settings import Settings
from utils.question_decomposer import SubQuery
from utils.routing.search_hints import SearchHint
from vectorstores.ranking.combiner import LinearCombiner, MeasuredFusion
from vectorstores.search.hybrid import HybridSearcher

CITING = "근로기준법 제60조의 연차휴가는 며칠인가요?"
SHORT = "퇴직금은 언제까지 지급해야 하나요?"
VAGUE = "직원이 있어요"
LONG = (
    "회사에서 근로자 한 사람과 계약을 하고 일을 하게 했는데, 정한 시간 이상 근로한 날이 있으면 임금을 더 지급해야 하는지, 그 기간 동안 "
    "사업주가 신고할 의무가 있는지, 근로자가 신청하면 필요한 금액을 어떤 기준과 방법으로 계산해서 언제까지 지급해야 하는지 그리고 "
    "위반하면 어떤 처벌이 적용되는지 알고 싶습니다."
)
OTHER = (
    "직원이 육아휴직을 쓰겠다고 합니다. 대체 인력을 뽑으면 지원금이 있는지, 4대보험은 어떻게 처리하는지 알고 싶습니다."
)


HINTS = tuple(map(SearchHint.parse, shipped_packs().get("hr_labor").search_hints))


def plan(
    searcher: HybridSearcher,
    expander: MultiQueryExpander,
    question: str,
    settings: Settings | None = None,
    *,
    k: int = 4,
    variants: tuple[str, ...] = (),
    context: UserContext | None = None,
) -> DomainPlan:
    planner = SearchPlanner(settings or Settings(), expander)
    budget = DocumentBudget(k, k, k)
    return planner.plan(searcher, SubQuery("hr_labor", question), "hr_labor_db", budget, variants, context, HINTS)


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        (CITING, SearchMode.EXACT_PLUS_VECTOR),
        ("근기법상 해고예고는 어떻게 하나요?", SearchMode.EXACT_PLUS_VECTOR),
        (SHORT, SearchMode.BM25_HEAVY),
        ("해고예고수당은 얼마인가요?", SearchMode.BM25_HEAVY),
        (VAGUE, SearchMode.MMR_DIVERSE),
        ("알려 주세요", SearchMode.MMR_DIVERSE),
        (LONG, SearchMode.VECTOR_HEAVY),
        (OTHER, SearchMode.HYBRID),
    ],
)
def test_each_mode_has_its_questions_and_its_share_of_vectors(
    searcher: HybridSearcher, expander: MultiQueryExpander, question: str, mode: SearchMode
) -> None:
    made = plan(searcher, expander, question)
    assert made.mode is mode
    sides = balance(mode, searcher.embedder_id)
    assert (made.request.vector_weight, made.request.tilt) == (sides.weight, sides.tilt)
    assert made.request.pool == round(Settings().candidate_pool * (1 - sides.pool))
    assert bool(made.request.cited) == (mode is SearchMode.EXACT_PLUS_VECTOR)
    assert made.request.queries[0] == made.request.readings[0] == question
    assert (made.request.mmr_lambda is not None) == (mode is SearchMode.MMR_DIVERSE)
    assert plan(searcher, expander, question, Settings(enable_adaptive_search=False)).mode is SearchMode.HYBRID


def test_other_wordings_are_searched_for_where_they_can_find_more(
    searcher: HybridSearcher, expander: MultiQueryExpander, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small collection is among the candidates as a whole; of a larger one as much as the pool of the vector side holds."""
    size = searcher.index.collections["hr_labor_db"].size
    whole = plan(searcher, expander, OTHER)
    assert whole.sees_all
    assert whole.request.vector_pool == size
    assert whole.request.queries == (OTHER,)
    assert plan(searcher, expander, OTHER, variants=("대체 인력 지원",)).request.queries == (OTHER, "대체 인력 지원")

    monkeypatch.setattr("agents.retrieval.plan._SEEN_WHOLE", size - 1)
    assert plan(searcher, expander, OTHER, Settings(candidate_pool=1_000)).sees_all
    part = plan(searcher, expander, OTHER, Settings(candidate_pool=6))
    assert not part.sees_all
    assert part.request.pool + part.request.vector_pool == 6
    assert len(part.request.queries) - 1 == Settings().multi_query_count


def test_a_vague_question_is_answered_widely(searcher: HybridSearcher, expander: MultiQueryExpander) -> None:
    request = plan(searcher, expander, VAGUE, k=5).request
    assert (request.k, request.mmr_lambda, request.mmr_fetch) == (5, 0.6, 20)


def test_what_is_cited_is_part_of_the_profile(searcher: HybridSearcher, expander: MultiQueryExpander) -> None:
    (reference,) = plan(searcher, expander, CITING).profile.references
    assert reference.label == "근로기준법|제60조"


def test_settings_reach_the_request(searcher: HybridSearcher, expander: MultiQueryExpander) -> None:
    settings = Settings(
        enable_hybrid_search=False,
        enable_reranking=False,
        candidate_pool=99,
        rerank_pool=17,
        rerank_top_k=2,
        vector_search_weight=0.55,
    )
    request = plan(searcher, expander, OTHER, settings).request
    assert (request.lexical, request.rerank) == (False, False)
    assert request.pool == 66
    assert (request.rerank_pool, request.per_variant, request.vector_weight) == (17, 2, 0.55)


@pytest.mark.parametrize(
    ("setting", "embedder", "fusion"),
    [
        ("auto", "kiwi-words", "score"),
        ("auto", "openai-small", "rrf"),
        ("rrf", "kiwi-words", "rrf"),
        ("score", "openai-small", "score"),
    ],
)
def test_the_fusion_is_the_settings_or_the_embedders(
    labour: SmallKnowledge,
    searcher: HybridSearcher,
    expander: MultiQueryExpander,
    setting: str,
    embedder: str,
    fusion: str,
) -> None:
    other = open_searcher(labour, searcher.index, embedder_id=embedder)
    settings = Settings.model_validate({"fusion": setting})
    assert plan(other, expander, SHORT, settings).request.fusion == fusion


def test_a_fusion_measured_with_the_embedder_is_used(
    labour: SmallKnowledge, searcher: HybridSearcher, expander: MultiQueryExpander
) -> None:
    measured = MeasuredFusion(kind="score", vector_weights={mode.value: 0.15 for mode in SearchMode})
    order = replace(LinearCombiner.load(), fusion=measured)
    other = open_searcher(labour, searcher.index, embedder_id="openai-small", order=order)

    def chosen(**settings: object) -> tuple[str, float]:
        request = plan(other, expander, SHORT, Settings.model_validate(settings)).request
        return request.fusion, request.vector_weight

    assert chosen() == ("score", 0.15)
    assert chosen(enable_adaptive_search=False, vector_search_weight=0.55) == ("score", 0.55)
    assert chosen(fusion="rrf") == ("rrf", 0.2), "the weights of one fusion say nothing of another"


def test_a_models_variants_and_the_company_widen_the_search(
    searcher: HybridSearcher, expander: MultiQueryExpander
) -> None:
    small = UserContext(company=CompanyProfile(employee_count=3))
    queries = plan(searcher, expander, SHORT, variants=("퇴직급여 지급 기한",), context=small).request.queries
    assert queries[:2] == (SHORT, "퇴직급여 지급 기한")
    assert queries[-1] == f"{SHORT} 상시 근로자 5명 미만 사업장 적용 범위"
    large = UserContext(company=CompanyProfile(employee_count=30))
    assert not any("5명 미만" in query for query in plan(searcher, expander, SHORT, context=large).request.queries)


def test_variants_of_the_whole_question_go_to_the_part_that_they_fit(expander: MultiQueryExpander) -> None:
    wages = SubQuery("hr_labor", "카페 직원 월급은 언제 주나요?", ("임금 지급일",))
    tax = SubQuery("finance_tax", "카페 세금은 언제 신고하나요?")
    whole = ("임금 정기 지급", "부가가치세 신고 기한", "카페", "상표")
    inquiry = RetrievalInquiry("직원 월급과 세금은 언제 내나요?", (wages, tax), whole)
    planner = SearchPlanner(Settings(), expander)
    assert planner.variants(inquiry, wages) == ("임금 지급일", "임금 정기 지급", "카페", "상표")
    assert planner.variants(inquiry, tax) == ("부가가치세 신고 기한", "카페", "상표")
    alone = RetrievalInquiry(wages.query, (wages,), whole)
    assert planner.variants(alone, wages) == ("임금 지급일", *whole)


def test_variants_say_nothing_of_the_parties_of_a_made_up_case() -> None:
    part = SubQuery("hr_labor", "갑은 을에게 임금을 주나요?", ("갑이 을에게 줄 임금",))
    inquiry = RetrievalInquiry(part.query, (part,), ("갑과 을 사이의 임금",)).without_parties()
    assert inquiry.sub_queries[0].variants == ("줄 임금",)
    assert inquiry.variants == ("사이의 임금",)


def test_a_stronger_plan_asks_more_of_a_larger_pool(searcher: HybridSearcher, expander: MultiQueryExpander) -> None:
    planner = SearchPlanner(Settings(), expander)
    made = plan(searcher, expander, OTHER)
    wider = planner.widened(made, 7)
    stronger = planner.strengthened(wider)
    assert (wider.request.k, wider.request.queries) == (7, made.request.queries)
    assert (stronger.request.k, stronger.request.pool) == (7, 2 * made.request.pool)
    assert stronger.request.vector_pool == 2 * made.request.vector_pool
    assert set(stronger.request.queries) >= set(made.request.queries)
    assert len(set(stronger.request.queries)) == len(stronger.request.queries)


def test_the_plan_finds_the_document_that_answers(searcher: HybridSearcher, expander: MultiQueryExpander) -> None:
    outcome = searcher.search("hr_labor_db", plan(searcher, expander, "퇴직금은 언제까지 지급해야 하나요?").request)
    assert any("퇴직" in hit.chunk.title for hit in outcome.hits)


def test_the_candidates_of_each_side_can_be_set(searcher: HybridSearcher, expander: MultiQueryExpander) -> None:
    request = plan(searcher, expander, OTHER, Settings(lexical_pool=30, vector_pool=20)).request
    assert (request.pool, request.vector_pool) == (30, 20)
