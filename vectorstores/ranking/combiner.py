"""The learned order of candidates: a linear combination of their features.

The weights are data (``data/ranking/weights.json``), learned by ``python -m evaluation train-ranking`` from questions written
for this project and never from an evaluation set; evaluation/ablation.md shows what each part gains.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from utils.config.settings import PROJECT_ROOT
from utils.protocols import FloatMatrix
from vectorstores.ranking.features import FEATURES

WEIGHTS_FILE = PROJECT_ROOT / "data" / "ranking" / "weights.json"


class _Learned(BaseModel):
    """What of the file the search uses; the rest says how it was learned."""

    weights: dict[str, float]
    relevance_weight: float


@dataclass(frozen=True)
class LinearCombiner:
    """Scores candidates; only differences between candidates of one question mean anything.

    ``relevance_weight`` is what the embedded reranker's relevance in [0, 1] adds to the score.
    """

    weights: NDArray[np.float32]
    relevance_weight: float

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
        return cls(weights, learned.relevance_weight)

    def scores(self, features: FloatMatrix) -> NDArray[np.float32]:
        """The score of each candidate, shape ``(len(features),)``."""
        result: NDArray[np.float32] = features @ self.weights
        return result
