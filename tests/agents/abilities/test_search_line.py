"""The one line that is searched for, whoever worded it."""

from __future__ import annotations

import re

import pytest

from agents.abilities.search_line import one_line, with_particles, without_background

ASKED = "2025년 총급여 5,500만원 이하인데 월세 공제율이 어떻게 되나요?"


@pytest.mark.parametrize(
    ("wording", "line"),
    [
        ("검색 질의: “월세액 세액공제율 2025년 5,500만원 이하”", "월세액 세액공제율 2025년 5,500만원 이하"),
        ("- 수정된 질문: '월세액 세액공제율'", "월세액 세액공제율 2025년 5,500만원 이하"),
        ("\n월세액 공제율 (2025년, 총급여 5500만 원 이하)\n설명: …", "월세액 공제율 (2025년, 총급여 5500만 원 이하)"),
        ("월세", ASKED),
        ("", ASKED),
        ('"\n', ASKED),
    ],
)
def test_labels_and_quotes_go_and_years_and_bounds_stay(wording: str, line: str) -> None:
    assert one_line(wording, ASKED) == line


def test_a_question_over_several_lines_becomes_one() -> None:
    assert one_line("월\n", "월세는\n  공제되나요?") == "월세는 공제되나요?"


def test_particles_follow_the_word_they_stand_behind_now() -> None:
    terms = ("총급여", "대중교통", "보조금")
    assert with_particles("총급여은 대중교통와 보조금로 총급여이", terms) == "총급여는 대중교통과 보조금으로 총급여가"


def test_words_that_every_question_has_go_where_enough_is_left() -> None:
    background = [re.compile(r"연말정산(?:에|은)?(?=\s|$)")]
    assert without_background("월세는 연말정산에 공제", background, lambda text: len(text.split())) == "월세는 공제"
    assert without_background("연말정산은 언제", background, lambda text: len(text.split())) == "연말정산은 언제"
