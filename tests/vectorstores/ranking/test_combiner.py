"""The learned order: its file, and that it is linear."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vectorstores.embedders.ids import kiwi_embedder_id
from vectorstores.ranking.combiner import WEIGHTS_FILE, LinearCombiner
from vectorstores.ranking.features import FEATURES
from vectorstores.tokenizer import TOKENIZER_ID

SHIPPED = LinearCombiner.load()
matrices = arrays(np.float32, (3, len(FEATURES)), elements=st.floats(-2, 2, width=32))


def weights_file(folder: Path, **weights: float) -> Path:
    file = folder / "weights.json"
    file.write_text(json.dumps({"weights": weights, "relevance_weight": 2}), encoding="utf-8")
    return file


def test_a_feature_that_is_not_named_weighs_nothing(tmp_path: Path) -> None:
    combiner = LinearCombiner.load(weights_file(tmp_path, coverage=2.0, decree=-1.0))
    rows = np.zeros((3, len(FEATURES)), dtype=np.float32)
    rows[0, FEATURES.index("coverage")] = 0.5
    rows[1, FEATURES.index("decree")] = 1.0
    rows[2, FEATURES.index("cosine")] = 1.0
    assert combiner.scores(rows).tolist() == [1.0, -1.0, 0.0]
    assert combiner.relevance_weight == 2.0


def test_an_unknown_feature_is_named_with_its_file(tmp_path: Path) -> None:
    file = weights_file(tmp_path, coverage=1.0, luck=1.0)
    with pytest.raises(ValueError, match=r"weights\.json: unknown features \['luck'\]"):
        LinearCombiner.load(file)


@pytest.mark.parametrize("text", ["", "{", '{"weights": {}}', '{"relevance_weight": 1}', "[]"])
def test_a_file_of_another_form_is_a_value_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "weights.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError):
        LinearCombiner.load(file)


@given(matrices, matrices, st.floats(-2, 2, width=32))
def test_scores_are_linear(one: np.ndarray, other: np.ndarray, factor: float) -> None:
    together = SHIPPED.scores((one + np.float32(factor) * other).astype(np.float32))
    apart = SHIPPED.scores(one) + np.float32(factor) * SHIPPED.scores(other)
    np.testing.assert_allclose(together, apart, rtol=1e-3, atol=1e-2)


def test_the_shipped_weights_were_learned_with_what_is_shipped() -> None:
    data = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    assert data["tokenizer"] == TOKENIZER_ID
    assert data["embedder"] == kiwi_embedder_id(TOKENIZER_ID)
    assert SHIPPED.relevance_weight > 0
    assert np.count_nonzero(SHIPPED.weights) > len(FEATURES) / 2
