"""Question files and what counts as an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.measures.retrieval import RankedAnswer, score
from evaluation.questions import load_questions
from tests.support.small_index import write_lines


def test_gold_may_be_called_by_what_it_is_the_id_of(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "q.jsonl",
        {"id": "1", "question": "?", "gold": ["민법|제1조", "민법|제2조"]},
        {"id": "2", "question": "?", "gold_page": "drive/a.txt", "also_ok": ["drive/b.txt"]},
        {"id": "3", "question": "?", "gold_faq_id": 11731},
        {"id": "4", "question": "?"},
    )
    assert [question.gold for question in load_questions(path)] == [
        ("민법|제1조", "민법|제2조"),
        ("drive/a.txt",),
        ("11731",),
        (),
    ]


def test_a_page_that_is_as_good_counts_at_its_place_and_once(tmp_path: Path) -> None:
    line: dict[str, object] = {"id": "1", "question": "?", "gold_page": "a", "also_ok": ["b", "c"]}
    (question,) = load_questions(write_lines(tmp_path / "q.jsonl", line))
    hits = question.as_gold(["x", "c", "a", "y"])
    assert hits == ("x", "a", "y")
    figures = score([RankedAnswer("1", hits, 1.0)], {"1": question.gold})
    assert (figures["any@1"], figures["any@5"], figures["recall@10"], figures["mrr"]) == (0, 1, 1, 0.5)


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"q\.jsonl:2"):
        load_questions(write_lines(tmp_path / "q.jsonl", {"id": "1", "question": "?"}, {"id": "2"}))
