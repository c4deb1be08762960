"""Query variants by rule, and a model's before them."""

from __future__ import annotations

import pytest

from agents.retrieval.multi_query import MultiQueryExpander
from utils.korean.glossary import Glossary
from vectorstores.tokenizer import KiwiTokenizer

GLOSSARY = Glossary(
    formal={"내보내": "해고", "월급": "임금"},
    laws=frozenset(),
    related={"해고": ("징계", "퇴사"), "퇴사": ("해고",)},
    law_aliases={},
    asked={"요건 대상 자격": ("누가", "조건"), "절차 신청 제출": ("어떻게",), "기한 기간": ("언제",)},
)
TWO_CLAUSES = "직원을 내보내려면 절차를 어떻게 밟고, 밀린 월급은 언제까지 줘야 하나요?"


@pytest.fixture(scope="module")
def expander(tokenizer: KiwiTokenizer) -> MultiQueryExpander:
    return MultiQueryExpander(GLOSSARY, tokenizer, count=3)


def test_the_content_in_formal_terms(expander: MultiQueryExpander) -> None:
    formal = expander.formalize("직원을 내보내려면 월급은요?").split()
    assert {"직원", "해고", "임금"} <= set(formal)
    assert "월급" not in formal
    assert len(formal) == len(set(formal))


def test_what_is_formal_already_stays_as_it_was_typed(expander: MultiQueryExpander) -> None:
    assert expander.formalize("임금을 언제까지 줘야 하나요?") == "임금을 언제까지 줘야 하나요?"


def test_variants_by_rule_in_their_order(expander: MultiQueryExpander) -> None:
    formal, related, clause = expander.expand(TWO_CLAUSES)
    assert formal == expander.formalize(TWO_CLAUSES)
    assert related == f"{formal} 징계 퇴사"
    assert set(clause.split()) < set(formal.split())


def test_a_models_variants_come_first(expander: MultiQueryExpander) -> None:
    from_model = ("해고 절차와 임금 지급 기한", "부당해고")
    assert expander.expand(TWO_CLAUSES, from_model) == (*from_model, expander.formalize(TWO_CLAUSES))
    assert expander.expand(TWO_CLAUSES, ("임금", "수당", "퇴직", "휴가")) == ("임금", "수당", "퇴직")


def test_variants_differ_in_what_they_search_for(expander: MultiQueryExpander, tokenizer: KiwiTokenizer) -> None:
    question = "연차 휴가 신청"
    variants = expander.expand(question, ("연차 휴가를 신청", "  ", "연차", "연차를", "휴가"))
    assert variants[:2] == ("연차", "휴가")
    sets = [frozenset(tokenizer.terms(text)) for text in (question, *variants)]
    assert len(set(sets)) == len(sets) == 4


@pytest.mark.parametrize("question", ["퇴직금", "상가 권리금은 누가 보호하나요?", "12조", TWO_CLAUSES])
def test_every_question_has_its_three_variants(
    expander: MultiQueryExpander, tokenizer: KiwiTokenizer, question: str
) -> None:
    variants = expander.expand(question)
    sets = {frozenset(tokenizer.terms(text)) for text in (question, *variants)}
    assert len(variants) == 3
    assert len(sets) == 4


def test_what_has_no_content_has_no_variants(expander: MultiQueryExpander) -> None:
    assert expander.expand("???") == ()


def test_the_rare_keywords_are_searched_for_alone(expander: MultiQueryExpander) -> None:
    frequency = {"상가": 300, "권리금": 2, "회수": 9, "보호": 700}
    variants = expander.expand(
        "상가 권리금 회수를 보호하나요?", frequencies=lambda terms: [frequency[term] for term in terms]
    )
    assert variants[0] == "권리금 회수"


def test_what_is_asked_for_is_named_as_headings_name_it(expander: MultiQueryExpander) -> None:
    variants = expander.expand("상가 권리금은 누가 보호하나요?", extra=3)
    assert "상가 권리금 보호 요건 대상 자격" in variants


def test_a_stronger_search_takes_more(expander: MultiQueryExpander) -> None:
    assert len(expander.expand(TWO_CLAUSES, extra=3)) > len(expander.expand(TWO_CLAUSES)) == 3
    assert expander.expand(TWO_CLAUSES, extra=3)[:3] == expander.expand(TWO_CLAUSES)


def test_a_count_of_none_makes_none(tokenizer: KiwiTokenizer) -> None:
    expander = MultiQueryExpander(GLOSSARY, tokenizer, count=0)
    assert expander.expand(TWO_CLAUSES, ("해고",)) == ()
    assert expander.expand(TWO_CLAUSES, ("해고",), extra=1) == ("해고",)


def test_readings_are_the_question_in_formal_terms_and_its_clauses(expander: MultiQueryExpander) -> None:
    typed, formal, *clauses = expander.readings(TWO_CLAUSES)
    assert (typed, formal) == (TWO_CLAUSES, expander.formalize(TWO_CLAUSES))
    assert len(clauses) == 2
    assert {word for clause in clauses for word in clause.split()} == set(formal.split())
    assert expander.readings("연차 휴가") == ("연차 휴가",)


def test_a_clause_of_one_word_is_not_searched_for_alone(expander: MultiQueryExpander) -> None:
    question = "폐업하는데, 직원 해고 절차를 알려주세요."
    assert expander.readings(question) == (question, "직원 해고 절차를 알려주세요.")
