"""Sentences are put down to the units that they are of, quoted or retold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.answering.said_units import SaidSentence, said_sentences
from agents.state import RouterState
from utils.documents import Hit
from utils.grounding.check import check_answer
from utils.grounding.sources import grounding_sources

QUESTION = "직원이 3명인데 연차를 줘야 하나요?"


@pytest.fixture
def said(asked: Callable[[str], RouterState]) -> Callable[[str], tuple[SaidSentence, ...]]:
    state = asked(QUESTION)
    documents: tuple[Hit, ...] = state["answer"].documents
    catalogue = state["units"][0].ranked.match.catalogue

    def read(content: str) -> tuple[SaidSentence, ...]:
        report = check_answer(content, grounding_sources(documents))
        return said_sentences(content, report, documents, catalogue)

    return read


@pytest.fixture
def best(asked: Callable[[str], RouterState]) -> int:
    [units] = asked(QUESTION)["units"]
    return units.ranked.number_of(units.units[0])


def test_the_days_on_which_a_unit_holds_are_no_sentence_of_another_unit(
    said: Callable[[str], tuple[SaidSentence, ...]],
) -> None:
    assert said("이 내용은 2026년 12월 31일까지의 기준입니다. [1]") == ()


def test_a_quoted_sentence_is_of_its_unit_whatever_leads_it(
    said: Callable[[str], tuple[SaidSentence, ...]], best: int
) -> None:
    text = "상시 4명 이하 사업장에는 연차 유급휴가 규정이 적용되지 않습니다(근로기준법 시행령 제7조)."
    for content, verdict in ((f"{text} [1]", None), (f"아니요, {text} [1]", False), (f"**네**. {text} [1]", True)):
        sentences = said(content)
        assert sentences[-1].unit == best
        assert [each.verdict for each in sentences if each.verdict is not None] == (
            [] if verdict is None else [verdict]
        )


def test_a_retold_sentence_is_of_the_unit_that_it_retells(
    said: Callable[[str], tuple[SaidSentence, ...]], best: int
) -> None:
    [sentence] = said("상시 직원이 4명 이하인 사업장이라면 연차 유급휴가 규정은 적용되지 않아요. [1]")
    assert sentence.unit == best


def test_what_is_of_no_unit_is_of_none(said: Callable[[str], tuple[SaidSentence, ...]]) -> None:
    sentences = said("오늘은 하늘이 맑고 바람이 붑니다. [1] 상시 4명 이하 사업장에는 연차 규정이 없습니다.")
    assert [sentence.unit for sentence in sentences] == [None, None], "off the subject, and without a source"


def test_headings_part_the_answer(said: Callable[[str], tuple[SaidSentence, ...]]) -> None:
    content = "**연차**\n연차 규정이 적용되지 않습니다. [1]\n\n**세금**\n‘세금’에 대한 답은 제공된 문서에서 확인할 수 없습니다."
    sentences = said(content)
    assert [sentence.part for sentence in sentences] == [1, 2]


def test_of_units_that_say_much_the_same_a_retold_sentence_is_of_the_one_that_answers(
    asked: Callable[[str], RouterState],
) -> None:
    state = asked("부가가치세 확정신고는 언제까지 해야 하나요?")
    ranked = state["units"][0].ranked
    catalogue, documents = ranked.match.catalogue, state["answer"].documents
    at = next(number for number, hit in enumerate(documents, start=1) if hit.chunk.doc_id == "FT_VAT_001")
    content = f"부가가치세 확정신고는 과세기간이 끝난 후 25일 이내에 해야 합니다. [{at}]"
    report = check_answer(content, grounding_sources(documents))
    [sentence] = said_sentences(content, report, documents, catalogue, [ranked])
    assert sentence.unit == ranked.number_of(state["units"][0].units[0])
    [alone] = said_sentences(content, report, documents, catalogue)
    assert alone.unit != sentence.unit, "a unit on a business at rest says it in words that are as near"
