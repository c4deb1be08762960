"""Which words of a question are searched for, and how much each counts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.documents import LocatedTerms
from utils.korean.question_words import (
    ASPECT_WORDS,
    QUESTION_WORDS,
    compound_parts,
    subject_terms,
    term_weights,
    with_formal_terms,
    without_parties,
)


def words_of(text: str) -> LocatedTerms:
    found = list(re.finditer(r"\S+", text))
    return LocatedTerms(tuple(word[0] for word in found), tuple(word.start() for word in found))


def weights(text: str) -> dict[str, float]:
    """Of a text whose terms stand between spaces."""
    terms = subject_terms(word.removesuffix("의") for word in text.split())
    return dict(zip(terms, term_weights(text, terms, words_of(text)), strict=True))


def test_words_of_asking_are_left_out() -> None:
    assert subject_terms("퇴직금 궁금하다 퇴직금 지급 언제".split()) == ("퇴직금", "지급")


def test_a_question_of_such_words_alone_keeps_them() -> None:
    assert subject_terms(["문의", "안내", "문의"]) == ("문의", "안내")
    assert subject_terms([]) == ()


def test_what_is_asked_of_a_subject_counts_less_than_the_subject() -> None:
    assert weights("퇴직금 지급 기준 절차") == {"퇴직금": 1.0, "지급": 1.0, "기준": 0.3, "절차": 0.3}


def test_the_field_of_a_question_is_background() -> None:
    assert weights("근로 복지 분야의 퇴직금 지급") == {
        "근로": 0.3,
        "복지": 0.3,
        "분야": 0.0,
        "퇴직금": 1.0,
        "지급": 1.0,
    }
    assert weights("세무 분야에서 신고") == {"세무": 0.3, "분야에서": 1.0, "신고": 1.0}


@pytest.mark.parametrize(
    "text",
    ["퇴직금 분야", "퇴직금은 얼마? 세무 분야의 신고", "이 넓고도 넓은 나라의 크고 작은 온갖 일을 다루는 분야의 신고"],
)
def test_a_field_is_named_at_the_start_and_shortly(text: str) -> None:
    assert set(weights(text).values()) == {1.0}


def test_formal_terms_join_those_that_were_typed() -> None:
    terms, given_weights = with_formal_terms(("월급", "기준"), (1.0, 0.3), ["임금", "월급", "기준", "궁금하다", "임금"])
    assert terms == ("월급", "기준", "임금")
    assert given_weights[:2] == (1.0, 0.3)
    assert 0.0 < given_weights[2] < 1.0
    assert with_formal_terms(("월급",), (1.0,), []) == (("월급",), (1.0,))


@given(st.lists(st.sampled_from([*sorted(QUESTION_WORDS), *sorted(ASPECT_WORDS), "퇴직금", "근로", "분야의"])))
def test_weights_are_shares_and_a_question_is_never_left_without_words(words: list[str]) -> None:
    terms = subject_terms(words)
    assert bool(terms) == bool(words)
    assert len(set(terms)) == len(terms)
    assert all(0.0 <= weight <= 1.0 for weight in term_weights(" ".join(words), terms, words_of(" ".join(words))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("갑은 을에게 돈을 빌려주고 병이 보증했다", "돈을 빌려주고 보증했다"),
        ("A와 B의 계약에서 A가 낼 위약금", "계약에서 낼 위약금"),
        ("갑질 신고는 을지로 어디에 하나요", "갑질 신고는 을지로 어디에 하나요"),
        ("갑이 을지로에 낸 가게", "갑이 을지로에 낸 가게"),
        ("비타민 A와 B형 간염", "비타민 A와 B형 간염"),
    ],
)
def test_parties_of_a_case_are_left_out(text: str, expected: str) -> None:
    assert without_parties(text) == expected


def test_an_unknown_compound_is_its_parts() -> None:
    known = {"연장", "수당", "근로", "근로시간"}.__contains__
    assert compound_parts("연장수당", known) == ("연장", "수당")
    assert compound_parts("근로시간", known) == ()
    assert compound_parts("야간수당", known) == ()
    assert compound_parts("수당", {"수", "당"}.__contains__) == ()


def test_a_field_counts_less_with_and_without_spaces() -> None:
    terms = ("근로", "분야", "퇴직금")
    apart, together = LocatedTerms(terms, (0, 3, 7)), LocatedTerms(terms, (0, 2, 5))
    assert (
        term_weights("근로 분야의 퇴직금", terms, apart)
        == term_weights("근로분야의퇴직금", terms, together)
        == (0.3, 0.0, 1.0)
    )
