"""``python -m evaluation answers``."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from agents.engine import Engine, build_engine
from evaluation.baseline import write_baseline
from evaluation.measures.answers import JudgedAnswer, score
from evaluation.measures.guides import guide_figures
from evaluation.questions import EvaluationQuestion, load_questions
from schemas.chat import ChatRequest
from utils.assistants.pack import DEFAULT_ASSISTANT
from utils.config.settings import load_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL of id, question and, to score, key_facts")
    parser.add_argument("--out", type=Path, required=True, help="JSONL to write: id, question and the whole answer")
    parser.add_argument("--data-dir", type=Path, help="data directory with the index (default: DATA_DIR)")
    parser.add_argument("--assistant", default=DEFAULT_ASSISTANT, help="who answers (default: the advisory assistant)")
    parser.add_argument("--baseline", type=Path, help="JSON to write the scores to")
    parser.add_argument("--show", action="store_true", help="print each answer")


def run(arguments: argparse.Namespace) -> int:
    """Answer a dataset, write the answers, print the scores; status 1 when a figure stands in no cited source."""
    settings = load_settings()
    if arguments.data_dir:
        settings = settings.model_copy(update={"data_dir": arguments.data_dir})
    questions = load_questions(arguments.dataset)
    answers = asyncio.run(_run_all(build_engine(settings, assistant=arguments.assistant), questions))
    lines = [f'{{"id":"{answer.question.id}","answer":{answer.response.model_dump_json()}}}' for answer in answers]
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for answer in answers:
        _print_answer(answer, whole=arguments.show)
    figures = {"all": score(answers)}
    if any(question.gold for question in questions):
        halves = {"choosing": False, "held_out": True}
        figures |= {
            name: score([answer for answer in answers if answer.question.is_held_out is at])
            for name, at in halves.items()
        }
    if guide := guide_figures(answers):
        figures["guide"] = guide
    for name, scores in figures.items():
        print(name, " ".join(f"{key}={value:g}" for key, value in scores.items()))
    if arguments.baseline:
        write_baseline(arguments.baseline, figures)
    return 1 if any(answer.unsupported for answer in answers) else 0


def _print_answer(answer: JudgedAnswer, *, whole: bool) -> None:
    notes = [
        name for name, on in (("NOT ANSWERED", not answer.answered), ("UNGROUNDED", bool(answer.unsupported))) if on
    ]
    if answer.facts_found is not None and answer.facts_found < 1:
        notes.append(f"facts {answer.facts_found:.2f} of {list(answer.question.key_facts)}")
    if not notes and not whole:
        return
    print(
        f"\n{answer.question.id} [{', '.join(answer.response.domains)}] {answer.question.question}  {'; '.join(notes)}"
    )
    if whole:
        print(answer.response.content)
        for source in answer.response.sources:
            print(f"  [{source.index}] {source.title}")


async def _run_all(engine: Engine, questions: Sequence[EvaluationQuestion]) -> list[JudgedAnswer]:
    answers: list[JudgedAnswer] = []
    try:
        for question in tqdm(questions, unit="q", desc="answers"):
            started = time.perf_counter()
            response = await engine.executor.answer(ChatRequest(message=question.question), request_id=question.id)
            answers.append(JudgedAnswer(question, response, round((time.perf_counter() - started) * 1000, 2)))
    finally:
        await engine.aclose()
    return answers
