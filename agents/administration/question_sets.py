"""Sets of questions that a change of the domain data is tried on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agents.question_log.journal import read_journal
from agents.question_log.records import AnsweredQuestion
from utils.routing.domain_pack import PackSet
from vectorstores.errors import LexicalIndexUnavailable
from vectorstores.index import KnowledgeIndex

_LOG_DAYS = 30


def example_questions(*packs: PackSet) -> list[str]:
    """Return the representative questions of sets of packs, each once."""
    return list(dict.fromkeys(text for held in packs for text, _ in held.labelled_examples()))


def unit_questions(index: KnowledgeIndex) -> list[str]:
    """Return the phrasings of the answer units in the index, each once; a collection whose units are damaged has none."""
    found: dict[str, None] = {}
    for collection in index.collections.values():
        try:
            table = collection.units
        except LexicalIndexUnavailable:
            continue
        for stored in table.units if table is not None else ():
            found.update((ask.text, None) for ask in stored.unit.asks)
    return list(found)


def logged_questions(data_dir: Path, most: int) -> list[str]:
    """Return the ``most`` latest questions of the question log, each once, without personal data; blocking. Raises OSError."""
    since = datetime.now(UTC).date() - timedelta(days=_LOG_DAYS)
    found: dict[str, None] = {}
    for line in read_journal(data_dir, since):
        if isinstance(line, AnsweredQuestion):
            found.pop(line.question, None)
            found[line.question] = None
    return list(found)[-most:]


def drawn_evenly(questions: Sequence[str], most: int) -> list[str]:
    """Return at most ``most`` of the questions, from all of the list and always the same."""
    if len(questions) <= most:
        return list(questions)
    return [questions[number * len(questions) // most] for number in range(most)]
