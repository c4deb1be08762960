"""``python -m evaluation retrieval``."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from agents.engine import Engine, build_assistant, build_engine, build_foundation
from evaluation.baseline import write_baseline
from evaluation.measures.perturbation import PERTURBATIONS, perturbed_question
from evaluation.measures.retrieval import (
    RankedAnswer,
    RetrievalRunner,
    evaluation_settings,
    raised_budget,
    score,
)
from evaluation.questions import EvaluationQuestion, load_questions
from utils.assistants.pack import DEFAULT_ASSISTANT, assistant_named
from utils.config.settings import load_settings
from vectorstores.build.providers import open_store
from vectorstores.collections import Collections
from vectorstores.errors import IngestError
from vectorstores.index import KnowledgeIndex
from vectorstores.live.opening import open_in_background


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL of id, question and, to score, gold")
    parser.add_argument("--out", type=Path, required=True, help="JSONL to write: id, hits, ms")
    parser.add_argument("--data-dir", type=Path, help="data directory with the index (default: DATA_DIR)")
    parser.add_argument("--assistant", default=DEFAULT_ASSISTANT, help="whose documents, found as it searches for them")
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
        questions = [perturbed_question(question, arguments.perturb) for question in questions]
    engine = _engine(arguments)
    answers = asyncio.run(run_all(engine, questions, arguments.collection, arguments.k))
    lines = [
        json.dumps({"id": answer.id, "hits": answer.hits, "ms": answer.ms}, ensure_ascii=False) for answer in answers
    ]
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    by_id = {question.id: question for question in questions}
    answers = [replace(answer, hits=by_id[answer.id].as_gold(answer.hits)) for answer in answers]
    scores = {"all": score(answers, {question.id: question.gold for question in questions})}
    origins = sorted({question.origin for question in questions if question.origin})
    for origin in origins if len(origins) > 1 else ():
        members = {question.id: question.gold for question in questions if question.origin == origin}
        scores[origin] = score([answer for answer in answers if answer.id in members], members)
    for name, figures in scores.items():
        print(name, " ".join(f"{key}={value:g}" for key, value in figures.items()))
    if arguments.baseline:
        write_baseline(arguments.baseline, scores)
    return 0


def _engine(arguments: argparse.Namespace) -> Engine:
    """The engine of the assistant, with the raised budget in place of its own."""
    settings = evaluation_settings(load_settings(), arguments.k, arguments.data_dir)
    pack = assistant_named(arguments.assistant, settings.assistant_dir)
    if pack.is_default:
        return build_engine(settings)
    pack = pack.model_copy(update={"settings": pack.settings | raised_budget(arguments.k)})
    opening = open_in_background(open_store(pack.settings_in(settings)))
    return build_assistant(build_foundation(settings, opening), pack, opening.result())


async def run_all(
    engine: Engine, questions: Sequence[EvaluationQuestion], collections: Sequence[str] | None, k: int
) -> list[RankedAnswer]:
    """The retrieve stage over all questions; gives the engine back."""
    known = Collections(engine.parts.routing().packs)
    domains = searched_domains(engine.live.searcher.index, known, collections)
    abilities = () if engine.assistant.is_default else engine.router().abilities
    runner = RetrievalRunner(engine.parts, domains, k, abilities=abilities)
    try:
        return [
            await runner.run(question.id, question.question) for question in tqdm(questions, unit="q", desc="retrieval")
        ]
    finally:
        await engine.aclose()


def searched_domains(index: KnowledgeIndex, known: Collections, wanted: Sequence[str] | None) -> list[str]:
    """Return the domains of the collections ``wanted``, or of all that hold anything; raises ValueError for one that does not."""
    filled = [
        spec.domain for spec in known.specs if spec.name in index.collections and index.collections[spec.name].size
    ]
    return [_domain_of(name, known, filled) for name in wanted] if wanted else filled


def _domain_of(collection: str, known: Collections, filled: Sequence[str]) -> str:
    try:
        domain = known.find(collection).domain
    except IngestError:
        domain = ""
    if domain not in filled:
        raise ValueError(f"--collection {collection}: the index has only {', '.join(filled)}")
    return domain
