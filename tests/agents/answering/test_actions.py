"""The next steps of a question, and its deadlines as sources that an answer may cite."""

from __future__ import annotations

from datetime import date

from agents.answering.actions import ActionPlanner, ProposedActions
from agents.retrieval.agent_set import AgentSet
from schemas.chat import ActionType
from tests.support.packs import shipped_packs
from tests.support.routing import LABOR, LAW, TAX
from utils.grounding.check import AnswerChecker
from utils.grounding.sources import grounding_sources
from utils.law.tax_calendar import MOVING_RULE
from utils.routing.domain_pack import DomainPack, PackSet

VAT = ("부가", "가치세", "신고")
IN_JANUARY = date(2026, 1, 5)  # 25 January 2026 is a Sunday, 25 April a Saturday
DISMISSAL, SUIT = "해고 통지서 초안 만들기", "무료 법률상담 안내"


def proposed(terms: str, *domains: str, today: date = IN_JANUARY, packs: PackSet | None = None) -> ProposedActions:
    agents = AgentSet(packs or shipped_packs(), chain=None)  # type: ignore[arg-type]  # nothing is searched for
    return ActionPlanner(agents).propose(terms, terms.split(), domains, today)


def labels(found: ProposedActions) -> list[str]:
    return [action.label for action in found.actions]


def test_the_steps_of_each_domain_come_in_the_order_of_the_domains() -> None:
    asked = "해고 소송"
    assert labels(proposed(asked, LABOR, LAW)) == [DISMISSAL, SUIT]
    assert labels(proposed(asked, LAW, LABOR)) == [SUIT, DISMISSAL]
    assert labels(proposed(asked, LABOR)) == [DISMISSAL], "a domain that is not asked offers nothing"


def test_a_step_that_two_domains_offer_is_offered_once() -> None:
    suit = next(action for action in shipped_packs().get(LAW).actions if action.label == SUIT)

    def offering(pack: DomainPack) -> DomainPack:
        return pack.model_copy(update={"actions": (*pack.actions, suit)}) if pack.key == LABOR else pack

    both = shipped_packs().model_copy(update={"domains": tuple(map(offering, shipped_packs().domains))})
    assert labels(proposed("해고 소송", LABOR, LAW, packs=both)) == [DISMISSAL, SUIT]


def test_a_question_without_a_known_term_is_offered_nothing() -> None:
    assert proposed("휴게 시간", LABOR, LAW, TAX) == ProposedActions((), ())


def test_a_deadline_is_a_step_and_a_source_with_the_same_day() -> None:
    found = proposed(" ".join(VAT), TAX)
    [action], [source] = found.actions, found.sources
    assert (action.type, action.label) == (ActionType.TAX_CALENDAR, "부가가치세 확정신고·납부 일정")
    assert action.params["due_date"] == "2026-01-26"
    assert action.description == "다음 기한은 2026년 1월 26일입니다. 대상: 일반과세자(개인과 법인)"
    assert "2026년 1월 5일을 기준으로" in source.chunk.text
    assert "기한은 2026년 1월 26일입니다(부가가치세법 제49조)" in source.chunk.text
    assert source.chunk.related_laws == ("부가가치세법 제49조",)
    assert source.chunk.source_url == "https://www.law.go.kr/법령/부가가치세법"
    assert source.chunk.domain == TAX
    assert source.found_by == {"computed"}, "room in the prompt is kept for it"


def test_a_source_says_why_a_day_was_moved_and_only_then() -> None:
    [moved] = proposed("부가 가치세", TAX).sources
    assert MOVING_RULE in moved.chunk.text
    [kept] = proposed("법인세", TAX).sources
    assert "2026년 3월 31일" in kept.chunk.text
    assert MOVING_RULE not in kept.chunk.text


def test_a_computed_day_is_grounded_by_its_source_and_another_day_is_not() -> None:
    found = proposed("부가 가치세", TAX)
    sources = grounding_sources(found.sources)
    checker = AnswerChecker()
    sentences = found.sources[0].chunk.sentence_texts()
    assert len(sentences) == 3
    assert checker.check("".join(f"{sentence} [1] " for sentence in sentences), sources).is_grounded
    assert checker.check("다음 신고 기한은 2026년 1월 26일입니다. [1]", sources).is_grounded
    assert not checker.check("다음 신고 기한은 2026년 1월 27일입니다. [1]", sources).is_grounded


def test_deadlines_come_soonest_first_and_before_other_steps() -> None:
    found = proposed("부가 가치세 법인세 원천 징수 해고", LABOR, TAX)
    assert labels(found) == [
        "원천징수세액 납부 일정",
        "부가가치세 확정신고·납부 일정",
        "법인세 신고·납부(12월 말 결산 법인) 일정",
        DISMISSAL,
    ]
    assert len({source.chunk.id for source in found.sources}) == 3


def test_no_more_than_four_deadlines_are_offered() -> None:
    found = proposed("세금 신고 마감", TAX)
    assert len(found.sources) == len(found.actions) == 4
    assert [source.chunk.text.split("기한은 ")[1].split("입니다")[0] for source in found.sources] == [
        "2026년 1월 12일",
        "2026년 1월 12일",
        "2026년 1월 26일",
        "2026년 1월 26일",
    ]


def test_the_day_that_is_asked_for_is_the_one_offered() -> None:
    """November: the interim payment of income tax is due on the 30th, the final return half a year later."""
    today = date(2026, 11, 22)
    [interim] = proposed("종합소득세 중간예납 언제", TAX, today=today).actions
    assert interim.params["due_date"] == "2026-11-30"
    [simplified] = proposed("간이과세자 부가세 신고 언제", TAX, today=today).actions
    assert simplified.params["due_date"] == "2027-01-25"
    [exempt] = proposed("면세사업자 신고 언제까지", TAX, today=today).actions
    assert exempt.params["due_date"] == "2027-02-10"
