"""Learning the order of candidates over the starter knowledge base, as the command does it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from evaluation.commands.training.train_ranking import QUESTION_FILES, add_training_arguments, run_training
from utils.config.settings import Settings
from vectorstores.embedders.ids import kiwi_embedder_id
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.rerankers.kiwi import RERANKER_ID
from vectorstores.tokenizer import TOKENIZER_ID


def arguments(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_training_arguments(parser)
    return parser.parse_args(given)


@pytest.mark.slow
def test_what_is_learned_can_be_loaded_and_says_how(
    starter_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "weights.json"
    questions = next(path for path in QUESTION_FILES if path.name == "starter_law_common.jsonl")
    given = ("--data-dir", str(starter_settings.data_dir), "--questions", str(questions), "--out", str(out))
    assert run_training(arguments(*given)) == 0
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["learned_with"] == {
        "tokenizer": TOKENIZER_ID,
        "embedder": kiwi_embedder_id(TOKENIZER_ID),
        "reranker": RERANKER_ID,
    }
    assert written["questions"] > 20
    assert written["cross_validated"]["any@10"] > 0.8
    assert not any(name.startswith("ms_") for name in written["cross_validated"])
    assert LinearCombiner.load(out).relevance_weight == written["models"]["relevance"]["weights"]["relevance"]
    printed = capsys.readouterr().out
    assert "| fusion |" in printed
    assert "| learned order |" in printed
