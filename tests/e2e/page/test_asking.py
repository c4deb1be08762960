"""A founder asks: the stream, the checks, the sources, what follows, and what goes wrong on the way."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from schemas.chat import AskOutcome, Component, Degradation, NearestDocument, SourceItem, Verdict
from schemas.events import CheckEvent, ErrorEvent, ReplaceEvent, Stage, StatusEvent, TokenEvent
from schemas.problems import ErrorCode, Problem
from tests.contract.conftest import CHAT_KEY, Service
from tests.e2e.page.conftest import Shown, scripted
from tests.support.scripted_chat import HOLD, Script, ScriptedChat, sentence, told

pytestmark = [pytest.mark.slow, pytest.mark.services]

FIRST, SECOND, THIRD = "😀 확정신고는 7월 25일까지입니다[1].", " 세율은 12%입니다[1].", " 미리 준비하세요."
SOURCE = SourceItem(
    index=1,
    title="부가가치세 신고",
    content="과세기간은 6개월입니다.\n확정신고는 7월 25일까지입니다.\n환급은 30일 안에 됩니다.",
    source="국세청",
    url="https://www.nts.go.kr",
    effective_date="2026-01-01",
)
COMPUTED = SourceItem(
    index=1,
    title="주휴수당 계산",
    content="1주 주휴수당은 55,000원입니다.\n계산식: 시급 × 5시간\n11,000원 × 5시간 = 55,000원",
    source="국가법령정보센터",
    metadata={"computed": True, "calculator": "weekly_holiday_pay"},
)
CHECKS = [
    sentence(0, FIRST, Verdict.SUPPORTED, 1),
    sentence(len(FIRST) + 1, SECOND[1:], Verdict.UNSUPPORTED, 1, claims=["12%"]),
    sentence(len(FIRST + SECOND) + 1, THIRD[1:], Verdict.UNCITED),
]
_PROBLEM = Problem(
    title="시간 초과",
    status=504,
    detail="답변이 늦어 멈췄습니다.",
    instance="/",
    code=ErrorCode.TIMEOUT,
    request_id="r",
)
SCRIPTS: dict[str, Script] = {
    "확인": told(FIRST + SECOND + THIRD, [SOURCE], CHECKS),
    "계산": told("55,000원입니다[1].", [COMPUTED], [sentence(0, "55,000원입니다[1].", Verdict.SUPPORTED, 1)]),
    "천천히": [
        StatusEvent(stage=Stage.RETRIEVE, label="관련 문서를 찾고 있습니다"),
        TokenEvent(content="앞부분"),
        HOLD,
    ],
    "살핌": [TokenEvent(content=FIRST + SECOND + THIRD), *(CheckEvent(check=check) for check in CHECKS[:2]), HOLD],
    "모름": told(
        "제공된 문서에서 확인할 수 없습니다.",
        [],
        [],
        asks=[
            AskOutcome(
                text="관세율이 몇 %예요?",
                answered=False,
                nearest=NearestDocument(id="D", title="견본품의 관세", section="면세 한도", likelihood=0.2),
            )
        ],
        degraded=[Degradation(component=Component.VECTOR, reason="의미 검색이 멈춰 낱말로만 찾았습니다.")],
    ),
    "바뀜": [
        TokenEvent(content="지울 말"),
        ReplaceEvent(reason="grounding", content="남은 말입니다.", sources=[]),
        *told("", [], [])[-1:],
    ],
    "늦음": [TokenEvent(content="시작"), ErrorEvent(problem=_PROBLEM)],
}


@pytest.fixture(scope="module")
def running_service() -> Iterator[tuple[Service, ScriptedChat]]:
    with scripted(SCRIPTS) as running:
        yield running


@pytest.fixture
def asking(running_service: tuple[Service, ScriptedChat], shown: Shown) -> Shown:
    shown.page.goto(running_service[0].url)
    return shown


def test_each_sentence_shows_its_verdict_counted_in_code_points(asking: Shown) -> None:
    """The emoji before everything is two units of JavaScript's and one character of the service's."""
    asking.ask("확인")
    sentences = asking.answer.locator(".sentence")
    expect(sentences.nth(0)).to_contain_text("7월 25일까지입니다")
    assert [
        kind for kind in ("supported", "unsupported", "uncited") if asking.answer.locator(f".sentence.{kind}").count()
    ]
    expect(asking.answer.locator(".sentence.supported .mark.ok")).to_have_attribute("aria-label", "근거 확인됨")
    expect(asking.answer.locator(".sentence.unsupported")).to_have_text(
        re.compile("세율은 12%입니다.*출처에 없음: 12%", re.DOTALL)
    )
    expect(asking.answer.locator(".sentence.uncited")).to_have_text(re.compile("미리 준비하세요.*출처 없음", re.DOTALL))


def test_sentences_are_ticked_and_flagged_while_the_answer_is_still_written(asking: Shown) -> None:
    asking.page.fill("#question", "살핌")
    asking.page.keyboard.press("Enter")
    expect(asking.answer.locator(".sentence.supported .mark.ok")).to_be_visible()
    expect(asking.answer.locator(".sentence.unsupported")).to_contain_text("출처에 없음: 12%")
    expect(asking.answer.locator(".sentence.unchecked").last).to_contain_text("미리 준비하세요")
    expect(asking.page.get_by_role("button", name="답변 멈추기")).to_be_visible()
    asking.page.get_by_role("button", name="답변 멈추기").click()


def test_a_source_opens_at_its_sentence_with_the_quoted_passage_marked(asking: Shown) -> None:
    asking.ask("확인")
    cite = asking.answer.locator(".cite").first
    expect(cite).to_have_attribute("aria-expanded", "false")
    cite.click()
    source = asking.answer.locator(".block .source")
    expect(source.locator(".passages > p mark")).to_have_text("확정신고는 7월 25일까지입니다.")
    expect(source.locator("time")).to_have_text("2026년 1월 1일")
    expect(source.get_by_role("link", name="원문 보기")).to_have_attribute("href", "https://www.nts.go.kr/")
    source.get_by_role("button", name="출처 1 닫기").click()
    expect(source).to_have_count(0)


def test_a_computed_conclusion_shows_its_formula_and_computes_again(asking: Shown) -> None:
    asking.ask("계산")
    asking.answer.locator(".cite").first.click()
    expect(asking.answer.locator(".formula")).to_contain_text("시급 × 5시간")
    asking.answer.get_by_role("button", name="숫자를 바꿔 계산").click()
    dialog = asking.page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text("주휴수당 계산")
    dialog.get_by_label("시급").fill("12000")
    dialog.get_by_label("1주에 일하는 날 수").fill("5")
    dialog.get_by_label("하루 소정근로시간").fill("8")
    dialog.get_by_role("button", name="계산하기").click()
    expect(dialog.locator(".conclusion")).to_contain_text("96,000원")


def test_a_stream_can_be_stopped_and_the_service_stops_too(
    running_service: tuple[Service, ScriptedChat], asking: Shown
) -> None:
    asking.page.fill("#question", "천천히")
    asking.page.keyboard.press("Enter")
    expect(asking.answer).to_contain_text("앞부분")
    expect(asking.answer.locator(".progress")).to_have_text("관련 문서를 찾고 있습니다")
    asking.page.get_by_role("button", name="답변 멈추기").click()
    expect(asking.answer).to_contain_text("답변을 멈췄습니다")
    expect(asking.page.get_by_role("button", name="질문 보내기")).to_be_visible()
    until = time.monotonic() + 10
    while not running_service[1].left and time.monotonic() < until:
        asking.page.wait_for_timeout(20)
    assert running_service[1].left


def test_a_follow_up_carries_the_history_and_a_retry_does_not_carry_its_own_answer(
    running_service: tuple[Service, ScriptedChat], asking: Shown
) -> None:
    _, chat = running_service
    asking.ask("확인")
    asking.ask("계산")
    assert [turn.content for turn in chat.received[-1].history] == ["확인", FIRST + SECOND + THIRD]
    asking.answer.get_by_role("button", name="다시 답하기").click()
    expect(asking.answer.locator(".toolbar")).to_be_visible()
    assert [turn.content for turn in chat.received[-1].history] == ["확인", FIRST + SECOND + THIRD]
    assert len({request.session_id for request in chat.received[-3:]}) == 1
    expect(asking.page.locator(".turn")).to_have_count(2)


def test_what_is_not_known_and_what_was_away_are_said(asking: Shown) -> None:
    asking.ask("모름")
    expect(asking.answer.locator(".unknown")).to_contain_text("관세율이 몇 %예요?")
    expect(asking.answer.locator(".unknown")).to_contain_text("면세 한도 (견본품의 관세)")
    expect(asking.answer.locator(".banner")).to_contain_text("의미 검색: 의미 검색이 멈춰 낱말로만 찾았습니다.")


def test_the_nearest_section_is_asked_for_by_a_click(asking: Shown) -> None:
    asking.ask("모름")
    asking.answer.get_by_role("button", name="면세 한도 (견본품의 관세)").click()
    expect(asking.page.locator(".turn")).to_have_count(2)
    expect(asking.page.locator(".turn").last).to_contain_text("면세 한도, 견본품의 관세")


def test_a_replaced_answer_takes_the_place_and_says_why(asking: Shown) -> None:
    asking.ask("바뀜")
    expect(asking.answer).not_to_contain_text("지울 말")
    expect(asking.answer).to_contain_text("남은 말입니다.")
    expect(asking.answer).to_contain_text("출처가 뒷받침하지 않는 문장을 뺐습니다.")


def test_a_failure_in_the_stream_is_told_in_the_words_of_the_problem(asking: Shown) -> None:
    asking.ask("늦음")
    expect(asking.answer.get_by_role("alert")).to_contain_text("답변이 늦어 멈췄습니다.")


def test_without_a_network_the_page_says_so_and_keeps_what_was_read(asking: Shown) -> None:
    asking.ask("계산")
    asking.page.context.set_offline(True)
    expect(asking.page.get_by_text("인터넷에 연결되어 있지 않습니다")).to_be_visible()
    asking.ask("확인")
    expect(asking.answer.get_by_role("alert")).to_contain_text("서비스에 연결할 수 없습니다")
    expect(asking.page.locator(".turn").first).to_contain_text("55,000원입니다")
    asking.page.context.set_offline(False)
    asking.answer.get_by_role("button", name="다시 답하기").click()
    expect(asking.answer).to_contain_text("7월 25일까지입니다")
    asking.complaints = [text for text in asking.complaints if "ERR_INTERNET_DISCONNECTED" not in text]


def test_a_conversation_is_there_after_a_reload(asking: Shown) -> None:
    asking.ask("확인")
    asking.page.reload()
    asking.page.get_by_role("button", name="지난 대화").click()
    asking.page.get_by_role("dialog").get_by_role("button", name=re.compile("^확인")).click()
    asking.answer.locator(".cite").first.click()
    expect(asking.answer.locator(".source .passages > p mark")).to_have_text("확정신고는 7월 25일까지입니다.")
    asking.complaints = [text for text in asking.complaints if "404" not in text]  # this service keeps no sessions


def test_the_company_goes_along_with_the_question(running_service: tuple[Service, ScriptedChat], asking: Shown) -> None:
    asking.page.get_by_role("button", name="내 회사").click()
    dialog = asking.page.get_by_role("dialog")
    dialog.get_by_label("직원 수 (명)").fill("4")
    dialog.get_by_label("지역").fill("부산")
    dialog.get_by_role("button", name="저장").click()
    asking.ask("확인")
    context = running_service[1].received[-1].user_context
    assert (context.company.employee_count, context.company.region) == (4, "부산")


def test_a_key_is_asked_for_where_the_service_needs_one(shown: Shown) -> None:
    with scripted(SCRIPTS, api_keys=f"web={CHAT_KEY}:chat") as (service, _):
        shown.page.goto(service.url)
        dialog = shown.page.get_by_role("dialog")
        dialog.get_by_label("API 키").fill(CHAT_KEY)
        dialog.get_by_role("button", name="확인").click()
        expect(dialog).to_be_hidden()
        shown.ask("계산")
        expect(shown.answer).to_contain_text("55,000원입니다")
        shown.complaints = [text for text in shown.complaints if "401" not in text]


def test_below_a_prefix_everything_works(shown: Shown) -> None:
    with scripted(SCRIPTS, root_path="/rag") as (service, _):
        shown.page.goto(f"{service.url}/rag/")
        shown.ask("계산")
        expect(shown.answer).to_contain_text("55,000원입니다")
