"""Results of the benchmark, as a table for people and as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

STARTER, SAMPLE, FULL = "starter", "sample", "full"
INDEXES = (STARTER, SAMPLE, FULL)
"""The starter knowledge base, a sample of the statutes (20,000 articles), all of them."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A bound that a figure should keep."""

    bound: float
    at_least: bool = False

    def met(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:,g}"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table; ``aims`` by the index that they are set for."""

    key: str
    label: str
    digits: int = 1
    aims: Mapping[str, Aim] = field(default_factory=dict)


LINES = (
    Line("chunks", "chunks in the index", 0),
    Line("search_ms_p50", "hybrid search + rerank, p50 (ms)", 1, {FULL: Aim(15)}),
    Line("search_ms_p95", "hybrid search + rerank, p95 (ms)", 1, {FULL: Aim(40)}),
    Line("search_any@10", "hybrid search + rerank, any@10", 3),
    Line("stage_ms_p50", "retrieve stage with query variants, p50 (ms)", 1, {FULL: Aim(40)}),
    Line("stage_ms_p95", "retrieve stage with query variants, p95 (ms)"),
    Line("stage_any@10", "retrieve stage with query variants, any@10", 3),
    Line("questions", "questions (of any@10: those with gold in the index)", 0),
    Line("peer_ms_p50", "LangChain BM25 + Chroma + ensemble, p50 (ms)"),
    Line("peer_ms_p95", "LangChain BM25 + Chroma + ensemble, p95 (ms)"),
    Line(
        "peer_speedup",
        "search on the same questions: times faster than LangChain (p50)",
        1,
        {FULL: Aim(50, at_least=True)},
    ),
    Line("peer_any@10", "any@10 of LangChain", 3),
    Line("peer_own_any@10", "any@10 of search on the same questions", 3),
    Line("peer_any_gain", "any@10 gained over LangChain", 3, {SAMPLE: Aim(0, True), FULL: Aim(0, True)}),
    Line("peer_questions", "questions put to LangChain", 0),
    Line("peer_memory_mb", "memory the LangChain wiring took (MB)", 0),
    Line("warm_start_s", "warm start to ready (s)", 2, {FULL: Aim(5)}),
    Line("warm_start_processor_s", "processor time of it, all cores (s)", 2),
    Line("first_question_ms", "first /api/chat after it (ms)"),
    Line("resident_mb", "service: resident memory (MB)", 0, {FULL: Aim(1536)}),
    Line("pss_mb", "service: proportional share of it (MB)", 0),
    Line("private_mb", "service: private part of it (MB)", 0),
    Line("chat_ms_p50", "/api/chat one at a time, p50 (ms)", 1, {STARTER: Aim(30)}),
    Line("chat_ms_p95", "/api/chat one at a time, p95 (ms)"),
    Line("chat_rps", "/api/chat under load (requests/s)", 1, {STARTER: Aim(100, at_least=True)}),
    Line("cached_rps", "/api/chat from the cache (requests/s)", 0),
    Line("plain_rps", "plain JSON route (requests/s)", 0),
    Line("cached_share", "from the cache / plain JSON route", 2, {STARTER: Aim(0.5, at_least=True)}),
    Line("ingest_kchars", "ingest (1,000 characters/s)"),
    Line("analyzer_kchars", "bare analyser (1,000 characters/s)"),
    Line("ingest_share", "ingest / bare analyser", 2, {SAMPLE: Aim(0.85, at_least=True)}),
    Line("growth", "/api/chat one at a time, p50: times that on the sample", 2, {FULL: Aim(3)}),
)
_COLUMN = 20


class BenchReport:
    """Figures by index and key (see `LINES`), the machine, and what has to be said beside the figures."""

    def __init__(self, machine: Mapping[str, str | float]) -> None:
        self._machine = dict(machine)
        self._figures: dict[str, dict[str, float]] = {}
        self._notes: list[str] = []

    @property
    def measured(self) -> bool:
        """True if there is any figure."""
        return bool(self._figures)

    def add(self, index: str, **figures: float) -> None:
        self._figures.setdefault(index, {}).update(figures)

    def add_all(self, index: str, prefix: str, figures: Mapping[str, float]) -> None:
        """Those of ``figures`` that have a line under ``prefix``."""
        known = {line.key for line in LINES}
        self.add(index, **{f"{prefix}_{key}": value for key, value in figures.items() if f"{prefix}_{key}" in known})

    def note(self, sentence: str) -> None:
        self._notes.append(sentence)

    def figure(self, index: str, key: str) -> float | None:
        return self._figures.get(index, {}).get(key)

    def as_json(self) -> dict[str, object]:
        """Everything measured, with the aims that were missed."""
        missed = [
            f"{index}.{line.key}: {value:g}, aim {aim}"
            for line in LINES
            for index, aim in line.aims.items()
            if (value := self.figure(index, line.key)) is not None and not aim.met(value)
        ]
        return {"machine": self._machine, "figures": self._figures, "missed": missed, "notes": self._notes}

    def table(self) -> str:
        """The machine, a line a figure and a column an index, each aim beside its figure, and the notes."""
        indexes = [index for index in INDEXES if index in self._figures]
        width = max(len(line.label) for line in LINES)
        rows = [f"{'':{width}}" + "".join(f"{index:>{_COLUMN}}" for index in indexes)]
        for line in LINES:
            cells = [self._cell(line, index) for index in indexes]
            if any(cells):
                rows.append(f"{line.label:{width}}" + "".join(f"{cell:>{_COLUMN}}" for cell in cells))
        machine = ", ".join(f"{name} {value}" for name, value in self._machine.items())
        return "\n".join([machine, "", *rows, *(["", *self._notes] if self._notes else [])])

    def _cell(self, line: Line, index: str) -> str:
        value = self.figure(index, line.key)
        if value is None:
            return ""
        aim = line.aims.get(index)
        judged = "" if aim is None else f" {aim} {'✓' if aim.met(value) else '✗'}"
        return f"{value:,.{line.digits}f}{judged}"
