"""Documents and reports that every loader yields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from pydantic import ValidationError

from utils.documents import KnowledgeDocument
from utils.knowledge.units import AnswerUnit
from utils.sanitizing.sanitize import printable
from vectorstores.collections import ChunkingPolicy, Collections

_MAX_PATH = 4_096
_MAX_MESSAGE = 1_000
_MAX_DETAILS = 3


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document with what only its loader knows.

    ``origin`` is the file it came from. ``name`` and ``heading`` are the lexical fields beside the text (a statute's name
    and the article's heading; for other documents the title is the heading). ``prefix`` stands above every passage.
    ``label`` is set for statute articles. ``policy`` is how the text is cut where the format decides that and not the
    collection; ``chunk_id`` then names the passages by number (from 1) and text. ``units`` are what it is cut into for answering.
    """

    document: KnowledgeDocument
    origin: str
    heading: str
    name: str = ""
    prefix: str = ""
    label: str | None = None
    policy: ChunkingPolicy | None = None
    chunk_id: Callable[[int, str], str] | None = None
    units: tuple[AnswerUnit, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadProblem:
    """A file or line that could not be read, or a note about one that was. Everything else was read."""

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.message}"


@dataclass(slots=True)
class LoadReport:
    """Report of a reading; complete once the loader's iterator is exhausted.

    ``notes`` are of what was read, but not as it stands (another encoding than UTF-8).
    ``placed`` is, by domain, the fingerprint of the collection that documents went to.
    ``reread_on`` is the first day on which the same files read differently (a scheduled article takes effect).
    """

    problems: list[LoadProblem] = field(default_factory=list)
    notes: list[LoadProblem] = field(default_factory=list)
    files: int = 0
    documents: int = 0
    placed: dict[str, str] = field(default_factory=dict)
    reread_on: date | None = None

    def problem(self, path: str, message: str, line: int | None = None) -> None:
        self.problems.append(_said(path, message, line))

    def note(self, path: str, message: str) -> None:
        self.notes.append(_said(path, message))

    def changes_on(self, day: date) -> None:
        if self.reread_on is None or day < self.reread_on:
            self.reread_on = day


def _said(path: str, message: str, line: int | None = None) -> LoadProblem:
    """Names and values of the files themselves stand in both, and both are shown in terminals."""
    return LoadProblem(printable(path, _MAX_PATH), printable(message, _MAX_MESSAGE), line)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """``collections`` tell where documents belong, ``domain`` overrides or supplies it (for all sources of an ingest: supplies it where
    the format does not say it); ``today`` decides what is still to
    take effect.

    ``seconds`` bound the reading of one source: what was read until then is taken in. None: as long as it takes.
    """

    today: date
    domain: str | None = None
    seconds: float | None = None
    collections: Collections = field(kw_only=True)


def problem_text(error: ValidationError) -> str:
    """Return the faults of a document in Korean, by the names of its fields and without its values."""
    details = [
        f"{'.'.join(str(part) for part in item['loc']) or 'JSON'}: {item['msg']}"
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f" 외 {len(details) - _MAX_DETAILS}건" if len(details) > _MAX_DETAILS else ""
    return "형식 오류: " + "; ".join(details[:_MAX_DETAILS]) + more
