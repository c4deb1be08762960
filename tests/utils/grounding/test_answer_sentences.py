"""Sentences of a growing answer."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.text_pumps import cost, repeated
from utils.grounding.answer_sentences import SentenceStream, cited_numbers, split_sentences

FRAGMENTS = st.sampled_from(
    ["부가세는 ", "25일", "\n", "합니다", ".", "다.", " ", "[1]", "[2", "]", "1. ", "2", "- ", "**", "(", ")", "억", "\n\n", "400만원",
     "제1항.", "?", "!", "가", "[1,2]", "2026. 1. 1.", " [3]", "원", "No.", "![", "![그림](u)"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25일까지입니다. [1] 다음입니다. [2][3]", ["25일까지입니다. [1]", "다음입니다. [2][3]"]),
        ("시행일은 2026. 1. 1. 이후입니다.", ["시행일은 2026. 1. 1. 이후입니다."]),
        ("근거는 제48조 제1항. [1] 끝.", ["근거는 제48조 제1항. [1]", "끝."]),
        ("- 개인: 7월 25일 [1]\n- 법인: 4월 25일 [2]", ["- 개인: 7월 25일 [1]", "- 법인: 4월 25일 [2]"]),
        ("**세금**\n냅니다. [1]", ["**세금**", "냅니다. [1]"]),
        ("기준은 1억\n400만원입니다. [1]", ["기준은 1억\n400만원입니다. [1]"]),
        ("1. 첫째\n2. 둘째", ["1. 첫째", "2. 둘째"]),
        ("합니다(제49조. 다만 예외). 끝.", ["합니다(제49조. 다만 예외).", "끝."]),
        ("합니다.\n[1]\n다음.", ["합니다.\n[1]", "다음."]),
        ("보세요![그림](https://a.kr/x.png) 끝.", ["보세요![그림](https://a.kr/x.png) 끝."]),
        ("좋습니다![1] 끝.", ["좋습니다![1]", "끝."]),
        ("됩니다[1]. 요율은 3.5%입니다.", ["됩니다[1].", "요율은 3.5%입니다."]),
    ],
)
def test_where_sentences_end(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == expected


@given(st.lists(FRAGMENTS, max_size=25), st.randoms(use_true_random=False))
def test_deltas_do_not_matter_and_nothing_is_lost(fragments: list[str], rng: random.Random) -> None:
    text = "".join(fragments)
    stream, streamed, at = SentenceStream(), [], 0
    while at < len(text):
        size = rng.randint(1, 4)
        streamed += stream.feed(text[at : at + size])
        at += size
    streamed += stream.flush()
    assert streamed == split_sentences(text)
    assert all(text[sentence.start : sentence.end] == sentence.text for sentence in streamed)
    covered = {at for sentence in streamed for at in range(sentence.start, sentence.end)}
    assert all(character.isspace() for at, character in enumerate(text) if at not in covered)


def test_a_sentence_comes_as_soon_as_the_next_one_begins() -> None:
    stream = SentenceStream()
    assert stream.feed("25일까지입니다. [1]") == []
    assert [sentence.text for sentence in stream.feed(" 다")] == ["25일까지입니다. [1]"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("[1][3]", (1, 3)), ("[1, 2]", (1, 2)), ("[1~3]", (1, 2, 3)), ("[문서 2]", (2,)), ("제1조", ())],
)
def test_citations(text: str, numbers: tuple[int, ...]) -> None:
    assert cited_numbers(text) == numbers


DEGENERATE = (
    "1. ",
    "(",
    "( 가. ",
    " ",
    "\n",
    ".",
    "[1]",
    "[1, ",
    "1\n",
    "가. ",
    "- .",
    "!가.",
    "다.   [",
    "**.",
    "1.\n(",
)


@pytest.mark.finding("M12")
@pytest.mark.parametrize("piece", DEGENERATE)
def test_the_stream_is_linear_whatever_a_model_writes(piece: str) -> None:
    def feed(text: str) -> None:
        stream = SentenceStream()
        for start in range(0, len(text), 4):
            stream.feed(text[start : start + 4])
        stream.flush()

    spent = cost(feed, repeated(piece), 6_000, limit=0.5, measurable=0.005)
    assert spent.seconds < 0.5
    assert spent.growth < 3


@pytest.mark.finding("M12")
def test_a_sentence_that_does_not_end_is_cut() -> None:
    sentences = split_sentences("(가나다 라마바 " * 3_000)
    assert all(len(sentence.text) <= 4_000 for sentence in sentences)
    assert not any(sentence.text.startswith(("나", "다", "마", "바")) for sentence in sentences)


def test_a_range_over_more_sources_than_there_can_be_stands_for_its_ends() -> None:
    assert cited_numbers("[1~999]") == (1, 999)
