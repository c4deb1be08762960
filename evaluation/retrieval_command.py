"""``python -m evaluation retrieval``."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from agents.engine import Engine, build_engine
from evaluation.baseline import write_baseline
from evaluation.perturbation import PERTURBATIONS, perturbed_question
from evaluation.questions import EvaluationQuestion, load_questions
from evaluation.retrieval import RankedAnswer, RetrievalRunner, score
from utils.config.settings import Settings, load_settings
from utils.knowledge import canonical_domain
from vectorstores.index import KnowledgeIndex


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL of id, question and, to score, gold")
    parser.add_argument("--out", type=Path, required=True, help="JSONL to write: id, hits, ms")
    parser.add_argument("--data-dir", type=Path, help="data directory with the index (default: DATA_DIR)")
    parser.add_argument("--collection", action="append", help="search only this collection (may be repeated)")
    parser.add_argument("--k", type=int, default=20, help="ids to return for a question (default: 20)")
    parser.add_argument("--perturb", choices=PERTURBATIONS, help="ask the questions as typed wrongly")
    parser.add_argument("--baseline", type=Path, help="JSON to write the scores to")


def run(arguments: argparse.Namespace) -> int:
    """Run the retrieve stage over a dataset, write the ranked ids, print the scores when there is gold."""
    if arguments.k < 1:
        raise ValueError("--k must be at least 1")
    questions = load_questions(arguments.dataset)
    if arguments.perturb:
        questions = [perturbed_question(one, arguments.perturb) for one in questions]
    engine = build_engine(evaluation_settings(load_settings(), arguments.k, arguments.data_dir))
    answers = asyncio.run(run_all(engine, questions, arguments.collection, arguments.k))
    lines = [json.dumps({"id": one.id, "hits": one.hits, "ms": one.ms}, ensure_ascii=False) for one in answers]
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    by_id = {one.id: one for one in questions}
    answers = [replace(answer, hits=by_id[answer.id].as_gold(answer.hits)) for answer in answers]
    scores = {"all": score(answers, {one.id: one.gold for one in questions})}
    origins = sorted({one.origin for one in questions if one.origin})
    for origin in origins if len(origins) > 1 else ():
        members = {one.id: one.gold for one in questions if one.origin == origin}
        scores[origin] = score([answer for answer in answers if answer.id in members], members)
    for name, figures in scores.items():
        print(name, " ".join(f"{key}={value:g}" for key, value in figures.items()))
    if arguments.baseline:
        write_baseline(arguments.baseline, scores)
    return 0


def evaluation_settings(settings: Settings, k: int, data_dir: Path | None) -> Settings:
    """The settings with the budget raised to ``k`` for every collection and nothing dropped after the merge."""
    raised = {
        "retrieval_k": k,
        "max_retrieval_docs": 4 * k,
        "cross_domain_rerank_ratio": 1.0,
        "enable_fixed_doc_limit": False,
        "enable_legal_supplement": False,
        "enable_graduated_retry": False,
    }
    return settings.model_copy(update=raised | ({"data_dir": data_dir} if data_dir else {}))


async def run_all(
    engine: Engine, questions: Sequence[EvaluationQuestion], collections: Sequence[str] | None, k: int
) -> list[RankedAnswer]:
    """The retrieve stage over all questions; gives the engine back."""
    runner = RetrievalRunner(engine.parts, searched_domains(engine.live.searcher.index, collections), k)
    try:
        return [await runner.run(one.id, one.question) for one in tqdm(questions, unit="q", desc="retrieval")]
    finally:
        await engine.aclose()


def searched_domains(index: KnowledgeIndex, collections: Sequence[str] | None) -> list[str]:
    """The domains of ``collections``, or of all that hold anything; raises ValueError for one that does not."""
    filled = [one.domain for one in index.collections.values() if one.size]
    return [_domain_of(name, filled) for name in collections] if collections else filled


def _domain_of(collection: str, filled: Sequence[str]) -> str:
    domain = canonical_domain(collection.removesuffix("_db"))
    if domain not in filled:
        raise ValueError(f"--collection {collection}: the index has only {', '.join(filled)}")
    return domain
