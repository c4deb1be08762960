"""Weights learned for other models: the service answers all the same, and says so in every answer and in /health."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chains.extractive import sentence_model
from tests.e2e.conftest import serving
from tests.support.weights import SHIPPED
from utils.conclusions import verdict_model
from utils.config.settings import Settings
from utils.grounding import answer_judge
from utils.routing import calibration
from vectorstores.ranking import combiner
from vectorstores.tokenizer import KiwiTokenizer
from vectorstores.units import model as units

QUESTION = "부가가치세는 언제까지 신고해야 하나요?"
FILES = (
    (sentence_model, "ANSWER_WEIGHTS"),
    (answer_judge, "ANSWER_JUDGE"),
    (calibration, "CALIBRATION"),
    (combiner, "ORDER_WEIGHTS"),
    (units, "UNIT_WEIGHTS"),
    (verdict_model, "VERDICT_WEIGHTS"),
)


def of_another_encoder(learned: dict[str, Any]) -> None:
    learned["learned_with"]["embedder"] = "kiwi-static-v0+kiwi"


def without_a_model(learned: dict[str, Any]) -> None:
    learned["models"].pop(next(iter(learned["models"])))


@pytest.mark.parametrize("change", [of_another_encoder, without_a_model])
def test_every_file_refused_still_answers_and_says_how_to_learn_anew(
    change: Callable[[dict[str, Any]], None],
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module, name in FILES:
        shipped = getattr(module, name)
        learned = json.loads(shipped.path.read_text(encoding="utf-8"))
        change(learned)
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(learned), encoding="utf-8")
        monkeypatch.setattr(module, name, shipped.at(path))
    # an embedded store has one owner, so another service gets a copy
    shutil.copytree(starter_settings.data_dir, tmp_path / "var", symlinks=True)
    with serving(starter_settings.model_copy(update={"data_dir": tmp_path / "var"}), tokenizer) as client:
        answer = client.post("/api/chat", json={"message": QUESTION}).json()
        health = client.get("/health").json()

    assert "25일" in answer["content"]
    assert answer["evaluation"]["passed"]
    refused = [lack["reason"] for lack in answer["degraded"] if lack["component"] == "weights"]
    assert sorted(file.command for file, _, _ in SHIPPED) == sorted(
        getattr(module, name).command for module, name in FILES
    )
    commands = {getattr(module, name).command for module, name in FILES}
    assert {command for command in commands for reason in refused if command in reason} == commands
    assert health["status"] == "degraded"
    assert health["capabilities"]["weights"]["state"] == "degraded"
    assert all(command in health["capabilities"]["weights"]["reason"] for command in commands)
    assert health["providers"]["ranking"] == "fusion"


def test_with_the_shipped_weights_nothing_is_said(starter_settings: Settings, tokenizer: KiwiTokenizer) -> None:
    with serving(starter_settings, tokenizer) as client:
        answer = client.post("/api/chat", json={"message": QUESTION}).json()
        assert answer["degraded"] == []
        assert client.get("/health").json()["capabilities"]["weights"]["state"] == "available"
