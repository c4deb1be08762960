"""Scores of the commands do not fall below the committed ones."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.baseline import check_baseline
from utils.config.settings import PROJECT_ROOT, Settings

BASELINES = PROJECT_ROOT / "evaluation" / "baselines"
DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
SHARED_EVAL = PROJECT_ROOT.parent / "shared" / "eval"


@pytest.fixture
def data_dir(starter_settings: Settings, tmp_path: Path) -> Path:
    """An index of the starter base for the command alone: an embedded store has one owner."""
    shutil.copytree(starter_settings.data_dir, tmp_path / "var", symlinks=True)
    return tmp_path / "var"


def fallen(name: str, scores: Path) -> list[str]:
    return check_baseline(BASELINES / name, json.loads(scores.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_retrieval_of_the_starter_documents(data_dir: Path, tmp_path: Path) -> None:
    dataset, scores = tmp_path / "starter.jsonl", tmp_path / "scores.json"
    files = sorted(DATASETS.glob("starter_*.jsonl"))
    dataset.write_text("".join(file.read_text(encoding="utf-8") for file in files), encoding="utf-8")
    options = ["--dataset", dataset, "--out", tmp_path / "hits.jsonl", "--data-dir", data_dir, "--baseline", scores]
    assert main(["retrieval", *map(str, options)]) == 0
    assert fallen("retrieval_starter.json", scores) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dataset", "baseline"), [("acceptance.jsonl", "answers.json"), ("answer_sentences.jsonl", "answer_sentences.json")]
)
def test_answers_to_the_committed_questions(
    dataset: str, baseline: str, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(data_dir))
    scores = tmp_path / "scores.json"
    options = ["--dataset", DATASETS / dataset, "--out", tmp_path / "answers.jsonl", "--baseline", scores]
    assert main(["answers", *map(str, options)]) == 0
    measured = json.loads(scores.read_text(encoding="utf-8"))
    assert measured["all"]["grounded"] == 1
    del measured["all"]["characters"]  # neither more nor less is better
    committed = json.loads((BASELINES / baseline).read_text(encoding="utf-8"))
    assert [
        name
        for name, value in committed["all"].items()
        if name in measured["all"] and measured["all"][name] < value - 0.011  # one of a hundred questions
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dataset", "baseline", "folder", "extra"),
    [
        ("statute_recall_dev.jsonl", "retrieval_statutes.json", "STATUTES_DATA_DIR", ("--collection", "law_common_db")),
        ("google_api_dev.jsonl", "retrieval_google_api.json", "GOOGLE_DATA_DIR", ("--k", "80")),
        ("labor_faq_dev.jsonl", "retrieval_labor_faq.json", "LABOR_FAQ_DATA_DIR", ()),
    ],
)
def test_retrieval_of_large_corpora(
    dataset: str, baseline: str, folder: str, extra: tuple[str, ...], tmp_path: Path
) -> None:
    """They take minutes to ingest, so the index is made beforehand and named by an environment variable."""
    if folder not in os.environ:
        pytest.skip(f"{folder} names no index of that corpus")
    if not (SHARED_EVAL / dataset).exists():
        pytest.skip("the development questions are not beside the project")
    scores = tmp_path / "scores.json"
    options = ["--dataset", SHARED_EVAL / dataset, "--out", tmp_path / "hits.jsonl", "--baseline", scores, *extra]
    assert main(["retrieval", "--data-dir", os.environ[folder], *map(str, options)]) == 0
    assert fallen(baseline, scores) == []
