"""``python -m evaluation modes``: every question in every search mode, and in the one that is chosen for it."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from agents.engine import Engine, build_engine
from agents.retrieval.search_mode import SearchMode
from evaluation.commands.retrieval import searched_domains
from evaluation.experiments.mode_comparison import DEPTH, ModeAnswer, agreement, chosen, hit_vectors, mode_figures
from evaluation.measures.retrieval import RetrievalRunner, evaluation_settings
from evaluation.questions import EvaluationQuestion, load_questions
from utils.config.settings import load_settings
from vectorstores.collections import Collections
from vectorstores.index import KnowledgeIndex

ADAPTIVE = "adaptive"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, action="append", required=True, help="JSONL of id, question and gold")
    parser.add_argument("--data-dir", type=Path, help="data directory with the index (default: DATA_DIR)")
    parser.add_argument("--collection", action="append", help="search only this collection (may be repeated)")
    parser.add_argument("--k", type=int, default=20, help="hits of a question (default: 20)")
    parser.add_argument("--out", type=Path, required=True, help="JSON to write the figures to")


def run(arguments: argparse.Namespace) -> int:
    """Search for every question in each mode, print and write what that changes."""
    questions = [question for path in arguments.dataset for question in load_questions(path)]
    settings = evaluation_settings(load_settings(), arguments.k, arguments.data_dir)
    engine = build_engine(settings)
    runs = asyncio.run(_run_all(engine, questions, arguments.collection, arguments.k))
    gold = {question.id: question.gold for question in questions}
    adaptive = runs[ADAPTIVE]
    parts = {
        "figures": {name: mode_figures(found, gold) for name, found in runs.items()},
        "agreement": agreement({mode: runs[mode] for mode in SearchMode}),
        "chosen": chosen(adaptive, runs[SearchMode.HYBRID], gold),
    }
    document = {"questions": len(questions), **parts}
    arguments.out.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    for part in parts.values():
        for name, figures in part.items():
            print(name, " ".join(f"{key}={value:g}" for key, value in figures.items()))
    return 0


async def _run_all(
    engine: Engine, questions: Sequence[EvaluationQuestion], collections: Sequence[str] | None, k: int
) -> dict[str, list[ModeAnswer]]:
    index = engine.live.searcher.index
    domains = searched_domains(index, Collections(engine.parts.routing().packs), collections)
    runs: dict[str, list[ModeAnswer]] = {}
    try:
        for mode in (*SearchMode, None):
            runner = RetrievalRunner(engine.parts, domains, k, mode)
            name = mode or ADAPTIVE
            runs[name] = [await _search(runner, question, index) for question in tqdm(questions, unit="q", desc=name)]
    finally:
        await engine.aclose()
    return runs


async def _search(runner: RetrievalRunner, question: EvaluationQuestion, index: KnowledgeIndex) -> ModeAnswer:
    answer, found = await runner.search(question.id, question.question)
    best = found.documents[:DEPTH]
    return ModeAnswer(
        answer=answer,
        mode=SearchMode(found.results[0].mode),
        vectors=hit_vectors(index, best),
        ways=tuple(hit.found_by & {"bm25", "vector"} for hit in best),
        similarity=tuple(hit.similarity or 0.0 for hit in best),
        bm25=tuple(hit.bm25 for hit in best),
    )
