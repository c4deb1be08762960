"""``python -m evaluation asks``: answers to owners' questions, held against what they ask."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from agents.engine import Engine, build_engine
from evaluation.measures.asks import LESS_IS_BETTER, MEASURES, JudgedAsks, outcome, score
from evaluation.measures.owner_questions import OwnerQuestion, load_owner_questions
from evaluation.measures.paired import Paired
from schemas.chat import ChatRequest
from utils.config.settings import load_settings

Outcomes = Mapping[str, Mapping[str, float]]

_COUNTS = ("questions", "asks")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", type=Path, required=True, help="JSONL of id, domain, question and asks")
    parser.add_argument("--data-dir", type=Path, help="data directory with the index (default: DATA_DIR)")
    parser.add_argument(
        "--out", type=Path, help="JSONL to write: every answer to be read; the figures go beside it as .summary.json"
    )
    parser.add_argument("--baseline", type=Path, help="a .summary.json of other answers to the same questions")
    parser.add_argument(
        "--record", type=Path, help="JSON of the figures of several datasets to write those of this one into"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer a dataset and print the figures of each domain and of all; with a baseline also what got better and worse."""
    settings = load_settings()
    if arguments.data_dir:
        settings = settings.model_copy(update={"data_dir": arguments.data_dir.resolve()})
    questions = load_owner_questions(arguments.dataset)
    baseline = _outcomes(arguments.baseline) if arguments.baseline else None
    answers = asyncio.run(_run_all(build_engine(settings), questions))
    domains = sorted({question.domain for question in questions})
    figures = {domain: score([each for each in answers if each.question.domain == domain]) for domain in domains}
    figures["all"] = score(answers)
    outcomes = {answer.question.id: outcome(answer) for answer in answers}
    print(figures_table(figures))
    if baseline is not None:
        print(compared(outcomes, baseline))
    if arguments.record:
        _record_figures(arguments.record, arguments.dataset.stem, figures["all"])
    if arguments.out:
        lines = [json.dumps(_record(answer), ensure_ascii=False) for answer in answers]
        arguments.out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        summary = json.dumps({"figures": figures, "questions": outcomes}, ensure_ascii=False, indent=1)
        arguments.out.with_suffix(".summary.json").write_text(f"{summary}\n", encoding="utf-8")
    return 0


def _record_figures(path: Path, dataset: str, figures: Mapping[str, float]) -> None:
    recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    recorded[dataset] = {name: round(value, 4) for name, value in figures.items()}
    path.write_text(json.dumps(recorded, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def figures_table(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Measures in rows, groups of questions in columns: shares in percent, counts and characters as they are."""
    width = max(map(len, figures)) + 2
    lines = [" " * 16 + "".join(f"{group:>{width}}" for group in figures)]
    for name in (*_COUNTS, *MEASURES):
        cells = [_cell(name, of_group.get(name)) for of_group in figures.values()]
        lines.append(f"{name:<16}" + "".join(f"{cell:>{width}}" for cell in cells))
    return "\n".join(lines)


def compared(outcomes: Outcomes, baseline: Outcomes) -> str:
    """For each measure how many questions do better and how many worse than in the baseline, with the ids of the worse.

    Raises:
        ValueError: the two have no question in common.
    """
    common = [key for key in outcomes if key in baseline]
    if not common:
        raise ValueError("the baseline has none of these questions")
    lines = [f"\nagainst the baseline, {len(common)} questions"]
    for name in MEASURES:
        if name == "characters":  # neither more nor less is better
            continue
        sign = -1 if name in LESS_IS_BETTER else 1
        pairs = {
            key: (sign * outcomes[key][name], sign * baseline[key][name])
            for key in common
            if name in outcomes[key] and name in baseline[key]
        }
        paired = Paired.of([now for now, _ in pairs.values()], [before for _, before in pairs.values()])
        worse = " ".join(key for key, (now, before) in pairs.items() if now < before)
        lines.append(f"{name:<16}{paired}" + (f"  worse: {worse}" if worse else ""))
    return "\n".join(lines)


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if name in (*_COUNTS, "characters") else f"{value:.1%}"


def _outcomes(path: Path) -> Outcomes:
    try:
        outcomes: Outcomes = json.loads(path.read_text(encoding="utf-8"))["questions"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no summary of this command") from error
    return outcomes


def _record(answer: JudgedAsks) -> dict[str, object]:
    asks = [
        {"ask": ask.ask, "answered": answer.answers(ask) if ask.answerable else None, "admitted": answer.admits(ask)}
        for ask in answer.question.asks
    ]
    return {
        "id": answer.question.id,
        "history": [turn.content for turn in answer.question.history],
        "question": answer.question.question,
        "content": answer.response.content,
        "sources": [f"[{each.index}] {each.metadata.get('id', '')} {each.title}" for each in answer.response.sources],
        "asks": asks,
        "outcome": outcome(answer),
    }


async def _run_all(engine: Engine, questions: Sequence[OwnerQuestion]) -> list[JudgedAsks]:
    answers: list[JudgedAsks] = []
    try:
        for question in tqdm(questions, unit="q", desc="asks"):
            request = ChatRequest(message=question.question, history=list(question.history))
            answers.append(JudgedAsks(question, await engine.executor.answer(request, request_id=question.id)))
    finally:
        await engine.aclose()
    return answers
