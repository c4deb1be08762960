"""Committed scores and what fell below them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.baseline import check_baseline, write_baseline

SCORES = {"all": {"any@1": 0.5, "mrr": 0.6, "ms_p50": 12.0}, "세무": {"any@1": 0.25}}


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    path = tmp_path / "baseline.json"
    write_baseline(path, SCORES)
    return path


def test_times_are_of_the_machine_and_not_committed(baseline: Path) -> None:
    text = baseline.read_text(encoding="utf-8")
    assert json.loads(text) == {"all": {"any@1": 0.5, "mrr": 0.6}, "세무": {"any@1": 0.25}}
    assert "세무" in text
    assert text.endswith("}\n")


def test_the_same_and_better_scores_pass(baseline: Path) -> None:
    assert check_baseline(baseline, SCORES) == []
    assert check_baseline(baseline, {"all": {"any@1": 0.9, "mrr": 0.6}, "세무": {"any@1": 0.25}, "새": {}}) == []


def test_what_fell_is_named_with_both_figures(baseline: Path) -> None:
    worse = {"all": {"any@1": 0.48, "mrr": 0.596}, "세무": {"any@1": 0.25}}
    assert check_baseline(baseline, worse) == ["all.any@1: 0.48 < 0.5"], "a little less passes"
    assert check_baseline(baseline, worse, tolerance=0.0) == ["all.any@1: 0.48 < 0.5", "all.mrr: 0.596 < 0.6"]


def test_a_figure_that_is_missing_fell(baseline: Path) -> None:
    assert check_baseline(baseline, {"all": {"any@1": 0.5}}) == ["all.mrr: 0 < 0.6", "세무.any@1: 0 < 0.25"]
