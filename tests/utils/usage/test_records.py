"""Counts of calls: estimates, and what servers report in their several shapes."""

from __future__ import annotations

from typing import Any

import pytest

from utils.usage.records import UsageCounts, estimated_tokens, reported_tokens, size_of


def test_an_estimate_is_not_below_what_tokenizers_find() -> None:
    korean, english = "부가가치세는 언제까지 신고해야 하나요?", "When is value-added tax due in Korea?"
    assert 12 <= estimated_tokens(size_of(korean)) <= 16  # 22 characters; o200k_base finds about 12
    assert 9 <= estimated_tokens(size_of(english)) <= 10
    assert estimated_tokens(0) == 0
    assert size_of("\ud800") == 1  # a lone surrogate is no fault here


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        ({"usage": {"prompt_tokens": 7, "total_tokens": 7}}, 7),
        ({"usage": {"total_tokens": 9}}, 9),
        ({"usage": {"prompt_tokens": 0, "total_tokens": 0}}, None),
        ({"usage": {"prompt_tokens": True}}, None),
        ({"usage": {"prompt_tokens": "7"}}, None),
        ({"usage": None}, None),
        ({"data": []}, None),
        ([{"index": 0, "score": 0.5}], None),
        (None, None),
    ],
)
def test_what_a_server_reports_counts_and_nothing_like_it(answer: Any, tokens: int | None) -> None:
    assert reported_tokens(answer) == tokens


def test_counts_of_a_server_that_miscounts_stay_sane() -> None:
    counts = UsageCounts.of_call(10, -3, 50, estimated=False)
    assert (counts.input_tokens, counts.cached_tokens, counts.output_tokens) == (10, 10, 0)
