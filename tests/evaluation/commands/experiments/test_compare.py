"""Two configurations side by side over the starter knowledge base."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from evaluation.commands.experiments.compare import add_arguments, run
from utils.config.settings import PROJECT_ROOT, Settings

QUESTIONS = PROJECT_ROOT / "evaluation" / "datasets" / "starter_hr_labor.jsonl"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(QUESTIONS.read_text(encoding="utf-8").splitlines()[:6]) + "\n", encoding="utf-8")
    return file


def arguments(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(given)


@pytest.mark.slow
def test_both_sides_stand_in_one_table(
    starter_settings: Settings, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(starter_settings.data_dir)
    given = ("--dataset", str(dataset), "--a", folder, "--b", folder, "--b-set", "ENABLE_LEARNED_RANKING=false")
    assert run(arguments(*given)) == 0
    printed = capsys.readouterr().out
    assert "weights.json" in printed.splitlines()[0]
    assert printed.count("ms of CPU a question") == 2
    header, _, first, second, verdict = printed.strip().splitlines()[-5:]
    assert header.startswith("| configuration | any@1 |")
    assert "mrr" in header
    assert "ms_p50" in header
    assert first.startswith("| a | ")
    assert second.startswith("| b | ")
    assert verdict.startswith("ranked higher by a: ")


@pytest.mark.parametrize("setting", ["NO_SUCH_THING=1", "RETRIEVAL_K"])
def test_a_setting_that_is_none_is_named(dataset: Path, setting: str) -> None:
    with pytest.raises(ValueError, match=r"NO_SUCH_THING|NAME=VALUE"):
        run(arguments("--dataset", str(dataset), "--a", ".", "--b", ".", "--a-set", setting))


def test_without_gold_there_is_nothing_to_compare(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"id": "1", "question": "?"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="gold"):
        run(arguments("--dataset", str(file), "--a", ".", "--b", "."))
