"""Headnotes of court decisions: what was at issue, what was held, and the articles in force that each part cites."""

from __future__ import annotations

import gzip
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from utils.figures.figures import find_figures
from utils.korean.glossary import load_glossary
from utils.law.statute_names import squeeze
from utils.law.text_citations import StatuteResolver

_MAX_PART = 600  # characters of an issue or holding that are read; what follows repeats the facts
_MARK = re.compile(r"\[(\d+)\]")
# An article of an act since amended, with its number of today: 제32조 제5항(현행 제31조 제2항 참조).
_NOW = re.compile(r"제\d+조(?:의\s?\d+)?[^()/,]*\(현행\s*([^()]*?)\s*참조\)")
_ASIDE = re.compile(r"\([^()]*\)")
_FORMER = re.compile(r"(?:^|(?<=[\s,/\]]))구\s+")
_SPLIT_NUMBER = re.compile(r"제(\d+)조의\s+(\d+)")


@dataclass(frozen=True, slots=True)
class HeadnotePart:
    """A numbered point of a decision. ``issue`` or ``holding`` may be empty; ``cited`` are article labels."""

    decision: int
    issue: str
    holding: str
    cited: tuple[str, ...]


class CitationReader:
    """Finds the articles in force behind the citations of a decision, which name statutes as they stood at the time."""

    def __init__(self, labels: Iterable[str]) -> None:
        """``labels`` are those of all articles in force: the statute's name without spaces, a bar, the article."""
        self._labels = frozenset(labels)
        self._names = {squeeze(name): name for name in {label.partition("|")[0] for label in self._labels}}
        self._resolver = StatuteResolver(self._names, load_glossary().law_aliases)

    def labels(self, text: str) -> tuple[str, ...]:
        """Labels of the cited articles, each once, in order."""
        text = _NOW.sub(r"\1", text.replace("\n", " "))
        text = _ASIDE.sub("", _ASIDE.sub("", text))
        text = _FORMER.sub("", _SPLIT_NUMBER.sub(r"제\1조의\2", text))
        cited = self._resolver.resolve(text, find_figures(text))
        found = (f"{self._names.get(reference.law or '')}|{reference.article}" for reference in cited)
        return tuple(dict.fromkeys(label for label in found if label in self._labels))


def read_headnotes(path: Path, citations: CitationReader, excluded: Collection[str]) -> Iterator[HeadnotePart]:
    """The parts of all decisions of a gzipped JSONL file with ``issues``, ``holding`` and ``cited``.

    A part whose issue or holding is among ``excluded`` (written without spaces) is left out: nothing is learned from a question
    that an evaluation asks.
    """
    with gzip.open(path, "rb") as lines:
        for decision, line in enumerate(lines):
            record = orjson.loads(line)
            issues, holdings, cited = (record.get(field) or "" for field in ("issues", "holding", "cited"))
            numbered = {number: citations.labels(text) for number, text in _parts(cited).items()}
            issue_of, holding_of = _parts(issues), _parts(holdings)
            for number in dict.fromkeys((*issue_of, *holding_of)):
                issue, holding = issue_of.get(number, "")[:_MAX_PART], holding_of.get(number, "")[:_MAX_PART]
                if not {"".join(issue.split()), "".join(holding.split())} & set(excluded):
                    yield HeadnotePart(decision, issue, holding, numbered.get(number) or numbered.get(0, ()))


def excluded_questions(paths: Iterable[Path]) -> frozenset[str]:
    """The questions of evaluation files, written without spaces, for `read_headnotes` to leave out."""
    lines = (line for path in paths for line in path.read_bytes().splitlines() if line.strip())
    return frozenset("".join(str(orjson.loads(line)["question"]).split()) for line in lines)


def _parts(text: str) -> dict[int, str]:
    """The text of each ``[number]``; all of it under 0 when it has no numbers. ``[1][2] …`` gives both the same text."""
    marks = list(_MARK.finditer(text))
    if not marks:
        return {0: text.strip()} if text.strip() else {}
    parts: dict[int, str] = {}
    waiting: list[int] = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        waiting.append(int(mark[1]))
        part = text[mark.end() : following.start() if following else len(text)].strip(" ,/\n")
        if part:
            parts.update((number, f"{parts.get(number, '')} {part}".strip()) for number in waiting)
            waiting.clear()
    return parts
