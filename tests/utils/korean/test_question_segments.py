import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.korean.question_segments import split_segments
from vectorstores.tokenizer import KiwiTokenizer


def clauses(tokenizer: KiwiTokenizer, text: str) -> list[str]:
    return [text[s.start : s.end] for s in split_segments(text, tokenizer.morphemes(text))]


def test_a_question_falls_into_the_things_it_asks(tokenizer: KiwiTokenizer) -> None:
    text = "빵집을 하고 싶어요. 허가는 어떻게 받고 직원은 몇 명부터 신고해야 하나요?"
    assert clauses(tokenizer, text) == [
        "빵집을 하고 싶어요.",
        "허가는 어떻게 받고",
        "직원은 몇 명부터 신고해야 하나요?",
    ]


def test_a_list_falls_into_its_items_and_brackets_stay_whole(tokenizer: KiwiTokenizer) -> None:
    text = "상표 등록, 세금 신고(부가세, 소득세), 그리고 채용 절차를 알려 주세요."
    assert clauses(tokenizer, text) == ["상표 등록,", "세금 신고(부가세, 소득세),", "그리고 채용 절차를 알려 주세요."]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("공장을 운영하고 있습니다.", False),
        ("직원을 정리해고해야 합니다.", False),
        ("거래처가 돈을 주지 않아요.", False),
        ("절차가 궁금합니다.", True),
        ("절차를 설명해 주세요.", True),
        ("비용을 알고 싶습니다.", True),
        ("언제까지 내나요?", True),
        ("퇴직금 지급 기준", True),
    ],
)
def test_telling_is_not_asking(tokenizer: KiwiTokenizer, text: str, asks: bool) -> None:
    assert [s.asks for s in split_segments(text, tokenizer.morphemes(text))] == [asks]


@settings(max_examples=60)
@given(text=st.text(alphabet="가나다 세금은직원을고는데하나요?.,()\n그리고ab1", max_size=60))
def test_every_morpheme_is_in_one_segment(tokenizer: KiwiTokenizer, text: str) -> None:
    morphemes = tokenizer.morphemes(text)
    covered = [n for s in split_segments(text, morphemes) for n in range(s.first, s.stop)]
    assert covered == list(range(len(morphemes)))


@pytest.mark.parametrize("text", ["부동산·임대차 분야의 이동소음", "세금・보험 상담", "세금ㆍ보험 상담"])
def test_words_joined_by_a_middle_dot_are_one_thing(tokenizer: KiwiTokenizer, text: str) -> None:
    assert clauses(tokenizer, text) == [text]


def test_a_number_that_ends_in_iyo_is_told_and_asks_with_a_mark(tokenizer: KiwiTokenizer) -> None:
    for text, asks in (
        ("해고해도 되나요 직원은 저 빼고 3명이요", [True, False]),
        ("해고해도 되나요? 3명이요?", [True, True]),
        ("매출은 신고했어요. 재고는요", [False, True]),
    ):
        assert [s.asks for s in split_segments(text, tokenizer.morphemes(text))] == asks
