"""Every file of linear weights that is shipped, with what it was learned with and what reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from chains.extractive.sentence_model import ANSWER_WEIGHTS, AnswerModel
from utils.conclusions.verdict_model import VERDICT_WEIGHTS, VerdictModel
from utils.grounding.answer_judge import ANSWER_JUDGE, AnswerJudge
from utils.linear_models import LearnedWith, WeightsFile
from utils.routing.calibration import CALIBRATION, RoutingCalibration
from vectorstores.embedders.ids import kiwi_embedder_id, unit_embedder_id
from vectorstores.ranking.combiner import ORDER_WEIGHTS, LinearCombiner
from vectorstores.rerankers.kiwi import RERANKER_ID
from vectorstores.tokenizer import TOKENIZER_ID
from vectorstores.units.model import UNIT_WEIGHTS, UnitModel

EMBEDDED = LearnedWith(tokenizer=TOKENIZER_ID, embedder=kiwi_embedder_id(TOKENIZER_ID), reranker=RERANKER_ID)
ROUTING = EMBEDDED.model_copy(update={"reranker": None})
UNITS = LearnedWith(tokenizer=TOKENIZER_ID, embedder=unit_embedder_id(TOKENIZER_ID))

Load = Callable[[Path, LearnedWith], object]
SHIPPED: list[tuple[WeightsFile, LearnedWith, Load]] = [
    (ANSWER_WEIGHTS, EMBEDDED, AnswerModel.load),
    (ANSWER_JUDGE, EMBEDDED, AnswerJudge.load),
    (ORDER_WEIGHTS, EMBEDDED, LinearCombiner.load),
    (CALIBRATION, ROUTING, RoutingCalibration.load),
    (UNIT_WEIGHTS, UNITS, UnitModel.load),
    (VERDICT_WEIGHTS, ROUTING, VerdictModel.load),
]
