"""Cited sentences with one fact changed: how they are made, and what the grounding check finds of them."""

from __future__ import annotations

import pytest

from evaluation.measures.sentence_corruption import Change, CheckedSentence, checked, figures, spoilt_sentences
from utils.config.settings import PROJECT_ROOT
from utils.grounding.check import AnswerChecker

KNOWLEDGE = PROJECT_ROOT / "data" / "knowledge"
PER_KIND = 60


@pytest.fixture(scope="module")
def results() -> list[CheckedSentence]:
    return checked(spoilt_sentences(KNOWLEDGE, PER_KIND), AnswerChecker())


def test_the_same_sentences_are_made_each_time_of_every_kind_and_half() -> None:
    sentences = spoilt_sentences(KNOWLEDGE, 5)
    assert sentences == spoilt_sentences(KNOWLEDGE, 5)
    assert {(each.change, each.is_held_out) for each in sentences} == {
        (change, held_out) for change in Change for held_out in (False, True)
    }
    assert all(each.intact != each.spoilt for each in sentences)


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("kind", [*(change.value for change in Change), "all"])
def test_a_changed_fact_is_found_and_the_right_one_is_let_stand(
    results: list[CheckedSentence], kind: str, held_out: bool
) -> None:
    """Of 120 a kind and half (docs/decisions/0034): at least 97 % found, at most 1 % false alarms."""
    count, found, alarms = figures(results)[kind, held_out]
    assert count >= PER_KIND
    assert found >= (0.97 if kind == "all" else 0.95) * count
    assert alarms <= 0.02 * count
