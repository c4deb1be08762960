"""Figures of an English question in Korean."""

from __future__ import annotations

from decimal import Decimal

import pytest

from utils.english.figures import figure_at, won
from utils.english.lexicon import load_lexicon


@pytest.mark.parametrize(
    ("said", "korean"),
    [
        ("3 employees", "직원 3명"),
        ("three employees", "직원 3명"),
        ("2 part-timers", "알바 2명"),
        ("10 million won", "1,000만원"),
        ("10 million", "1,000만원"),
        ("1.5 billion won", "15억원"),
        ("150 million krw", "1억 5,000만원"),
        ("₩2,000,000", "200만원"),
        ("11,000 won", "11,000원"),
        ("11,000 won per hour", "시급 11,000원"),
        ("80 million won a year", "연 8,000만원"),
        ("$500", "500달러"),
        ("15 hours a week", "주 15시간"),
        ("5 days a week", "주 5일"),
        ("8 hours a day", "하루 8시간"),
        ("10 months", "10개월"),
        ("two years", "2년"),
        ("3.3%", "3.3%"),
        ("30 percent", "30%"),
        ("35 years old", "35세"),
        ("January 25", "1월 25일"),
        ("25th of January", "1월 25일"),
        ("2026", "2026년"),
    ],
)
def test_a_figure_keeps_its_unit(said: str, korean: str) -> None:
    lexicon = load_lexicon()
    words = lexicon.words(said)
    assert figure_at(words, 0, lexicon) == (korean, len(words))


@pytest.mark.parametrize("said", ["two", "employees", "per week", "$", "12"])
def test_a_number_of_nothing_is_no_figure(said: str) -> None:
    lexicon = load_lexicon()
    figure = figure_at(lexicon.words(said), 0, lexicon)
    assert figure is None or not figure[0]


def test_amounts_that_are_no_round_sums() -> None:
    assert won(Decimal(12345)) == "12,345원"
    assert won(Decimal("0.5")) == "0.5원"
    assert won(Decimal("1e15")).endswith("원")
