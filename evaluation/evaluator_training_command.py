"""``python -m evaluation train-evaluator``: learn how the rule evaluator tells a document of another subject."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from agents.engine import Engine, build_engine
from agents.prompt_builder import extractive_documents
from chains.answer_model import AnswerModel
from chains.extractive import ExtractiveWriter
from chains.extractive_task import ExtractivePart, ExtractiveTask
from chains.sentence_scoring import SentenceScorer
from evaluation.answer_training import Floats, learn_answer_weights
from evaluation.answers import area_under_curve
from evaluation.questions import EvaluationQuestion
from evaluation.retrieval import ranked_id
from evaluation.training_documents import found_documents, training_questions
from utils.answer_evaluation import EvaluatedDocument, EvaluationInquiry, RuleEvaluator
from utils.config.settings import load_settings
from utils.grounding import AnswerChecker
from utils.grounding_sources import grounding_sources
from utils.knowledge import Hit
from utils.subject_fit import FIT_FEATURES, FIT_FILE
from vectorstores.embedders.factory import build_embedder
from vectorstores.tokenizer import KiwiTokenizer

_FOLDS = 5
# Shares of the right documents whose probability lies below the two marks of the scale.
_BELOW_MISFIT, _BELOW_FIT = 0.05, 0.4


@dataclass(frozen=True)
class _Row:
    """A source that a sentence cites, and whether it is one that answers."""

    question: str
    features: tuple[float, ...]
    right: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, required=True, help="data directory with the starter base")
    parser.add_argument("--out", type=Path, default=FIT_FILE, help="where to write the weights")


def run(arguments: argparse.Namespace) -> int:
    """Answer the training questions whatever the probability of an answer, with their documents and without; learn, write."""
    settings = load_settings().model_copy(update={"data_dir": arguments.data_dir})
    questions = training_questions()
    rows = asyncio.run(_collect(build_engine(settings), questions))
    features, right = np.array([one.features for one in rows]), np.array([one.right for one in rows])
    probabilities = _held_out_probabilities(rows, features, right)
    weights, bias = learn_answer_weights(features, right)
    misfit, fit = np.quantile(probabilities[right], [_BELOW_MISFIT, _BELOW_FIT]).tolist()
    cross_validated = {"auc": round(area_under_curve(probabilities[right].tolist(), probabilities[~right].tolist()), 4)}
    named = {
        "command": "python -m evaluation train-evaluator",
        "questions": len(questions),
        "cross_validated": cross_validated,
        "misfit": round(misfit, 4),
        "fit": round(fit, 4),
        "bias": round(bias, 4),
        "weights": {name: round(float(weight), 4) for name, weight in zip(FIT_FEATURES, weights, strict=True)},
    }
    arguments.out.write_text(json.dumps(named, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(cross_validated))
    return 0


async def _collect(engine: Engine, questions: Sequence[EvaluationQuestion]) -> list[_Row]:
    parts = engine.parts
    try:
        found = await found_documents(engine, questions)
    finally:
        await engine.aclose()
    model = replace(AnswerModel.load(), answered_from=0.0)
    embedder = build_embedder(parts.settings, KiwiTokenizer())
    writer = ExtractiveWriter(SentenceScorer(parts.analyzer, embedder, model, parts.glossary.wordings))
    evaluator = RuleEvaluator(parts.analyzer, expand=parts.glossary.wordings)
    checker = AnswerChecker(parts.glossary.law_aliases)
    return [row for one, hits in found for row in _rows(writer, evaluator, checker, one, hits)]


def _rows(
    writer: ExtractiveWriter,
    evaluator: RuleEvaluator,
    checker: AnswerChecker,
    question: EvaluationQuestion,
    hits: Sequence[Hit],
) -> Iterator[_Row]:
    asked = question.question
    part = ExtractivePart(domain=question.domain, label=question.domain, question=asked)
    task = ExtractiveTask(question=asked, parts=(part,), documents=extractive_documents(hits))
    answer = "".join(writer.write(task))
    report = checker.check(answer, grounding_sources(hits), asked)
    documents = [EvaluatedDocument(hit.chunk, hit.relevance) for hit in hits]
    inquiry = EvaluationInquiry([asked], answer, documents, retrieval_passed=True, grounding=report)
    for number, features in evaluator.cited_features(asked, inquiry, report.sentences):
        yield _Row(question.id, features, ranked_id(hits[number - 1]) in question.gold)


def _held_out_probabilities(
    rows: Sequence[_Row], features: Floats, right: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> Floats:
    """The probability of each row, learned from the other questions."""
    ids = sorted({one.question for one in rows})
    fold = {name: number % _FOLDS for number, name in enumerate(np.random.default_rng(0).permutation(ids).tolist())}
    of = np.array([fold[one.question] for one in rows])
    found = np.zeros(len(rows))
    for number in range(_FOLDS):
        weights, bias = learn_answer_weights(features[of != number], right[of != number])
        found[of == number] = 1 / (1 + np.exp(-features[of == number] @ weights - bias))
    return found
