"""``python -m evaluation compare``: two configurations side by side, on the same questions."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agents.engine import build_engine
from evaluation.commands.retrieval import run_all
from evaluation.measures.retrieval import RankedAnswer, evaluation_settings, figures_table, reciprocal_rank, score
from evaluation.questions import EvaluationQuestion, load_questions
from utils.config.settings import Settings, load_settings

SIDES = ("a", "b")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL of id, question and gold")
    for side in SIDES:
        parser.add_argument(f"--{side}", type=Path, required=True, metavar="DIR", help="data directory with the index")
        parser.add_argument(
            f"--{side}-set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a setting of this side alone, before the environment (may be repeated)",
        )
    parser.add_argument("--collection", action="append", help="search only this collection (may be repeated)")
    parser.add_argument("--k", type=int, default=20, help="ids to rank for a question (default: 20)")


def run(arguments: argparse.Namespace) -> int:
    """Run the retrieve stage twice over a dataset and print the figures of both, by origin of the questions."""
    questions = [question for question in load_questions(arguments.dataset) if question.gold]
    if not questions:
        raise ValueError(f"{arguments.dataset}: no question has gold")
    answers = {}
    for side in SIDES:
        settings = _settings(getattr(arguments, f"{side}_set"))
        settings = evaluation_settings(settings, arguments.k, getattr(arguments, side).resolve())
        answers[side] = _answers(side, settings, questions, arguments)
    origins = sorted({question.origin for question in questions})
    for origin in origins:
        asked = [question for question in questions if question.origin == origin]
        print(f"\n{origin or 'all'}: {len(asked)} questions")
        print(_table(answers, asked))
    return 0


def _settings(pairs: Sequence[str]) -> Settings:
    values = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    if len(values) != len(pairs):
        raise ValueError("a setting is given as NAME=VALUE, each once")
    return load_settings(values)


def _answers(
    side: str, settings: Settings, questions: Sequence[EvaluationQuestion], arguments: argparse.Namespace
) -> dict[str, RankedAnswer]:
    engine = build_engine(settings)
    order = engine.live.searcher.order
    print(
        f"{side}: {engine.parts.embedder_id}, {engine.parts.reranker_id if settings.enable_reranking else 'no reranker'}, "
        f"{order.name if order else 'fusion'}"
    )
    began = time.process_time()
    found = asyncio.run(run_all(engine, questions, arguments.collection, arguments.k))
    print(f"   {(time.process_time() - began) * 1000 / len(questions):.1f} ms of CPU a question")
    by_id = {question.id: question for question in questions}
    return {answer.id: replace(answer, hits=by_id[answer.id].as_gold(answer.hits)) for answer in found}


def _table(answers: dict[str, dict[str, RankedAnswer]], asked: Sequence[EvaluationQuestion]) -> str:
    gold = {question.id: question.gold for question in asked}
    rows = {side: score([of_side[question.id] for question in asked], gold) for side, of_side in answers.items()}
    ranks = {
        side: [reciprocal_rank(of_side[question.id].hits, question.gold) for question in asked]
        for side, of_side in answers.items()
    }
    pairs = list(zip(ranks["a"], ranks["b"], strict=True))
    first, second = sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)
    return f"{figures_table(rows)}\nranked higher by a: {first}, by b: {second}, alike: {len(pairs) - first - second}"
