"""Scope of a benchmark: indexes, questions, seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.questions import EvaluationQuestion
from utils.config.settings import Settings


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """Options of a benchmark.

    ``statutes``: where the sample of ``sample_articles`` comes from (None: no sample). ``dataset``: questions on statutes
    (None: the starter questions). ``questions`` and ``peer_questions`` for one index (None: all). ``peer_chunks``: the
    largest index the peer is built over (None: as far as memory goes). ``seconds`` of each load on the service.
    """

    statutes: Path | None
    sample_articles: int
    dataset: Path | None
    questions: int | None
    peer_questions: int
    peer_chunks: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Subject:
    """An index (one of `report.INDEXES`) in the data directory of ``settings``, and what it is asked."""

    name: str
    settings: Settings
    questions: Sequence[EvaluationQuestion]
    warm_up: Sequence[str]
