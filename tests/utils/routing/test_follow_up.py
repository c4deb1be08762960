"""Follow-ups: the subject that they leave out, and the questions that must not be given any."""

from __future__ import annotations

import pytest

from tests.support.packs import shipped_packs
from tests.support.routing import Said
from utils.routing.evidence import EvidenceReader
from utils.routing.follow_up import HISTORY_TURNS, LONGEST_TURN, resolve_follow_up, told_by_user
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

ABOUT_DISMISSAL = Said("user", "직원을 해고하려면 어떤 절차가 필요한가요?")
REPLY = Said("assistant", "30일 전에 예고해야 합니다 [1].")


@pytest.fixture(scope="module")
def reader(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> EvidenceReader:
    return EvidenceReader(tokenizer, embedder, shipped_packs())


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("그럼 다섯 명이 안 되면 달라지나요?", "해고 관련해서 다섯 명이 안 되면 달라지나요?"),
        ("그건 언제까지 해야 하나요?", "해고 관련해서 언제까지 해야 하나요?"),
        ("그런데 그건 누가 하나요?", "해고 관련해서 누가 하나요?"),
        ("그리고 비용은요?", "해고 관련해서 비용은요?"),
        ("그 경우 서류는 뭐가 필요한가요?", "해고 관련해서 그 경우 서류는 뭐가 필요한가요?"),
        ("위반하면 처벌이 있나요?", "해고 관련해서 위반하면 처벌이 있나요?"),
        ("그럼 10%는요?", "해고 관련해서 10%는요?"),
        ("그건요?", "해고 관련해서 그건요?"),
        ("그럼?", "해고 관련해서 그럼?"),
    ],
)
def test_the_subject_takes_the_place_of_what_points_at_it(
    reader: EvidenceReader, question: str, rewritten: str
) -> None:
    assert resolve_follow_up(question, [ABOUT_DISMISSAL, REPLY], reader) == rewritten


@pytest.mark.parametrize(
    "question",
    [
        "그럼 퇴직금은 언제 주나요?",
        "그런데 해고 예고는 며칠 전에 하나요?",
        "그럼 김치찌개 맛집은 어디인가요?",
        "안녕하세요",
        "알겠습니다",
        "네, 알겠습니다.",
        "네 알겠어요",
        "알았습니다!",
        "카페에서 일하다가 작년에 그만두었는데 아직까지 아무것도 받지 못했습니다. 어떻게 하나요?",
    ],
)
def test_a_new_subject_a_greeting_and_a_story_of_its_own_are_left_alone(reader: EvidenceReader, question: str) -> None:
    assert resolve_follow_up(question, [ABOUT_DISMISSAL, REPLY], reader) == question


def test_what_the_user_asked_about_comes_before_what_the_reply_dwells_on(reader: EvidenceReader) -> None:
    reply = Said("assistant", "퇴직금은 14일 안에, 연차수당도 14일 안에, 퇴직금과 함께 지급합니다 [1].")
    assert resolve_follow_up("그건 언제까지 하나요?", [ABOUT_DISMISSAL, reply], reader).startswith("해고 관련해서")


def test_the_reply_names_what_the_user_said_in_other_words(reader: EvidenceReader) -> None:
    asked = Said("user", "직원을 내보내려면 어떻게 해야 하나요?")
    reply = Said("assistant", "해고는 사유가 정당해야 하고 서면으로 알립니다. 퇴직금도 줍니다. 해고 예고도 합니다.")
    assert resolve_follow_up("비용은요?", [asked, reply], reader) == "해고 관련해서 비용은요?"
    assert resolve_follow_up("비용은요?", [asked], reader) == "비용은요?", "nobody named it"


def test_a_reply_alone_is_no_subject(reader: EvidenceReader) -> None:
    """Small talk that the assistant answers with what it can do."""
    told = [Said("user", "안녕하세요"), Said("assistant", "해고, 퇴직금, 부가세에 대해 물어보세요.")]
    assert resolve_follow_up("비용은요?", told, reader) == "비용은요?"


def test_at_most_three_subjects_those_asked_about_first(reader: EvidenceReader) -> None:
    told = Said("user", "상표권이 있는 카페입니다. 연차수당, 퇴직금, 주휴수당, 부가세는 어떻게 하나요?")
    rewritten = resolve_follow_up("그건 언제까지 하나요?", [told], reader)
    subjects = rewritten.partition(" 관련해서 ")[0].split(", ")
    assert len(subjects) == 3
    assert "상표권" not in subjects


def test_only_the_last_exchanges_count(reader: EvidenceReader) -> None:
    question, small_talk = "비용은요?", [Said("user", "네"), Said("assistant", "네.")]
    kept = [ABOUT_DISMISSAL, REPLY, *small_talk * (HISTORY_TURNS - 1)]
    assert resolve_follow_up(question, kept, reader) == "해고 관련해서 비용은요?"
    assert resolve_follow_up(question, [ABOUT_DISMISSAL, REPLY, *small_talk * HISTORY_TURNS], reader) == question


def test_what_the_user_said_is_bounded_whatever_the_history_is_made_of() -> None:
    """A client may send turns of the user alone, each four times as long as a question."""
    alternating = [Said(role, f"{number}") for number in range(20) for role in ("user", "assistant")]
    assert told_by_user(alternating) == ("17", "18", "19")
    alone = [Said("user", f"{number}" + "가" * 8_000) for number in range(20)]
    told = told_by_user(alone)
    assert [text[:3] for text in told] == ["17가", "18가", "19가"]
    assert {len(text) for text in told} == {LONGEST_TURN}


def test_blank_messages_are_no_turns(reader: EvidenceReader) -> None:
    blank = [Said("user", " "), Said("assistant", "\n")] * HISTORY_TURNS
    assert resolve_follow_up("비용은요?", [ABOUT_DISMISSAL, REPLY, *blank], reader) == "해고 관련해서 비용은요?"
    assert resolve_follow_up("  ", [ABOUT_DISMISSAL, REPLY], reader) == "  "


def test_a_subject_that_the_question_holds_is_not_said_twice(reader: EvidenceReader) -> None:
    assert resolve_follow_up("그 해고는 무효인가요?", [ABOUT_DISMISSAL, REPLY], reader).count("해고") == 1


@pytest.mark.parametrize(
    ("asked", "question", "rewritten"),
    [
        ("부가세 신고 기한이 언제인가요?", "간이과세자는요?", "간이과세자는 부가세 신고 기한이 언제인가요?"),
        ("부가세 신고 기한이 언제인가요?", "법인은요?", "법인은 부가세 신고 기한이 언제인가요?"),
        ("일반과세자는 부가세를 언제 내나요?", "그럼 간이과세자는요?", "간이과세자는 부가세를 언제 내나요?"),
        ("카페 하려면 영업신고 어디에 해요?", "미용실은요?", "미용실 하려면 영업신고 어디에 해요?"),
        ("직원을 해고하려면 어떤 절차가 필요한가요?", "수습은요?", "수습을 해고하려면 어떤 절차가 필요한가요?"),
        ("근로계약서 꼭 써야 하나요?", "알바도요?", "알바도 근로계약서 꼭 써야 하나요?"),
        ("직원이 세 명인데 부당해고인가요?", "그럼 여섯 명이면요?", "직원이 여섯 명인데 부당해고인가요?"),
        ("직원이 세 명인데 부당해고인가요?", "다섯 명 미만이면요?", "직원이 다섯 명 미만인데 부당해고인가요?"),
        ("저희 직원이 4명인데 연차 줘야 하나요?", "직원 한명 더 뽑으면요?", "저희 직원이 5명인데 연차 줘야 하나요?"),
        (
            "직원 3명 카페인데 연차 줘야 하나요?",
            "두 명 더 뽑으면 어떻게 되나요?",
            "직원 5명 카페인데 연차 줘야 하나요?",
        ),
        ("연차수당 줘야 하나요?", "네 명이면요?", "직원이 네 명이면 연차수당 줘야 하나요?"),
        ("직원이 1년 일하면 퇴직금 줘야 하나요?", "6개월이면요?", "직원이 6개월 일하면 퇴직금 줘야 하나요?"),
        ("알바 주휴수당 줘야 하나요?", "주 14시간이면요?", "주 14시간이면 알바 주휴수당 줘야 하나요?"),
        (
            "상가 월세는 얼마까지 올릴 수 있나요?",
            "그럼 월세 200이면 최대 얼마까지에요?",
            "월세 200이면 상가 월세는 얼마까지 올릴 수 있나요?",
        ),
        (
            "상가 월세 200만원인데 얼마까지 올릴 수 있나요?",
            "300이면요?",
            "상가 월세 300만원인데 얼마까지 올릴 수 있나요?",
        ),
        ("시급 11,000원인 알바 주휴수당은요?", "시급 12000원이면요?", "시급 12000원인 알바 주휴수당은요?"),
    ],
)
def test_a_fact_alone_asks_the_question_before_of_another_case(
    reader: EvidenceReader, asked: str, question: str, rewritten: str
) -> None:
    assert resolve_follow_up(question, [Said("user", asked), REPLY], reader) == rewritten


@pytest.mark.parametrize(
    ("asked", "question", "rewritten"),
    [
        ("사업자등록은 언제까지 해야 하나요?", "안 하면요?", "사업자 등록 안 하면 어떤 불이익이 있나요?"),
        ("퇴직금은 언제까지 줘야 하나요?", "안 주면 어떻게 돼요?", "퇴직금 안 주면 어떻게 되나요?"),
        ("세금계산서 늦게 끊으면 가산세가 얼마예요?", "아예 안 끊으면요?", "세금계산서 아예 안 끊으면 어떻게 되나요?"),
        ("근로계약서 꼭 써야 하나요?", "지원금은 얼마예요?", "근로계약서 관련해서 지원금은 얼마예요?"),
    ],
)
def test_a_side_of_the_subject_is_asked_of_the_subject(
    reader: EvidenceReader, asked: str, question: str, rewritten: str
) -> None:
    assert resolve_follow_up(question, [Said("user", asked), REPLY], reader) == rewritten


def test_the_subject_goes_through_several_turns(reader: EvidenceReader) -> None:
    told = [
        Said("user", "직원이 세 명인데 부당해고로 신고당할 수 있나요?"),
        REPLY,
        Said("user", "그럼 여섯 명이면요?"),
        REPLY,
    ]
    thanked = [*told, Said("user", "고마워요"), Said("assistant", "네.")]
    assert resolve_follow_up("기한은요?", told, reader) == "부당해고 관련해서 기한은요?"
    assert resolve_follow_up("네 명이면요?", thanked, reader) == "직원이 네 명인데 부당해고로 신고당할 수 있나요?"
    assert resolve_follow_up("고마워요", told, reader) == "고마워요"
    assert resolve_follow_up("그럼 상표 등록은 어떻게 해요?", told, reader) == "그럼 상표 등록은 어떻게 해요?"
