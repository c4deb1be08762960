"""The learned order of candidates: a linear combination of their features, for one embedder and one reranker.

The weights are data (``data/ranking/*.json``), learned by ``python -m evaluation train-ranking`` from questions written
for this project and never from an evaluation set; evaluation/ablation.md shows what each part gains.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from utils.config.settings import PROJECT_ROOT, Settings
from utils.protocols import FloatMatrix
from vectorstores.errors import RankingUnavailable
from vectorstores.ranking.features import FEATURES, column_numbers
from vectorstores.search_request import Fusion

RANKING_FOLDER = PROJECT_ROOT / "data" / "ranking"
WEIGHTS_FILE = RANKING_FOLDER / "weights.json"


class MeasuredFusion(BaseModel):
    """The fusion that ranked best with an embedder: its kind, and the share of the vector side by search mode."""

    kind: Fusion
    vector_weights: dict[str, float]


# What `LinearCombiner.scores` shifts between the sides.
_TILT = np.zeros(len(FEATURES), dtype=np.float32)
_TILT[column_numbers(("cosine_share", "lexical"))] = (1.0, -1.0)


class _Learned(BaseModel):
    """What of the file the search uses; the rest says how it was learned."""

    weights: dict[str, float]
    relevance_weight: float
    embedder: str = ""
    reranker: str = ""
    fusion: MeasuredFusion | None = None


@dataclass(frozen=True)
class LinearCombiner:
    """Scores candidates; only differences between candidates of one question mean anything.

    ``relevance_weight`` is what the reranker's relevance in [0, 1] adds to the score. ``embedder`` and ``reranker`` are those
    it was learned with, ``name`` its file; ``fusion`` is None where the usual one is good.
    """

    weights: NDArray[np.float32]
    relevance_weight: float
    embedder: str
    reranker: str
    name: str
    fusion: MeasuredFusion | None

    @classmethod
    def load(cls, path: Path = WEIGHTS_FILE) -> Self:
        """Read the weights; a feature that is not named weighs nothing.

        Raises:
            OSError: the file cannot be read.
            ValueError: it names an unknown feature or is not of the expected form.
        """
        learned = _Learned.model_validate_json(path.read_bytes())
        unknown = learned.weights.keys() - set(FEATURES)
        if unknown:
            raise ValueError(f"{path}: unknown features {sorted(unknown)}")
        weights = np.asarray([learned.weights.get(name, 0.0) for name in FEATURES], dtype=np.float32)
        return cls(weights, learned.relevance_weight, learned.embedder, learned.reranker, path.name, learned.fusion)

    def scores(self, features: FloatMatrix, tilt: float = 0.0) -> NDArray[np.float32]:
        """The score of each candidate, shape ``(len(features),)``.

        ``tilt`` is added for the nearest candidate's cosine and taken for the best lexical score, in proportion for the others.
        """
        result: NDArray[np.float32] = features @ (self.weights + np.float32(tilt) * _TILT)
        return result

    def fits(self, embedder_id: str, reranker_id: str) -> bool:
        """Whether it was learned with these; others have scales of their own."""
        return (self.embedder, self.reranker) == (embedder_id, reranker_id)


def learned_order(settings: Settings, embedder_id: str, reranker_id: str) -> LinearCombiner | None:
    """The order learned with this embedder and reranker: ``RANKING_WEIGHTS``, else a file of `RANKING_FOLDER`; None where
    there is none, or it is switched off.

    Raises:
        RankingUnavailable: a file cannot be read, or ``RANKING_WEIGHTS`` was learned with others.
    """
    if not settings.enable_learned_ranking:
        return None
    if settings.ranking_weights is None:
        orders = (_loaded(path) for path in sorted(RANKING_FOLDER.glob("*.json")))
        return next((one for one in orders if one.fits(embedder_id, reranker_id)), None)
    order = _loaded(settings.ranking_weights)
    if not order.fits(embedder_id, reranker_id):
        raise RankingUnavailable(
            f"RANKING_WEIGHTS: {settings.ranking_weights}의 순서는 임베딩 {order.embedder}, 재순위 {order.reranker}(으)로 "
            f"배웠는데 설정은 {embedder_id}, {reranker_id}입니다. 다시 배우는 명령: python -m evaluation train-ranking"
        )
    return order


def _loaded(path: Path) -> LinearCombiner:
    try:
        return LinearCombiner.load(path)
    except (OSError, ValueError) as error:
        raise RankingUnavailable(
            f"후보의 순서를 정하는 가중치를 읽을 수 없습니다 (RANKING_WEIGHTS): {path}: {error}"
        ) from error
