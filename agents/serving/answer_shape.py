"""From the final state of a run to the answer on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from agents.answering.asked_parts import ask_outcomes
from agents.generator import verdict_of
from agents.state import RouterState, RunContext
from schemas.chat import (
    AskOutcome,
    ChatRequest,
    ChatResponse,
    Evaluation,
    Grounding,
    ReplyKind,
    SubQuestion,
    TraceValue,
)
from utils.grounding.rule_evaluator import AnswerEvaluation
from utils.prompts.version import prompt_version


def to_response(state: RouterState, request: ChatRequest, run: RunContext) -> ChatResponse:
    """The wire form of what the graph ended with."""
    answer = state["answer"]
    domains = state["domains"]
    timings = state["timings"]
    asks = ask_outcomes(state)
    return ChatResponse(
        content=answer.content,
        domain=domains[0] if domains else None,
        domains=list(domains),
        kind=_reply_kind(state["classification_result"].kind),
        sources=list(answer.cited_sources),
        read=list(answer.sources),
        actions=list(state.get("actions", ())),
        asks=asks,
        evaluation=wire_evaluation(answer.evaluation) if answer.evaluation else None,
        session_id=request.session_id,
        session_state=state.get("session_state"),
        debug_info=state.get("debug_info") if request.debug else None,
        retry_count=state.get("retry_count", 0),
        timing_metrics={**timings, "total": round(sum(timings.values()), 2)},
        trace={**state["trace"], **_as_read(state, asks)},
        token_usage=run.usage.total(),
        degraded=list(dict.fromkeys(state["degraded"])),
        model=answer.model,
        request_id=run.request_id,
    )


def _as_read(state: RouterState, asks: Sequence[AskOutcome]) -> dict[str, TraceValue]:
    """Return how the question was cut up, and by which prompts; nothing is cut where nothing was looked up."""
    parts = [
        SubQuestion(domain=part.domain, question=part.query, variants=list(part.variants))
        for part in state.get("sub_queries", ())
    ]
    return {"prompt_version": prompt_version(), "sub_questions": parts, "asks": [ask.text for ask in asks]}


def _reply_kind(kind: str) -> ReplyKind:
    return next((known for known in get_args(ReplyKind) if known == kind), "chitchat")


def wire_evaluation(evaluation: AnswerEvaluation) -> Evaluation:
    """The wire form of an evaluation."""
    report = evaluation.grounding
    return Evaluation(
        scores=dict(evaluation.scores),
        total_score=evaluation.total_score,
        passed=evaluation.passed,
        feedback=evaluation.feedback,
        grounding=Grounding(passed=report.is_grounded, sentences=[verdict_of(check) for check in report.sentences]),
    )
