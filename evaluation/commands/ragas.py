"""``python -m evaluation ragas``."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import orjson
from tqdm import tqdm

from agents.engine import Engine, build_engine
from evaluation.questions import EvaluationQuestion, load_questions
from evaluation.ragas_evaluator import RagasEvaluator, RagasMissing, RagasSample, RagasScores, load_metrics
from schemas.chat import ChatRequest, ChatResponse
from utils.config.settings import load_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL of id, question and, for recall, reference")
    parser.add_argument("--out", type=Path, required=True, help="JSONL to write: id, question, answer and scores")
    parser.add_argument("--data-dir", type=Path, help="data directory with the index (default: DATA_DIR)")


def run(arguments: argparse.Namespace) -> int:
    """Answer a dataset, score the answers, print the means; status 1 without RAGAS, without a model, or with no score."""
    settings = load_settings()
    if not settings.model_server_configured:
        raise ValueError("RAGAS needs a model: set OPENAI_API_KEY or OPENAI_BASE_URL")
    try:
        load_metrics()
    except RagasMissing as error:
        raise ValueError(str(error)) from error
    if arguments.data_dir:
        settings = settings.model_copy(update={"data_dir": arguments.data_dir})
    scored = asyncio.run(_run_all(build_engine(settings), load_questions(arguments.dataset)))
    arguments.out.write_bytes(b"".join(row.line() for row in scored))
    means = _means([row.scores for row in scored])
    print(" ".join(f"{name}={value:.4f}" for name, value in means.items()) or "no score")
    return 0 if means else 1


@dataclass(frozen=True, slots=True)
class _Scored:
    question: EvaluationQuestion
    response: ChatResponse
    scores: RagasScores

    def line(self) -> bytes:
        answer = {"id": self.question.id, "question": self.question.question, "answer": self.response.content}
        return orjson.dumps({**answer, **self.scores.as_dict()}, option=orjson.OPT_APPEND_NEWLINE)


async def _run_all(engine: Engine, questions: Sequence[EvaluationQuestion]) -> list[_Scored]:
    evaluator = RagasEvaluator(engine.settings, engine.live.searcher.vectors)
    scored: list[_Scored] = []
    try:
        for question in tqdm(questions, unit="q", desc="ragas"):
            response = await engine.executor.answer(ChatRequest(message=question.question), request_id=question.id)
            scored.append(_Scored(question, response, await evaluator.score(_sample(question, response))))
    finally:
        await evaluator.aclose()
        await engine.aclose()
    return scored


def _sample(question: EvaluationQuestion, response: ChatResponse) -> RagasSample:
    reference = (question.model_extra or {}).get("reference")
    contexts = tuple(source.content for source in response.read)
    return RagasSample(question.question, response.content, contexts, str(reference) if reference else None)


def _means(scores: Sequence[RagasScores]) -> dict[str, float]:
    """The mean of each score over the answers that have it."""
    given: dict[str, list[float]] = {}
    for score in scores:
        for name, value in score.as_dict().items():
            if value is not None:
                given.setdefault(name, []).append(value)
    return {name: mean(values) for name, values in given.items()}
