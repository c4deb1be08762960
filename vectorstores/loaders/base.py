"""What every loader yields and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Protocol

from utils.knowledge import KnowledgeDocument
from vectorstores.collections import ChunkingPolicy


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document with what only its loader knows.

    ``origin`` is the file it came from. ``name`` and ``heading`` are the lexical fields beside the text (a statute's name
    and the article's heading; for other documents the title is the heading). ``prefix`` stands above every passage.
    ``label`` is set for statute articles. ``policy`` is how the text is cut where the format decides that and not the
    collection; ``chunk_id`` then names the passages by number (from 1) and text.
    """

    document: KnowledgeDocument
    origin: str
    heading: str
    name: str = ""
    prefix: str = ""
    label: str | None = None
    policy: ChunkingPolicy | None = None
    chunk_id: Callable[[int, str], str] | None = None


@dataclass(frozen=True, slots=True)
class LoadProblem:
    """One thing that could not be read (everything else was), or that should be known about what was."""

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.message}"


@dataclass(slots=True)
class LoadReport:
    """What happened while documents were read; complete once the loader's iterator is exhausted.

    ``notes`` are of what was read, but not as it stands (another encoding than UTF-8).
    ``reread_on`` is the first day on which the same files read differently (a scheduled article takes effect).
    """

    problems: list[LoadProblem] = field(default_factory=list)
    notes: list[LoadProblem] = field(default_factory=list)
    files: int = 0
    documents: int = 0
    reread_on: date | None = None

    def problem(self, path: str, message: str, line: int | None = None) -> None:
        self.problems.append(LoadProblem(path, message, line))

    def note(self, path: str, message: str) -> None:
        self.notes.append(LoadProblem(path, message))

    def changes_on(self, day: date) -> None:
        if self.reread_on is None or day < self.reread_on:
            self.reread_on = day


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """``domain`` overrides or supplies the collection's domain; ``today`` decides what is still to take effect."""

    today: date
    domain: str | None = None


class Loader(Protocol):
    """One format."""

    @property
    def name(self) -> str:
        """The key of ``--format``."""
        ...

    @property
    def version(self) -> int:
        """Raised when the same file yields other documents; a source read by an older version is read again."""
        ...

    @property
    def needs_collection(self) -> bool:
        """Whether the text does not say which collection it belongs to."""
        ...

    def accepts(self, path: Path) -> bool:
        """Whether ``path`` (a file or a folder) looks like this format."""
        ...

    def load(self, path: Path, options: LoadOptions, report: LoadReport) -> Iterator[SourceDocument]:
        """The documents of ``path``, lazily and in a stable order. What cannot be read goes to ``report``."""
        ...
