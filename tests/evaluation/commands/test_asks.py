"""The table of the figures, and two runs side by side."""

from __future__ import annotations

import pytest

from evaluation.__main__ import main
from evaluation.commands.asks import compared, figures_table


def test_shares_are_percentages_and_counts_are_not() -> None:
    table = figures_table({"hr_labor": {"questions": 2, "asks": 3, "asks_answered": 0.5, "characters": 120.4}})
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines()[1:]}
    assert rows["questions"] == ["2"]
    assert rows["asks_answered"] == ["50.0%"]
    assert rows["characters"] == ["120"]
    assert rows["sums_computed"] == ["–"]


def test_less_misleading_is_better_and_the_worse_are_named() -> None:
    now = {"a": {"asks_answered": 1.0, "misleading": 0.0}, "b": {"asks_answered": 0.5}, "c": {"asks_answered": 1.0}}
    before = {"a": {"asks_answered": 0.0, "misleading": 1.0}, "b": {"asks_answered": 1.0}}
    rows = {line.split()[0]: line for line in compared(now, before).strip().splitlines()}
    assert "2 questions" in rows["against"]
    assert "+1 −1" in rows["asks_answered"]
    assert rows["asks_answered"].endswith("worse: b")
    assert "+1 −0" in rows["misleading"]
    assert "worse" not in rows["misleading"]


def test_a_baseline_of_other_questions_is_refused() -> None:
    with pytest.raises(ValueError, match="none of these questions"):
        compared({"a": {"asks_answered": 1.0}}, {"b": {"asks_answered": 1.0}})


def test_a_baseline_that_is_no_summary_ends_before_anything_is_answered(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("asks")
    dataset, baseline = folder / "questions.jsonl", folder / "figures.json"
    ask = '{"ask": "무엇", "kind": "open", "gold": [], "key_facts": []}'
    dataset.write_text(f'{{"id": "1", "question": "?", "asks": [{ask}]}}\n', encoding="utf-8")
    baseline.write_text("[]", encoding="utf-8")
    options = ["--dataset", dataset, "--baseline", baseline, "--data-dir", folder]
    assert main(["asks", *map(str, options)]) == 1
    assert "is no summary" in capsys.readouterr().err
