"""Bullets rest on words of the documents."""

from __future__ import annotations

import pytest

from agents.abilities.bullets import bullets_of

SOURCES = ["월세액 세액공제\n무주택 세대주가 지급한 월세액의 17%를 공제한다."]


@pytest.mark.parametrize(
    ("text", "bullets"),
    [
        ("월세액은 무주택 세대주만 공제됩니다. [1]", ["- 월세액은 무주택 세대주만 공제됩니다. [1]"]),
        (
            "## 답변\n* 월세액의 17%를 세액공제로 [1]\n1. 월세액의 17%를 세액공제로 [1]",
            ["- 월세액의 17%를 세액공제로 [1]"],
        ),
        ("- 주식 손실은 나중에 환급됩니다. [1]", []),
        ("- 월세액은 확인이 필요합니다.", []),
        ("", []),
    ],
)
def test_a_bullet_shares_two_words_with_the_documents_and_is_said_once(text: str, bullets: list[str]) -> None:
    assert bullets_of(text, SOURCES) == bullets
