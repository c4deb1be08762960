"""Measures searching in one index: the whole stage, a single search, and the same search as LangChain wires it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import cycle
from multiprocessing import get_context

from agents.engine import Engine, build_engine
from evaluation.bench.machine import available_memory
from evaluation.bench.peer import INSTALL, MEMORY_PER_CHUNK, missing_packages, run_peer
from evaluation.bench.report import BenchReport
from evaluation.bench.searching import DEPTH, PlacedQuestion, figures, place, run_search, run_stage, spread
from evaluation.bench.subject import BenchOptions, Subject
from evaluation.measures.retrieval import RankedAnswer, evaluation_settings
from vectorstores.build.progress import Progress
from vectorstores.commands.progress_bar import TqdmProgress
from vectorstores.index import KnowledgeIndex

_SPARE_MEMORY = 1024  # megabytes left free beside the peer

Run = Callable[[Sequence[PlacedQuestion]], list[RankedAnswer]]


class SearchBench:
    """Writes what it measures of a subject into ``report``. Each part gets an engine to which every question is new."""

    def __init__(self, subject: Subject, options: BenchOptions, report: BenchReport, progress: Progress) -> None:
        self._subject = subject
        self._options = options
        self._report = report
        self._progress = progress

    def measure_stage(self) -> None:
        """The retrieve stage with its query variants."""
        with self._engine() as engine:
            index = engine.live.searcher.index
            questions = self._questions(index)
            size = sum(collection.size for collection in index.collections.values())
            self._report.add(self._subject.name, chunks=size, questions=len(questions))
            answers = self._timed("retrieve stage", questions, lambda some: run_stage(engine, some, self._progress))
            self._report.add_all(self._subject.name, "stage", figures(answers, questions))

    def measure_search(self) -> None:
        """Measure searches with reranking, and the peer on some of the same questions."""
        name = self._subject.name
        with self._engine() as engine:
            index = engine.live.searcher.index
            questions = self._questions(index)
            answers = self._timed("search", questions, lambda some: run_search(engine, some, self._progress))
            reason = self._no_peer(questions, index)
        self._report.add_all(name, "search", figures(answers, questions))
        if reason is None:
            self._measure_peer(spread(questions, self._options.peer_questions), answers)
        else:
            self._report.note(f"{name}: LangChain was not measured: {reason}")

    @contextmanager
    def _engine(self) -> Iterator[Engine]:
        self._progress.start(f"{self._subject.name}: opening", None)
        engine = build_engine(evaluation_settings(self._subject.settings, DEPTH, None))
        try:
            yield engine
        finally:
            asyncio.run(engine.aclose())

    def _questions(self, index: KnowledgeIndex) -> list[PlacedQuestion]:
        return spread(place(self._subject.questions, index), self._options.questions)

    def _timed(self, stage: str, questions: Sequence[PlacedQuestion], run: Run) -> list[RankedAnswer]:
        """The answers, after other questions have warmed what all questions share."""
        warm_up = self._warm_up(questions)
        self._progress.start(f"{self._subject.name}: {stage}", len(warm_up) + len(questions))
        run(warm_up)
        return run(questions)

    def _warm_up(self, questions: Sequence[PlacedQuestion]) -> list[PlacedQuestion]:
        """Questions that are not measured, one after the other in each collection."""
        homes = cycle(sorted({(question.domain, question.collection) for question in questions}))
        return [PlacedQuestion(text, text, *home) for text, home in zip(self._subject.warm_up, homes, strict=False)]

    def _no_peer(self, questions: Sequence[PlacedQuestion], index: KnowledgeIndex) -> str | None:
        """Why the peer is left out, or None."""
        chunks = sum(index.collections[name].size for name in {question.collection for question in questions})
        if self._options.peer_questions == 0:
            return "--peer-questions 0"
        if self._options.peer_chunks is not None and chunks > self._options.peer_chunks:
            return f"{chunks:,} chunks are more than --peer-articles {self._options.peer_chunks:,}"
        missing = missing_packages()
        if missing:
            return f"{', '.join(missing)} missing; install with: {INSTALL}"
        available, needed = available_memory(), chunks * MEMORY_PER_CHUNK + _SPARE_MEMORY
        if available is not None and available < needed:
            return f"{available:,.0f} MB of memory are free, it needs about {needed:,.0f} MB"
        return None

    def _measure_peer(self, questions: Sequence[PlacedQuestion], own: Sequence[RankedAnswer]) -> None:
        """In a process of its own, whose gigabytes would slow what is measured after it here."""
        name = self._subject.name
        self._progress.start(f"{name}: LangChain", None)
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            task = pool.submit(run_peer, self._subject.settings, questions, self._warm_up(questions), TqdmProgress())
            try:
                peer = task.result()
            except BrokenProcessPool:
                self._report.note(
                    f"{name}: LangChain was not measured: its process was ended, probably for want of memory"
                )
                return
        theirs, ours = figures(peer.answers, questions), figures(own, questions)
        self._report.add_all(name, "peer", theirs)
        self._report.add(name, peer_questions=len(questions), peer_speedup=theirs["ms_p50"] / ours["ms_p50"])
        if "any@10" in theirs:
            gain = ours["any@10"] - theirs["any@10"]
            self._report.add(name, **{"peer_own_any@10": ours["any@10"], "peer_any_gain": gain})
        if peer.memory is not None:
            self._report.add(name, peer_memory_mb=peer.memory)
