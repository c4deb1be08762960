"""Everyday words of a question and the formal terms they stand for, over the committed tables."""

from __future__ import annotations

import pytest

from agents.retrieval.multi_query import MultiQueryExpander
from utils.korean.everyday_words import TermContext
from utils.korean.glossary import Glossary, load_glossary
from utils.protocols import Morpheme
from vectorstores.tokenizer import KiwiTokenizer

GLOSSARY = load_glossary()


@pytest.mark.parametrize(
    "question",
    [
        "팀장급여는 얼마로 정해야 하나요?",
        "월급여 300만원이면 세금이 얼마인가요?",
        "법인차입금 이자도 비용이 되나요?",
        "직원 주민증 사본을 보관해도 되나요?",
        "발주처리 담당자를 정해야 하나요?",
        "자동차 사고가 나면 어떻게 하나요?",
        "전월세 신고는 누가 하나요?",
        "그건 내가 알 바 아닌데요",
        # the other word is not always meant
        "4대보험 취득 신고를 늦게 했어요",
        "고용보험 상실 사유를 잘못 신고했어요",
        "영업신고를 깜빡했어요",
        "산업재해 신고를 못 했어요",
        "발주처가 안전조치를 해야 하나요?",
        "새출발기금으로 빚 탕감이 되나요?",
    ],
)
def test_letters_within_other_words_are_no_everyday_words(tokenizer: KiwiTokenizer, question: str) -> None:
    assert GLOSSARY.formalize(question, tokenizer.morphemes) == question


@pytest.mark.parametrize("word", sorted(word for word in GLOSSARY.formal if not word.endswith("다")))
def test_every_entry_is_found_in_a_plain_sentence(tokenizer: KiwiTokenizer, word: str) -> None:
    term = GLOSSARY.formal[word]
    if word.endswith(("려", "해", "줘")):
        goes_on = " 달라고 했어요"
    elif tokenizer.morphemes(f"{word}고 있어요")[-4].tag.startswith(("V", "E")):
        goes_on = "고 있어요"
    else:
        goes_on = " 관련 문의예요"
    assert term in GLOSSARY.formalize(word + goes_on, tokenizer.morphemes), word + goes_on


@pytest.mark.parametrize("word", sorted(word for word in GLOSSARY.formal if word.endswith("다")))
def test_verbs_of_the_table_are_found_in_any_form(tokenizer: KiwiTokenizer, word: str) -> None:
    expander = MultiQueryExpander(GLOSSARY, tokenizer, count=3)
    assert GLOSSARY.formal[word] in expander.formalize(f"직원을 {word.removesuffix('다')}고 싶어요").split()


@pytest.mark.parametrize(
    ("question", "formal"),
    [
        ("월급을 못 받았어요", "임금 체불"),
        ("월급을 못받았는데 어디에 신고하나요?", "임금 체불 어디에 신고하나요?"),
        ("직원 통장이 막혔다고 해요", "직원 압류 해요"),
        ("보증금을 안 돌려줘요", "보증금 반환"),
        ("직원이 그만뒀어요. 월급은요?", "직원이 퇴직. 임금은요?"),
        ("하도급 납품 대금을 못 받았어요", "하도급 납품 대금 채무불이행"),
        ("부가세 신고를 늦게 했어요", "부가가치세 기한 후 신고 했어요"),
        ("세무서에 신고를 잘못해서 세금을 더 냈어요", "세무서에 신고를 잘못해서 경정청구"),
        ("세금을 적게 신고했어요", "세금을 수정신고했어요"),
        ("월급과 임금은 다른가요?", "월급과 임금은 다른가요?"),
    ],
)
def test_what_is_replaced_and_what_is_left(tokenizer: KiwiTokenizer, question: str, formal: str) -> None:
    assert GLOSSARY.formalize(question, tokenizer.morphemes) == formal


def test_a_text_without_everyday_words_is_not_analysed() -> None:
    def analysis(text: str) -> list[Morpheme]:
        raise AssertionError(text)

    assert GLOSSARY.formalize("퇴직금은 어떻게 계산하나요?", analysis) == "퇴직금은 어떻게 계산하나요?"


def test_an_analysis_that_is_there_already_is_taken() -> None:
    glossary = Glossary({"월급": "임금"}, frozenset(), {}, {})
    morphemes = [Morpheme("월급", "NNG", 0, 2), Morpheme("은", "JX", 2, 3)]
    assert glossary.formalize("월급은", lambda _: morphemes) == "임금은"


def test_unlike_words_are_searched_for_beside_each_other() -> None:
    assert "채무조정" in GLOSSARY.expansions("새출발기금으로 빚 탕감이 되나요?")
    assert "도급인" in GLOSSARY.expansions("발주처가 안전조치를 해야 하나요?")


def test_other_words_of_a_question_decide_whether_a_term_is_meant(tokenizer: KiwiTokenizer) -> None:
    context = TermContext(beside=("세금",), not_beside=("출생",), never_beside=("더 냈",))
    glossary = Glossary({"잘못 신고": "수정신고"}, frozenset(), {}, {}, contexts={"수정신고": context})

    def is_meant(question: str) -> bool:
        return "수정신고" in glossary.formalize(question, tokenizer.morphemes)

    assert is_meant("잘못 신고했어요")
    assert not is_meant("출생을 잘못 신고했어요")
    assert is_meant("출생도 세금도 잘못 신고했어요")
    assert not is_meant("세금을 잘못 신고해서 더 냈어요")
