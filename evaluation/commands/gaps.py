"""``python -m evaluation gaps``: questions that nothing answered, by topic, for those who write the documents."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from agents.question_log.gaps import NO_DOMAIN, Gap, GapLog, Topic, TopicFinder, read_gaps
from agents.question_log.journal import FOLDER, read_journal
from utils.config.settings import load_settings
from utils.korean.word_rarity import WordRarity
from utils.resilience.response_cache import normalized
from vectorstores.tokenizer import KiwiTokenizer

_EXAMPLES = 3
_SHOWN = 100  # characters of an example
_DIGEST = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, help="data directory with the question log (default: DATA_DIR)")
    parser.add_argument("--since", type=date.fromisoformat, help="first day to look at, as 2026-11-01 (UTC)")
    parser.add_argument("--out", type=Path, help="JSONL to write: a topic a line, with all its questions")
    parser.add_argument(
        "--export", type=Path, help="JSONL to write: the questions in the form that `asks` reads, to be labelled"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the topics of each domain, the most asked first, and write what is asked for.

    Raises:
        ValueError: the data directory has no question log.
    """
    data_dir = arguments.data_dir or load_settings().data_dir
    if not (data_dir / FOLDER).is_dir():
        raise ValueError(f"there is no question log in {data_dir}")
    log = read_gaps(read_journal(data_dir, arguments.since))
    topics = TopicFinder(KiwiTokenizer().terms, WordRarity.load()).topics(log.gaps)
    print(report(log, topics))
    if arguments.out:
        _write(arguments.out, [_topic_record(topic) for topic in topics])
    if arguments.export:
        _write(arguments.export, question_records(log.gaps))
    return 0


def report(log: GapLog, topics: Sequence[Topic]) -> str:
    """The table: for each domain its topics with counts, causes, examples and the nearest document."""
    count = len({gap.question.key for gap in log.gaps})
    lines = [f"{log.asked} questions, {count} with a gap, {len(topics)} topics"]
    if log.outages:
        lines.append(f"{log.outages} more were not answered while a part of the search was away; they are left out")
    for domain, own in groupby(topics, key=lambda topic: topic.domain):
        of_domain = list(own)
        asked = len({gap.question.key for topic in of_domain for gap in topic.gaps})
        name = "turned away or without a domain" if domain == NO_DOMAIN else domain
        lines += ["", f"{name}: {asked} questions, {len(of_domain)} topics"]
        for topic in of_domain:
            lines += _topic_lines(topic)
    return "\n".join(lines)


def question_records(gaps: Sequence[Gap]) -> list[dict[str, object]]:
    """The distinct questions as lines of an evaluation set, to be labelled: no ask has a document or key facts yet.

    A question asked again is one line; ``count`` says how often.
    """
    found: dict[tuple[str, str], list[Gap]] = {}
    for gap in gaps:
        found.setdefault((gap.domain, normalized(gap.question.question)), []).append(gap)
    return [_question_record(domain, question, own) for (domain, question), own in found.items()]


def _question_record(domain: str, normal: str, gaps: Sequence[Gap]) -> dict[str, object]:
    question = gaps[0].question
    asks = list(dict.fromkeys(ask.text for gap in gaps for ask in gap.question.asks)) or [question.question]
    return {
        "id": f"gap-{sha256(f'{domain} {normal}'.encode()).hexdigest()[:_DIGEST]}",
        "domain": "" if domain == NO_DOMAIN else domain,
        "question": question.question,
        "asks": [{"ask": ask, "kind": "open", "gold": [], "key_facts": []} for ask in asks],
        "misleading": [],
        "count": len({gap.question.key for gap in gaps}),
        "why": sorted({why for gap in gaps for why in gap.why}),
    }


def _topic_lines(topic: Topic) -> list[str]:
    why = ", ".join(f"{cause} {count}" for cause, count in topic.why)
    lines = [f"{topic.questions:>5}  {topic.label}", f"       why: {why}"]
    if (nearest := topic.nearest) is not None:
        lines.append(f"       nearest: {nearest.id} ({nearest.likelihood:.2f})")
    lines += [f"       · {_short(example)}" for example in topic.examples[:_EXAMPLES]]
    return [*lines, *(f"       said: {_short(comment)}" for comment in topic.comments[:_EXAMPLES])]


def _topic_record(topic: Topic) -> dict[str, object]:
    nearest = topic.nearest
    return {
        "domain": topic.domain,
        "topic": topic.label,
        "questions": topic.questions,
        "why": dict(topic.why),
        "nearest": nearest.model_dump() if nearest else None,
        "examples": topic.examples,
        "comments": topic.comments,
        "request_ids": list(dict.fromkeys(gap.question.request_id for gap in topic.gaps)),
    }


def _short(text: str) -> str:
    on_one_line = " ".join(text.split())
    return on_one_line if len(on_one_line) <= _SHOWN else f"{on_one_line[: _SHOWN - 1]}…"


def _write(path: Path, records: Sequence[dict[str, object]]) -> None:
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
