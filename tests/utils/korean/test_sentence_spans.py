"""Sentence spans: where a quoted sentence begins and ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.korean.sentence_spans import split_sentences

TEXTS = st.text(st.sampled_from("가나다라 \n.!?<>1290)(제항-①\"'。\t\r\x85법A"), max_size=200) | st.text(max_size=200)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@given(TEXTS, st.integers(0, 50))
def test_spans_are_ordered_trimmed_and_cover_every_word(text: str, start: int) -> None:
    spans = split_sentences(text, start)
    end_before = start
    for begin, end in spans:
        assert end_before <= begin < end <= len(text)
        assert not text[end_before:begin].strip() or not any(char.isalnum() for char in text[end_before:begin])
        assert text[begin:end] == text[begin:end].strip()
        end_before = end
    assert not any(char.isalnum() for char in text[end_before:])


@pytest.mark.parametrize(
    "whole",
    [
        "이 법은 2026. 1. 1. 부터 시행한다.",
        "1. 사용자는 근로자에게 임금을 지급한다.",
        "가. 상시 5명 이상을 사용하는 사업",
        "세율은 0.3퍼센트이다.",
        "담당자 A. 김은 이를 확인한다.",
        "다음과 같다. <개정 2018.3.20, 2026.1.1>",
    ],
)
def test_numbers_item_marks_and_amendment_notes_split_nothing(whole: str) -> None:
    assert sentences(whole) == [whole]


def test_lines_and_stops_end_sentences() -> None:
    text = "신고는 25일까지입니다. 늦으면 가산세가 붙나요? 네.\n- 무신고: 20%\n1. 첫째\n\n가. 둘째"
    assert sentences(text) == [
        "신고는 25일까지입니다.",
        "늦으면 가산세가 붙나요?",
        "네.",
        "- 무신고: 20%",
        "1. 첫째",
        "가. 둘째",
    ]


def test_a_line_without_words_is_no_sentence() -> None:
    assert sentences("제목\n---\n내용") == ["제목", "내용"]
