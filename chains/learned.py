"""Everything learned that answering uses, read at start; what is refused is stood in for, and named in every answer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from chains.extractive.sentence_model import AnswerModel
from schemas.chat import Component, Degradation
from utils.conclusions.verdict_model import VerdictModel
from utils.config.settings import Settings
from utils.grounding.answer_judge import AnswerJudge
from utils.linear_models import LearnedWith, WeightsRefused
from utils.routing.calibration import RoutingCalibration
from vectorstores.embedders.ids import unit_embedder_id
from vectorstores.ranking.combiner import LinearCombiner, learned_order
from vectorstores.units.model import UnitModel

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LearnedModels:
    """``order`` is None where candidates are ordered by their fusion. ``degraded`` names what was refused, and why."""

    order: LinearCombiner | None
    calibration: RoutingCalibration
    answers: AnswerModel
    units: UnitModel
    verdicts: VerdictModel
    judge: AnswerJudge
    degraded: tuple[Degradation, ...]


def load_learned(
    settings: Settings, tokenizer_id: str, embedder_id: str, reranker_id: str, embedded_id: str
) -> LearnedModels:
    """Read what was learned with these. ``embedded_id`` is the embedder of routing and of the extractive answer.

    Raises:
        vectorstores.errors.RankingUnavailable: ``RANKING_WEIGHTS`` names a file that cannot be used.
    """
    searching = LearnedWith(tokenizer=tokenizer_id, embedder=embedder_id, reranker=reranker_id)
    answering = searching.model_copy(update={"embedder": embedded_id})
    routing = answering.model_copy(update={"reranker": None})
    degraded: list[Degradation] = []

    def read(load: Callable[[], T], stand_in: Callable[[], T], without: str) -> T:
        try:
            return load()
        except WeightsRefused as error:
            reason = f"{without} {error}"
            logger.warning("%s", reason)
            degraded.append(Degradation(component=Component.WEIGHTS, reason=reason))
            return stand_in()

    order = read(lambda: learned_order(settings, searching), lambda: None, "후보를 융합 순서로 정렬합니다.")
    calibration = read(
        lambda: RoutingCalibration.load(in_effect=routing),
        RoutingCalibration.plain,
        "분야를 배우지 않은 가중치로 정합니다.",
    )
    answers = read(
        lambda: AnswerModel.load(in_effect=answering),
        AnswerModel.plain,
        "발췌할 문장을 배우지 않은 가중치로 고릅니다.",
    )
    units = read(
        lambda: UnitModel.load(in_effect=LearnedWith(tokenizer=tokenizer_id, embedder=unit_embedder_id(tokenizer_id))),
        UnitModel.plain,
        "답변 단위를 배우지 않은 가중치로 고릅니다.",
    )
    verdicts = read(
        lambda: VerdictModel.load(in_effect=answering.model_copy(update={"reranker": None})),
        VerdictModel.plain,
        "예·아니요를 말하지 않습니다.",
    )
    judge = read(
        lambda: AnswerJudge.load(in_effect=searching),
        AnswerJudge.plain,
        "답변을 배우지 않은 가중치로 평가합니다.",
    )
    if order is None and settings.enable_learned_ranking and not degraded:
        logger.warning(
            "임베딩 %s, 재순위 %s(으)로 배운 후보 순서가 없어 융합 순서로 정렬합니다. 배우는 명령: python -m evaluation train-ranking",
            embedder_id,
            reranker_id,
        )
    return LearnedModels(order, calibration, answers, units, verdicts, judge, tuple(degraded))
