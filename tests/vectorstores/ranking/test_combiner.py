"""The learned order: its file, and that it is linear."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from utils.config.settings import Settings
from utils.linear_models import LearnedWith, LinearModel, WeightsRefused
from vectorstores.embedders.ids import kiwi_embedder_id
from vectorstores.errors import RankingUnavailable
from vectorstores.ranking.combiner import ORDER_WEIGHTS, LinearCombiner, RankingWeights, learned_order
from vectorstores.ranking.features import FEATURES
from vectorstores.rerankers.kiwi import RERANKER_ID
from vectorstores.tokenizer import TOKENIZER_ID

SHIPPED = LinearCombiner.load()
matrices = arrays(np.float32, (3, len(FEATURES)), elements=st.floats(-2, 2, width=32))


NEURAL = LearnedWith(tokenizer=TOKENIZER_ID, embedder="local-BAAI/bge-m3", reranker="local-BAAI/bge-reranker-v2-m3")
EMBEDDED = LearnedWith(tokenizer=TOKENIZER_ID, embedder=kiwi_embedder_id(TOKENIZER_ID), reranker=RERANKER_ID)


def weights_file(folder: Path, learned_with: LearnedWith = NEURAL, **weights: float) -> Path:
    file = folder / "weights.json"
    order = LinearModel(weights=dict.fromkeys(FEATURES, 0.0) | weights)
    RankingWeights(
        command="",
        learned_with=learned_with,
        questions=1,
        cross_validated={},
        models={"order": order, "relevance": LinearModel(weights={"relevance": 2.0})},
    ).write(file)
    return file


def test_the_order_is_that_of_the_file(tmp_path: Path) -> None:
    combiner = LinearCombiner.load(weights_file(tmp_path, coverage=2.0, decree=-1.0))
    rows = np.zeros((3, len(FEATURES)), dtype=np.float32)
    rows[0, FEATURES.index("coverage")] = 0.5
    rows[1, FEATURES.index("decree")] = 1.0
    rows[2, FEATURES.index("cosine")] = 1.0
    assert combiner.scores(rows).tolist() == [1.0, -1.0, 0.0]
    assert combiner.relevance_weight == 2.0


@given(matrices, matrices, st.floats(-2, 2, width=32))
def test_scores_are_linear(rows: np.ndarray, other: np.ndarray, factor: float) -> None:
    together = SHIPPED.scores((rows + np.float32(factor) * other).astype(np.float32))
    apart = SHIPPED.scores(rows) + np.float32(factor) * SHIPPED.scores(other)
    np.testing.assert_allclose(together, apart, rtol=1e-3, atol=1e-2)


@given(matrices, st.floats(-3, 3, width=32))
def test_a_tilt_moves_weight_from_bm25_to_the_cosine(rows: np.ndarray, tilt: float) -> None:
    moved = SHIPPED.scores(rows, tilt) - SHIPPED.scores(rows)
    cosine, lexical = rows[:, FEATURES.index("cosine_share")], rows[:, FEATURES.index("lexical")]
    np.testing.assert_allclose(moved, tilt * (cosine - lexical), atol=1e-3)


def test_the_shipped_weights_were_learned_with_what_is_shipped() -> None:
    order = learned_order(Settings(), EMBEDDED)
    assert order is not None
    assert order.name == ORDER_WEIGHTS.path.name
    assert np.count_nonzero(SHIPPED.weights) > len(FEATURES) / 2


def test_no_order_is_borrowed_from_another_embedder_or_reranker() -> None:
    assert learned_order(Settings(), NEURAL) is None
    assert learned_order(Settings(), EMBEDDED.model_copy(update={"reranker": NEURAL.reranker})) is None
    assert learned_order(Settings(), NEURAL.model_copy(update={"reranker": EMBEDDED.reranker})) is None


def test_the_shipped_order_is_refused_by_another_version_of_the_embedded_models() -> None:
    with pytest.raises(WeightsRefused, match=r"kiwi-maxsim-v2.*kiwi-maxsim-v3.*train-ranking"):
        learned_order(Settings(), EMBEDDED.model_copy(update={"reranker": "kiwi-maxsim-v3"}))


def test_a_setting_points_at_the_order(tmp_path: Path) -> None:
    settings = Settings(ranking_weights=weights_file(tmp_path, coverage=2.0))
    order = learned_order(settings, NEURAL)
    assert order is not None
    assert order.weights[FEATURES.index("coverage")] == 2.0
    assert learned_order(settings.model_copy(update={"enable_learned_ranking": False}), NEURAL) is None


def test_an_order_of_others_stops_the_start(tmp_path: Path) -> None:
    settings = Settings(ranking_weights=weights_file(tmp_path, coverage=2.0))
    with pytest.raises(RankingUnavailable, match=r"RANKING_WEIGHTS: .*bge-m3.*train-ranking"):
        learned_order(settings, EMBEDDED)


@pytest.mark.parametrize("text", [None, "{"])
def test_an_order_that_cannot_be_read_stops_the_start(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "mine.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(RankingUnavailable, match=r"RANKING_WEIGHTS.*mine\.json"):
        learned_order(Settings(ranking_weights=file), NEURAL)
