"""The comparison of search modes: on lists written by hand, and as a command over the starter base."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from agents.retrieval.search_mode import SearchMode
from evaluation.__main__ import main
from evaluation.experiments.mode_comparison import (
    ModeAnswer,
    agreement,
    chosen,
    mode_figures,
    overlap,
    pairwise_cosine,
    rank_change,
)
from evaluation.measures.retrieval import RankedAnswer
from utils.config.settings import Settings

BOTH, WORDS, VECTORS = frozenset({"bm25", "vector"}), frozenset({"bm25"}), frozenset({"vector"})
GOLD = {"q1": ("a",), "q2": ("a",)}


def found(
    question: str, hits: str, mode: SearchMode = SearchMode.HYBRID, ways: Sequence[frozenset[str]] = ()
) -> ModeAnswer:
    vectors = np.eye(4, dtype=np.float32)[: len(hits)]
    values = tuple(float(number) for number in range(len(hits)))
    return ModeAnswer(RankedAnswer(question, tuple(hits), 1.0), mode, vectors, tuple(ways), values, values)


def test_lists_are_compared_by_hand() -> None:
    assert overlap("abc", "bcd") == 0.5
    assert overlap("", "") == 1.0
    assert rank_change("abc", "abc") == 0.0
    assert rank_change("abc", "bac") == pytest.approx(2 / 3)
    assert rank_change("ab", "ac") == pytest.approx((0 + 1 + 1) / 3), "what a list lacks stands behind its last"


def test_likeness_is_the_mean_cosine_of_different_hits() -> None:
    rows = np.asarray([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    assert pairwise_cosine(rows) == pytest.approx(1 / 3)
    assert pairwise_cosine(rows[:2]) == pytest.approx(1.0)


def test_figures_of_a_mode() -> None:
    figures = mode_figures([found("q1", "ab", ways=(BOTH, VECTORS)), found("q2", "ba", ways=(WORDS, WORDS))], GOLD)
    assert (figures["any@1"], figures["mrr"]) == (0.5, 0.75)
    assert (figures["vector_only"], figures["bm25_only"]) == (0.25, 0.5)
    assert (figures["similarity"], figures["pairwise_cosine"]) == (0.5, 0.0)


def test_agreement_of_each_pair() -> None:
    runs = {"x": [found("q1", "ab")], "y": [found("q1", "ba")], "z": [found("q1", "cd")]}
    compared = agreement(runs)
    assert list(compared) == ["x / y", "x / z", "y / z"]
    assert compared["x / y"] == {"jaccard@10": 1.0, "rank_change": 1.0}
    assert compared["x / z"]["jaccard@10"] == 0.0


def test_what_is_chosen_stands_beside_the_balanced_mode() -> None:
    adaptive = [found("q1", "ab", SearchMode.BM25_HEAVY), found("q2", "ab", SearchMode.HYBRID)]
    result = chosen(adaptive, [found("q1", "ba"), found("q2", "ab")], GOLD)
    assert result["BM25_HEAVY"] == {"share": 0.5, "any@10": 1.0, "any@10_hybrid": 1.0, "mrr": 1.0, "mrr_hybrid": 0.5}
    assert result["HYBRID"]["mrr"] == result["HYBRID"]["mrr_hybrid"] == 1.0


@pytest.mark.slow
def test_the_command_runs_every_mode(
    starter_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset, out = tmp_path / "questions.jsonl", tmp_path / "modes.json"
    question = {"id": "q", "question": "퇴직금은 언제까지 지급해야 하나요?", "gold": "HR_WAGE_001"}
    dataset.write_text(json.dumps(question, ensure_ascii=False) + "\n", encoding="utf-8")
    options = ["--dataset", dataset, "--data-dir", starter_settings.data_dir, "--out", out]
    assert main(["modes", *map(str, options)]) == 0
    written = json.loads(out.read_text(encoding="utf-8"))
    assert list(written["figures"]) == [*SearchMode, "adaptive"]
    assert len(written["agreement"]) == 10
    assert sum(mode["share"] for mode in written["chosen"].values()) == 1.0
    assert "BM25_HEAVY" in capsys.readouterr().out
