"""Query variants by rule, and a model's before them."""

from __future__ import annotations

import pytest

from agents.retrieval.multi_query import MultiQueryExpander
from utils.glossary import Glossary
from vectorstores.tokenizer import KiwiTokenizer

GLOSSARY = Glossary(
    formal={"내보내": "해고", "월급": "임금"},
    laws=frozenset(),
    related={"해고": ("징계", "퇴사"), "퇴사": ("해고",)},
    law_aliases={},
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


def test_variants_by_rule_in_their_order(expander: MultiQueryExpander) -> None:
    formal, related, clause = expander.expand(TWO_CLAUSES)
    assert formal == expander.formalize(TWO_CLAUSES)
    assert related == f"{formal} 징계 퇴사"
    assert set(clause.split()) < set(formal.split())


def test_a_models_variants_come_first(expander: MultiQueryExpander) -> None:
    from_model = ("해고 절차와 임금 지급 기한", "부당해고")
    assert expander.expand(TWO_CLAUSES, from_model) == (*from_model, expander.formalize(TWO_CLAUSES))
    assert expander.expand(TWO_CLAUSES, ("가", "나", "다", "라")) == ("가", "나", "다")


def test_variants_differ_from_the_question_and_from_each_other(expander: MultiQueryExpander) -> None:
    variants = expander.expand("연차 휴가", ("연차 휴가", "  ", "연차", "연차"))
    assert variants == ("연차",)
    assert expander.expand("???") == ()


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
    assert len(expander.readings("폐업하는데, 직원 해고 절차를 알려주세요.")) == 3
