"""``python -m evaluation train-ranking``, ``ablation`` and ``sweep-fusion``: learn the order of candidates, and show what each part
of it gains."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from agents.engine import Engine, build_engine
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from evaluation.experiments.ablation import ablation_table, markdown, perturbed_rows
from evaluation.experiments.fusion_sweep import FusionTrial, best_fusion, run_trials
from evaluation.experiments.fusion_sweep import markdown as fusion_table
from evaluation.experiments.ranking_comparison import RelevanceReader, compare_orders
from evaluation.measures.judged_candidates import ExampleCollector, RankingExample
from evaluation.measures.retrieval import figures_table
from evaluation.questions import EvaluationQuestion, load_questions
from evaluation.training.ranking import LEARNED, learn_relevance_weight, learn_weights
from utils.config.settings import PROJECT_ROOT, load_settings
from utils.linear_models import LearnedWith, LinearModel
from utils.retrieval_evaluator import provider_family
from vectorstores.ranking.combiner import ORDER_WEIGHTS, MeasuredFusion, RankingWeights
from vectorstores.ranking.features import FEATURES

DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
QUESTION_FILES = (*sorted((DATASETS / "ranking").glob("*.jsonl")), *sorted(DATASETS.glob("starter_*.jsonl")))
ABLATION_FILE = PROJECT_ROOT / "evaluation" / "ablation.md"


def add_training_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--out", type=Path, help="where to write the weights (default: data/ranking, by their ids)")
    parser.add_argument(
        "--measure-fusion",
        action="store_true",
        help="first measure which fusion is best with the embedder, and keep it",
    )


def add_ablation_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL of id, question, gold to score on")
    parser.add_argument("--out", type=Path, default=ABLATION_FILE, help="Markdown table to write")


def add_sweep_arguments(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)


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
    """Learn the weights and write them, with the cross-validated figures of the training questions beside the fusion's."""
    engine = _engine(arguments.data_dir, enable_learned_ranking=False)
    try:
        questions = _questions(arguments.questions)
        fusion = _measured_fusion(engine, questions) if arguments.measure_fusion else None
        examples = _collector(engine, fusion).collect(tqdm(questions, unit="q", desc="candidates"))
        weights = learn_weights(examples, LEARNED)
        reader = RelevanceReader(engine.live.searcher, engine.settings.rerank_pool)
        relevance_weight = _relevance_weight(reader, examples, weights) if _reads_more(engine) else 0.0
        figures = compare_orders(examples, LEARNED, relevance_weight, reader, partial(tqdm, unit="q", desc="compare"))
        identity = engine.live.searcher.index.manifest.identity
        reranker = engine.parts.reranker_id
    finally:
        asyncio.run(engine.aclose())
    learned_with = LearnedWith(tokenizer=identity.tokenizer, embedder=identity.embedder, reranker=reranker)
    out = arguments.out or ORDER_WEIGHTS.learned_for(learned_with).path
    RankingWeights(
        command=f"python -m evaluation {ORDER_WEIGHTS.command}",
        learned_with=learned_with,
        questions=len(examples),
        cross_validated={name: value for name, value in figures["learned order"].items() if name != "questions"},
        models={
            "order": LinearModel.of(FEATURES, weights),
            "relevance": LinearModel.of(("relevance",), [relevance_weight]),
        },
        fusion=fusion,
    ).write(out)
    print(figures_table(figures))
    print(f"relevance_weight={relevance_weight:g}, written to {out}")
    return 0


def run_sweep(arguments: argparse.Namespace) -> int:
    """Print how each fusion ranks with the embedder in use, by search mode."""
    engine = _engine(arguments.data_dir)
    try:
        trials = _trials(engine, _questions(arguments.questions))
        print(fusion_table(trials, engine.parts.embedder_id))
    finally:
        asyncio.run(engine.aclose())
    return 0


def run_ablation(arguments: argparse.Namespace) -> int:
    """Score each step towards the shipped order, and the order without each part of it."""
    engine = _engine(arguments.data_dir)
    try:
        order = engine.live.searcher.order
        if order is None:
            raise ValueError("no order was learned with this embedder and reranker; run train-ranking first")
        training = _collect(engine, _questions(arguments.questions))
        dataset = load_questions(arguments.dataset)
        table = ablation_table(engine.live.searcher, training, _collect(engine, dataset), dataset, order)
        table += perturbed_rows(engine.live.searcher, partial(_collect, engine), dataset, order)
    finally:
        asyncio.run(engine.aclose())
    text = markdown(table, arguments.dataset.name, len(training))
    arguments.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


def _engine(data_dir: Path, **overrides: object) -> Engine:
    return build_engine(load_settings().model_copy(update={"data_dir": data_dir.resolve(), **overrides}))


def _reads_more(engine: Engine) -> bool:
    """Return False of the embedded reranker: it matches the terms and vectors that the order has for features already, and
    adds nothing that a paired test sees (evaluation/ablation_features.md)."""
    return provider_family(engine.parts.reranker_id) != "kiwi"


def _questions(paths: Sequence[Path] | None) -> list[EvaluationQuestion]:
    return [question for path in paths or QUESTION_FILES for question in load_questions(path)]


def _collector(engine: Engine, fusion: MeasuredFusion | None = None) -> ExampleCollector:
    parts, settings = engine.parts, engine.settings
    planner = SearchPlanner(settings, MultiQueryExpander(parts.glossary, parts.analyzer, settings.multi_query_count))
    return ExampleCollector(engine.live.searcher, planner, fusion)


def _collect(engine: Engine, questions: Sequence[EvaluationQuestion]) -> list[RankingExample]:
    return _collector(engine).collect(tqdm(questions, unit="q", desc="candidates"))


def _trials(engine: Engine, questions: Sequence[EvaluationQuestion]) -> list[FusionTrial]:
    planned = _collector(engine).planned(tqdm(questions, unit="q", desc="fusion"))
    return run_trials(engine.live.searcher, planned)


def _measured_fusion(engine: Engine, questions: Sequence[EvaluationQuestion]) -> MeasuredFusion:
    trials = _trials(engine, questions)
    print(fusion_table(trials, engine.parts.embedder_id))
    return best_fusion(trials)


def _relevance_weight(
    reader: RelevanceReader, examples: Sequence[RankingExample], weights: NDArray[np.float32]
) -> float:
    """Fitted on what the reranker gets to read: the best candidates by the learned order."""
    scores, relevance, gold = [], [], []
    for example in tqdm(examples, unit="q", desc="rerank"):
        by_score = example.features @ weights
        best, read = reader.best(example, by_score)
        scores.append(by_score[best])
        relevance.append(read)
        gold.append((example.gold & example.judged)[best])
    return learn_relevance_weight(scores, relevance, gold)
