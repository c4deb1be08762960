"""A single form of file for everything linear that is learned, and one way to be refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.weights import EMBEDDED, ROUTING, SHIPPED, Load
from utils.linear_models import LearnedWeights, LearnedWith, LinearModel, WeightsFile, WeightsRefused

each_file = pytest.mark.parametrize(
    ("file", "in_effect", "load"), SHIPPED, ids=[file.command for file, _, _ in SHIPPED]
)


def changed(file: WeightsFile, folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    learned = json.loads(file.path.read_text(encoding="utf-8"))
    change(learned)
    path = folder / "changed.json"
    path.write_text(json.dumps(learned), encoding="utf-8")
    return path


@each_file
def test_the_shipped_weights_go_with_what_is_shipped(file: WeightsFile, in_effect: LearnedWith, load: Load) -> None:
    load(file.path, in_effect)
    learned = json.loads(file.path.read_text(encoding="utf-8"))
    assert learned["command"] == f"python -m evaluation {file.command}"
    assert learned["questions"] > 200
    assert learned["cross_validated"]


@each_file
@pytest.mark.parametrize("part", ["tokenizer", "embedder", "reranker"])
def test_weights_of_another_model_are_refused(
    file: WeightsFile, in_effect: LearnedWith, load: Load, part: str, tmp_path: Path
) -> None:
    path = changed(file, tmp_path, lambda learned: learned["learned_with"].update({part: "another"}))
    with pytest.raises(WeightsRefused, match=rf"another.*python -m evaluation {file.command}"):
        load(path, in_effect)


@each_file
def test_weights_of_other_features_are_refused(
    file: WeightsFile, in_effect: LearnedWith, load: Load, tmp_path: Path
) -> None:
    model, features = next(((name, known) for name, known in file.features.items() if known), ("", ()))
    if not features:
        pytest.skip("its features are those that the examples have")
    less = changed(file, tmp_path, lambda learned: learned["models"][model]["weights"].pop(features[0]))
    with pytest.raises(WeightsRefused, match=features[0]):
        load(less, in_effect)
    more = changed(file, tmp_path, lambda learned: learned["models"][model]["weights"].update(luck=1.0))
    with pytest.raises(WeightsRefused, match="luck"):
        load(more, in_effect)


@each_file
@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"models": {}}', '{"weights": {"a": 1}}'])
def test_a_file_that_is_damaged_is_refused(
    file: WeightsFile, in_effect: LearnedWith, load: Load, text: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(WeightsRefused, match=r"damaged\.json.*python -m evaluation"):
        load(path, in_effect)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = WeightsFile(tmp_path / "w.json", "learn", {"only": ("a", "b")})
    written = LearnedWeights(
        command="python -m evaluation learn",
        learned_with=ROUTING,
        questions=3,
        cross_validated={"auc": 0.5},
        models={"only": LinearModel.of(("a", "b"), [0.123456, -2.0], intercept=1.00004, threshold=0.4)},
    )
    written.write(file.path)
    found = LearnedWeights.read(file, ROUTING)
    assert found == written
    assert found.models["only"].vector(("b", "a")).tolist() == [-2.0, 0.1235]
    assert found.models["only"].intercept == 1.0


def test_weights_of_other_providers_are_kept_beside_the_shipped_ones(tmp_path: Path) -> None:
    file = WeightsFile(tmp_path / "w.json", "learn", {})
    neural = EMBEDDED.model_copy(update={"reranker": "local-BAAI/bge"})
    own = file.learned_for(neural)
    assert file.learned_for(EMBEDDED) == file
    assert file.chosen(None, neural) == file, "nothing learned for it: the shipped file says what it was learned with"
    own.path.write_text("{}", encoding="utf-8")
    assert file.chosen(None, neural) == own
    assert file.chosen(tmp_path / "mine.json", neural).path.name == "mine.json"
