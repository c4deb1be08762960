"""A yes or no that leads a sentence, against what the sources settle."""

from __future__ import annotations

import pytest

from utils.grounding.check import AnswerChecker, GroundingSource, Verdict

RULE = "30일 전에 예고하지 않으면 30일분의 임금을 줘야 합니다."
SOURCES = [GroundingSource(1, RULE), GroundingSource(2, "부가세는 25일까지 신고합니다.")]
YES, NO, BOTH = frozenset({True}), frozenset({False}), frozenset({True, False})


@pytest.mark.parametrize(
    ("answer", "settled", "opposed"),
    [
        (f"아니요, {RULE} [1]", {1: YES}, ["아니요"]),
        (f"**아니요**, {RULE} [1]", {1: YES}, ["아니요"]),
        (f"네, {RULE} [1]", {1: NO}, ["네"]),
        ("아니요.", {1: YES}, ["아니요"]),
        (f"네, {RULE} [1]", {1: YES}, []),
        (f"아니요, {RULE} [1]", {1: BOTH}, []),
        (f"아니요, {RULE} [1]", {}, []),
        ("아니요, 부가세는 25일까지 신고합니다. [2]", {1: YES}, []),
        (f"네일숍도 {RULE} [1]", {1: NO}, []),
        (RULE + " [1]", {1: NO}, []),
    ],
)
def test_a_sentence_does_not_begin_with_the_opposite_of_what_its_sources_settle(
    answer: str, settled: dict[int, frozenset[bool]], opposed: list[str]
) -> None:
    [check] = AnswerChecker().check(answer, SOURCES, verdicts=settled).sentences
    assert list(check.unsupported_claims) == opposed
    if opposed and "[1]" in answer:
        assert check.verdict is Verdict.UNSUPPORTED
