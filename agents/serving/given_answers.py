"""Evaluation of answers that somebody else wrote, by the same rules and the same model as the service's own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from agents.answering.asked_parts import admitted_asks
from agents.evaluator import EvaluatorAgent
from agents.serving.answer_shape import wire_evaluation
from agents.state import RunContext
from chains.models.usage import ModelPurpose, UsageMeter
from chains.rag_chain import RAGChain
from schemas.chat import Degradation
from schemas.evaluation import EvaluationRequest, EvaluationResponse, RagasResult
from utils.config.settings import Settings
from utils.documents import Chunk, Hit
from utils.grounding.check import AnswerChecker
from utils.grounding.rule_evaluator import (
    AnswerEvaluation,
    AskedPart,
    EvaluatedDocument,
    EvaluationInquiry,
    RuleEvaluator,
)
from utils.grounding.sources import grounding_sources
from utils.korean.asks import AskReader
from utils.korean.coverage import QuestionReader, coverage
from utils.protocols import Analyzer
from utils.resilience.deadline import Deadline, DeadlineExceeded

RULES = "rules"
_RELEVANT = 0.5  # share of a thing asked in a context from which that counts as found


class RagasScorer(Protocol):
    """Scores by the RAGAS metrics; see `evaluation.ragas_evaluator.RagasEvaluator`."""

    async def result(
        self,
        question: str,
        answer: str,
        contexts: Sequence[str],
        reference: str | None,
        deadline: Deadline,
        meter: UsageMeter,
    ) -> RagasResult: ...


class GivenAnswers:
    """Evaluates given answers. Nothing is searched: how well an answer rests on its contexts is all that can be told.

    ``run`` gives the context of an evaluation that begins, by the id of its request. ``ragas`` gives the scorer to those who
    want one; ``admit`` looks at the client's budget before a model is asked, and refuses it (True) or has the rules stand alone.
    Both may raise `utils.http.problems.ProblemError`.
    """

    def __init__(
        self,
        settings: Settings,
        chain: RAGChain,
        rules: RuleEvaluator,
        reader: QuestionReader,
        analyzer: Analyzer,
        law_aliases: Mapping[str, str],
        run: Callable[[str], RunContext],
        ragas: Callable[[], Awaitable[RagasScorer]],
        admit: Callable[[bool], None] = lambda _: None,
    ) -> None:
        self._settings = settings
        self._chain = chain
        self._rules = rules
        self._reader = reader
        self._asks = AskReader(analyzer)
        self._checker = AnswerChecker(law_aliases)
        self._agent = EvaluatorAgent(settings, chain, rules, self._checker)
        self._run = run
        self._ragas = ragas
        self._admit = admit

    async def evaluate(self, given: EvaluationRequest, request_id: str) -> EvaluationResponse:
        """Evaluate an answer. A model that fails is named, and the rules stand.

        Raises:
            DeadlineExceeded: the request's time is used up.
            utils.http.problems.ProblemError: RAGAS is wanted and not there, or the budget forbids the model.
        """
        ragas = await self._ragas() if given.ragas else None
        if given.ragas or (given.use_model and self._has_model):
            self._admit(given.ragas)
        run = self._run(request_id)
        try:
            async with asyncio.timeout(self._settings.request_timeout):
                return await self._evaluated(given, run, ragas)
        except TimeoutError as error:
            raise DeadlineExceeded("the request's time is used up") from error

    @property
    def _has_model(self) -> bool:
        return self._settings.enable_llm_evaluation and self._chain.model.supports(ModelPurpose.EVALUATION)

    async def _evaluated(
        self, given: EvaluationRequest, run: RunContext, ragas: RagasScorer | None
    ) -> EvaluationResponse:
        timings: dict[str, float] = {}
        began = time.perf_counter()
        hits, by_rule = await self._chain.in_pool(self._by_rule, given)
        began = _noted(timings, "rules", began)
        judged, judge = by_rule, RULES
        degraded: tuple[Degradation, ...] = ()
        if given.use_model and self._has_model:
            judged, degraded = await self._agent.by_model(given.question, given.answer, hits, by_rule, run)
            judge = RULES if degraded else self._settings.openai_evaluation_model or self._settings.openai_model
            began = _noted(timings, "model", began)
        scored = None
        if ragas is not None:
            contexts = [context.text for context in given.contexts]
            scored = await ragas.result(
                given.question, given.answer, contexts, given.reference, run.deadline, run.usage
            )
            _noted(timings, "ragas", began)
        return _response(given, run, (judged, by_rule), judge, degraded, scored, timings)

    def _by_rule(self, given: EvaluationRequest) -> tuple[tuple[Hit, ...], AnswerEvaluation]:
        asks = [part.text for part in self._asks.read(given.question)] or [given.question]
        hits = tuple(self._hit(number, given, asks) for number in range(1, len(given.contexts) + 1))
        report = self._checker.check(given.answer, grounding_sources(hits), given.question)
        admitted = admitted_asks(asks, given.answer, report)
        inquiry = EvaluationInquiry(
            parts=[AskedPart(text, is_admitted=number in admitted) for number, text in enumerate(asks)],
            answer=given.answer,
            documents=[EvaluatedDocument(hit.chunk, hit.relevance) for hit in hits],
            retrieval_passed=any(hit.relevance >= _RELEVANT for hit in hits),
            grounding=report,
        )
        return hits, self._rules.evaluate(inquiry)

    def _hit(self, number: int, given: EvaluationRequest, asks: Sequence[str]) -> Hit:
        """Return a context as a document; its relevance is the share of the thing asked that stands in it, by its terms."""
        context = given.contexts[number - 1]
        name = f"context-{number}"
        terms = self._reader.terms(f"{context.title}\n{context.text}")
        shares = [coverage(asked, terms) for ask in (given.question, *asks) if (asked := self._reader.read(ask))]
        chunk = Chunk(
            id=name,
            doc_id=name,
            collection="",
            domain="",
            doc_type="guide",
            title=context.title,
            text=context.text,
            source_name=context.source,
            effective_date=context.effective_date.isoformat() if context.effective_date else None,
        )
        relevance = min(1.0, max(shares, default=0.0))
        return Hit(chunk, score=relevance, similarity=None, relevance=relevance)


def _noted(timings: dict[str, float], part: str, began: float) -> float:
    """Note how long a part took; return when the next one begins."""
    now = time.perf_counter()
    timings[part] = round((now - began) * 1000, 2)
    return now


def _response(
    given: EvaluationRequest,
    run: RunContext,
    evaluations: tuple[AnswerEvaluation, AnswerEvaluation],
    judge: str,
    degraded: tuple[Degradation, ...],
    ragas: RagasResult | None,
    timings: dict[str, float],
) -> EvaluationResponse:
    judged, by_rule = map(wire_evaluation, evaluations)
    return EvaluationResponse(
        **dict(judged),
        answer=given.answer,
        judged_by=judge,
        rules=by_rule,
        ragas=ragas,
        degraded=list(degraded),
        token_usage=run.usage.total(),
        timing_metrics={**timings, "total": round(sum(timings.values()), 2)},
        request_id=run.request_id,
    )
