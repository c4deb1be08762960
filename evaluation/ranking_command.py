"""``python -m evaluation train-ranking`` and ``ablation``: learn the order of candidates, and show what each part of it gains."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.engine import Engine, build_engine
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from evaluation.ablation import ablation_table, markdown
from evaluation.questions import EvaluationQuestion, load_questions
from evaluation.ranking_examples import ExampleCollector, RankingExample, ranked_ids
from evaluation.ranking_training import LEARNED, learn_relevance_weight, learn_weights
from evaluation.retrieval import RankedAnswer, score
from utils.config.settings import load_settings
from vectorstores.ranking.combiner import WEIGHTS_FILE, LinearCombiner
from vectorstores.ranking.features import FEATURES

DATASETS = Path(__file__).parent / "datasets"
QUESTION_FILES = (*sorted((DATASETS / "ranking").glob("*.jsonl")), *sorted(DATASETS.glob("starter_*.jsonl")))
ABLATION_FILE = Path(__file__).parent / "ablation.md"
_FOLDS = 5


def add_training_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE, help="where to write the weights")


def add_ablation_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL of id, question, gold to score on")
    parser.add_argument("--out", type=Path, default=ABLATION_FILE, help="Markdown table to write")


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data-dir", type=Path, required=True, help="data directory with the starter base and the statutes"
    )
    parser.add_argument(
        "--questions",
        type=Path,
        action="append",
        help="training questions (may be repeated; default: those of this project)",
    )


def run_training(arguments: argparse.Namespace) -> int:
    """Learn the weights and write them, with the cross-validated figures of the training questions."""
    engine = _engine(arguments.data_dir)
    try:
        examples = _collect(engine, _questions(arguments.questions))
        weights = learn_weights(examples, LEARNED)
        relevance_weight = _relevance_weight(engine, examples, weights)
        figures = _cross_validated(examples, LEARNED)
        identity = engine.live.searcher.index.manifest.identity
    finally:
        asyncio.run(engine.aclose())
    document = {
        "command": "python -m evaluation train-ranking",
        "tokenizer": identity.tokenizer,
        "embedder": identity.embedder,
        "questions": len(examples),
        "cross_validated": figures,
        "relevance_weight": relevance_weight,
        "weights": {name: round(float(weight), 4) for name, weight in zip(FEATURES, weights, strict=True) if weight},
    }
    arguments.out.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    print(" ".join(f"{name}={value:g}" for name, value in figures.items()))
    return 0


def run_ablation(arguments: argparse.Namespace) -> int:
    """Score each step towards the shipped order, and the order without each part of it."""
    engine = _engine(arguments.data_dir)
    try:
        training = _collect(engine, _questions(arguments.questions))
        dataset = load_questions(arguments.dataset)
        table = ablation_table(
            engine.live.searcher, training, _collect(engine, dataset), dataset, LinearCombiner.load()
        )
    finally:
        asyncio.run(engine.aclose())
    text = markdown(table, arguments.dataset.name, len(training))
    arguments.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


def _engine(data_dir: Path) -> Engine:
    return build_engine(load_settings().model_copy(update={"data_dir": data_dir.resolve()}))


def _questions(paths: Sequence[Path] | None) -> list[EvaluationQuestion]:
    return [question for path in paths or QUESTION_FILES for question in load_questions(path)]


def _collect(engine: Engine, questions: Sequence[EvaluationQuestion]) -> list[RankingExample]:
    parts, settings = engine.parts, engine.settings
    planner = SearchPlanner(settings, MultiQueryExpander(parts.glossary, parts.analyzer, settings.multi_query_count))
    return ExampleCollector(engine.live.searcher, planner).collect(tqdm(questions, unit="q", desc="candidates"))


def _relevance_weight(engine: Engine, examples: Sequence[RankingExample], weights: NDArray[np.float32]) -> float:
    """Fitted on what the reranker gets to read: the best candidates by the learned order."""
    pool = engine.settings.rerank_pool
    scores, relevance, gold = [], [], []
    for example in tqdm(examples, unit="q", desc="rerank"):
        by_score = example.features @ weights
        best = np.argsort(-by_score, kind="stable")[:pool]
        read = engine.live.searcher.relevance_of(example.collection, example.request.readings, example.ordinals[best])
        scores.append(by_score[best])
        relevance.append(np.asarray(read, dtype=np.float32))
        gold.append((example.gold & example.judged)[best])
    return learn_relevance_weight(scores, relevance, gold)


def _cross_validated(examples: Sequence[RankingExample], columns: Sequence[int]) -> dict[str, float]:
    """Scores of each fifth of the questions by weights learned from the others (without the reranker)."""
    answers = []
    for fold in range(_FOLDS):
        weights = learn_weights([one for number, one in enumerate(examples) if number % _FOLDS != fold], columns)
        answers += [
            RankedAnswer(one.question.id, ranked_ids(one, one.features @ weights), 0.0)
            for one in examples[fold::_FOLDS]
        ]
    figures = score(answers, {one.question.id: one.question.gold for one in examples})
    return {name: value for name, value in figures.items() if not name.startswith("ms_")}
