"""any@k, recall and MRR by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.retrieval import CUTOFFS, RankedAnswer, ranked_id, score
from tests.support.hits import make_hit
from utils.documents import Hit


def test_by_hand() -> None:
    answers = [
        RankedAnswer("first", ("a", "x", "b"), 10.0),
        RankedAnswer("sixth", ("1", "2", "3", "4", "5", "a"), 30.0),
        RankedAnswer("late", (*tuple(str(number) for number in range(14)), "a"), 20.0),
        RankedAnswer("never", ("x",), 40.0),
        RankedAnswer("unjudged", ("a",), 500.0),
    ]
    gold = {"first": ("a", "b", "c", "d"), "sixth": ("a",), "late": ("a",), "never": ("a",), "unjudged": ()}
    figures = score(answers, gold)
    assert figures["questions"] == 4
    assert [figures[f"any@{cutoff}"] for cutoff in (1, 5, 10, 20)] == [0.25, 0.25, 0.5, 0.75]
    assert figures["recall@10"] == pytest.approx((2 / 4 + 1 + 0 + 0) / 4)
    assert figures["mrr"] == pytest.approx((1 + 1 / 6 + 1 / 15 + 0) / 4, abs=1e-4)
    assert (figures["ms_p50"], figures["ms_p95"]) == (30.0, 500.0)


def test_without_gold_only_times_are_told() -> None:
    assert score([RankedAnswer("q", ("a",), 3.0)], {}) == {"questions": 0, "ms_p50": 3.0, "ms_p95": 3.0}


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=1, max_size=6))
def test_figures_are_shares_and_rise_with_the_cutoff(rankings: list[list[str]]) -> None:
    answers = [RankedAnswer(str(number), tuple(hits), 1.0) for number, hits in enumerate(rankings)]
    figures = score(answers, {answer.id: ("a", "b") for answer in answers})
    rising = [figures[f"any@{cutoff}"] for cutoff in CUTOFFS]
    assert rising == sorted(rising)
    assert all(0.0 <= figures[name] <= 1.0 for name in ("recall@10", "mrr", "any@1", "any@20"))
    assert figures["any@1"] <= figures["mrr"] + 1e-3


def test_an_article_is_known_by_its_label() -> None:
    hit = make_hit("글", chunk_id="D1")
    assert ranked_id(hit) == "D1"
    assert ranked_id(Hit(replace(hit.chunk, label="상법|제5조"), 0.0)) == "상법|제5조"
