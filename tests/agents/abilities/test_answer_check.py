"""Evasive answers, and those that only look like it."""

from __future__ import annotations

import pytest

from agents.abilities.answer_check import is_evasive


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "[1]",
        "문서에서 확인할 수 없습니다.",
        "죄송하지만 잘 모르겠습니다.",
        "자세한 내용은 공식 문서를 참고하세요.",
        "I cannot answer that.",
    ],
)
def test_what_says_nothing_is_evasive(answer: str) -> None:
    assert is_evasive(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "라벨은 500개까지 만들 수 있습니다. [1]",
        "지운 라벨은 되돌릴 수 없습니다. [2] 이름은 문서에서 확인할 수 없습니다.",
        "찾을 수 없는 문서에는 404를 돌려줍니다. [1]",
    ],
)
def test_what_answers_a_part_from_a_document_is_not(answer: str) -> None:
    assert not is_evasive(answer)
