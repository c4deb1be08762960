"""The learned judge: one scale for three ways to treat a thing asked."""

from __future__ import annotations

import pytest

from utils.grounding.answer_judge import ENOUGH, FEATURES, AnswerJudge, AskFinding, Treatment
from utils.linear_models import LinearModel


def judge_of(threshold: float) -> AnswerJudge:
    """A judge whose odds are the first feature."""
    return AnswerJudge(
        {
            each: LinearModel.of(FEATURES[each], [1.0] + [0.0] * (len(FEATURES[each]) - 1), 0.0, threshold)
            for each in Treatment
        }
    )


def finding(odds: float, treatment: Treatment = Treatment.UNITS) -> AskFinding:
    return AskFinding(treatment, (odds, *[0.0] * (len(FEATURES[treatment]) - 1)))


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.9])
def test_the_grade_rises_with_the_probability_and_is_enough_from_the_threshold_on(threshold: float) -> None:
    judge = judge_of(threshold)
    found = [finding(step / 4) for step in range(-40, 41)]
    grades = [judge.grade(each) for each in found]
    assert grades == sorted(grades)
    assert 0 <= grades[0] < 0.01
    assert 0.99 < grades[-1] <= 1
    assert [grade >= ENOUGH for grade in grades] == [judge.probability(each) >= threshold for each in found]


def test_each_treatment_has_its_own_model() -> None:
    judge = AnswerJudge.load()
    zeros = {each: judge.probability(finding(0.0, each)) for each in Treatment}
    assert len(set(zeros.values())) == len(Treatment)


def test_features_of_another_number_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        AnswerJudge.load().probability(AskFinding(Treatment.UNITS, (1.0,)))


def test_odds_beyond_all_numbers_are_a_probability() -> None:
    assert judge_of(0.5).probability(finding(1e9)) == pytest.approx(1.0)
    assert judge_of(0.5).probability(finding(-1e9)) == pytest.approx(0.0)


def test_what_stands_in_for_refused_weights_fails_only_what_is_far_off() -> None:
    judge = AnswerJudge.plain()
    names = FEATURES[Treatment.UNITS]
    at_its_place = AskFinding(Treatment.UNITS, tuple(0.0 for _ in names))
    far_off = {"first_behind": 8.0, "pairs_missing": 0.9}
    assert judge.grade(at_its_place) >= ENOUGH
    assert judge.grade(AskFinding(Treatment.UNITS, tuple(far_off.get(name, 0.0) for name in names))) < ENOUGH
