"""Questions with made-up candidates, to learn an order from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.measures.judged_candidates import RankingExample
from evaluation.questions import EvaluationQuestion
from tests.support.small_searcher import request_for


def make_example(
    identifier: str, features: NDArray[np.floating], gold: Sequence[bool], judged: Sequence[bool] | None = None
) -> RankingExample:
    """Candidates ``<identifier>.0``, ``.1`` … with those features; the gold ones answer."""
    ids = tuple(f"{identifier}.{number}" for number in range(len(gold)))
    answers = tuple(passage for passage, is_gold in zip(ids, gold, strict=True) if is_gold)
    return RankingExample(
        question=EvaluationQuestion(id=identifier, question="질문", gold=answers),
        collection="law_common_db",
        request=request_for("질문"),
        ordinals=np.arange(len(gold)),
        ids=ids,
        features=features.astype(np.float32),
        fused=np.zeros(len(gold), dtype=np.float32),
        gold=np.asarray(gold),
        judged=np.asarray(judged if judged is not None else [True] * len(gold)),
    )
