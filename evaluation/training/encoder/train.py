"""The training loop, and what becomes of its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.training.encoder.corpus import Corpus
from evaluation.training.encoder.kiwi_vectors import MorphemeVectors
from evaluation.training.encoder.model import DualEncoder
from evaluation.training.encoder.pairs import PairSampler
from evaluation.training.encoder.start import starting_point
from utils.protocols import FloatMatrix

Report = Callable[[str, float], None]


@dataclass(frozen=True)
class TrainingOptions:
    """``trained_share`` is what the trained vectors count in the mean with those training started from.

    Fully trained vectors fit law better and everything else worse than untrained ones; their mean is better than both on
    texts that are not law, and as good on law (weight averaging; Wortsman et al. 2022, "Robust fine-tuning").
    """

    steps: int = 1_000
    batch: int = 1_024
    seed: int = 1
    trained_share: float = 0.65


def train(
    corpus: Corpus, kiwi: MorphemeVectors, options: TrainingOptions, report: Report
) -> tuple[FloatMatrix, NDArray[np.bool_]]:
    """The weighted vector of each of the corpus's terms, shape ``(terms, 256)``, and which terms occurred in training.

    ``report`` gets the source and the loss of every step. Deterministic for a seed and a number of threads.
    """
    vectors, weights = starting_point(kiwi, corpus.terms)
    encoder = DualEncoder(vectors, weights, options.steps)
    sampler = PairSampler(corpus, options.batch, options.seed)
    for _ in range(options.steps):
        source, pairs = sampler.draw()
        report(source, encoder.learn(pairs))
    share = np.float32(options.trained_share)
    mixed = share * encoder.term_vectors() + (1 - share) * (vectors * weights[:, None])
    return mixed, encoder.touched()
