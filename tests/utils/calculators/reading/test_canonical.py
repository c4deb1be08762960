"""Words that only look like units of figures."""

from __future__ import annotations

import pytest

from utils.calculators.reading.canonical import canonical


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("과세표준 1억 2천이면", "과세표준 120000000이면"),
        ("1억2천5백", "125000000"),
        ("1억 2천만원", "120000000원"),
        ("과세표준이 3억인 법인", "과세표준이 300000000인 법인"),
        ("월급 300인데", "월급 300인데"),
        ("5인 미만 사업장", "5명 미만 사업장"),
        ("한 달에 250 주는", "1개월에 250 주는"),
        ("주 3일 만이천원", "주 3일 12000원"),
    ],
)
def test_figures_are_canonical_and_words_stay_words(question: str, text: str) -> None:
    assert canonical(question) == text
