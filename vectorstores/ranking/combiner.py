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
from utils.linear_models import LearnedWeights, LearnedWith, WeightsFile, WeightsRefused
from utils.protocols import FloatMatrix
from vectorstores.errors import RankingUnavailable
from vectorstores.ranking.features import FEATURES, column_numbers
from vectorstores.ranking.fusion import Fusion

ORDER_WEIGHTS = WeightsFile(
    PROJECT_ROOT / "data" / "ranking" / "weights.json",
    "train-ranking",
    {"order": FEATURES, "relevance": ("relevance",)},
)


class MeasuredFusion(BaseModel):
    """The fusion that ranked best with an embedder: its kind, and the share of the vector side by search mode."""

    kind: Fusion
    vector_weights: dict[str, float]


# The weights that `LinearCombiner.scores` shifts between the sides.
_TILT = np.zeros(len(FEATURES), dtype=np.float32)
_TILT[column_numbers(("cosine_share", "lexical"))] = (1.0, -1.0)


class RankingWeights(LearnedWeights):
    """The file of an order: ``order`` scores a candidate, ``relevance`` adds the reranker's."""

    fusion: MeasuredFusion | None = None


@dataclass(frozen=True)
class LinearCombiner:
    """Scores candidates; only differences between candidates of one question mean anything.

    ``relevance_weight`` is what the reranker's relevance in [0, 1] adds to the score. ``name`` is the file that it comes
    from; ``fusion`` is None where the usual one is good.
    """

    weights: NDArray[np.float32]
    relevance_weight: float
    name: str
    fusion: MeasuredFusion | None

    @classmethod
    def load(cls, path: Path | None = None, in_effect: LearnedWith | None = None) -> Self:
        """Read the shipped weights, or those of ``path``.

        Raises:
            utils.linear_models.WeightsRefused: they cannot be used, or not with what is ``in_effect`` (None: not asked).
        """
        file = ORDER_WEIGHTS.chosen(path, in_effect)
        found = RankingWeights.read(file, in_effect)
        weights = found.models["order"].vector(FEATURES).astype(np.float32)
        return cls(weights, found.models["relevance"].weights["relevance"], file.path.name, found.fusion)

    def scores(self, features: FloatMatrix, tilt: float = 0.0) -> NDArray[np.float32]:
        """Return the score of each candidate, shape ``(len(features),)``.

        ``tilt`` is added for the nearest candidate's cosine and taken for the best lexical score, in proportion for the others.
        """
        result: NDArray[np.float32] = features @ (self.weights + np.float32(tilt) * _TILT)
        return result


def learned_order(settings: Settings, in_effect: LearnedWith) -> LinearCombiner | None:
    """Return the order learned with these: ``RANKING_WEIGHTS``, else the file kept for them; None where there is none, or it
    is switched off.

    Raises:
        RankingUnavailable: ``RANKING_WEIGHTS`` cannot be used.
        utils.linear_models.WeightsRefused: the file that should hold the order cannot be used.
    """
    if not settings.enable_learned_ranking:
        return None
    if settings.ranking_weights is None:
        own = ORDER_WEIGHTS.learned_for(in_effect)
        missing = own is not ORDER_WEIGHTS and not own.path.exists()
        return None if missing else LinearCombiner.load(own.path, in_effect)
    try:
        return LinearCombiner.load(settings.ranking_weights, in_effect)
    except WeightsRefused as error:
        raise RankingUnavailable(f"RANKING_WEIGHTS: {error}") from error
