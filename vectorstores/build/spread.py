"""Analysis of texts by other processes, of this machine or of several: the same terms in the same order, sooner.

Only the analyser's work is spread; one process reads the sources and writes the files, so an index has the same bytes. What is under way
is what `vectorstores.build.overlap` reads ahead, however many processes there are.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module

from utils.documents import LocatedTerms
from utils.protocols import BulkAnalyzer, Embedder
from vectorstores.build.ingest import BuildProviders
from vectorstores.errors import AnalysisFailed
from vectorstores.tokenizer import KiwiTokenizer

_SLICE_CHARACTERS = 8_000  # a tenth of a second's work: much more than handing it over, little to wait for at the end
_LOST = "분석 프로세스가 갑자기 끝났습니다(메모리가 모자라면 --jobs를 줄이세요). 다시 실행하면 남은 것부터 이어집니다."
_OTHER_ANALYZER = "다른 형태소 분석기를 쓰는 작업 프로세스가 있습니다: {} (필요한 것: {})"
_NO_DASK = "--scheduler에는 dask의 distributed가 필요합니다: pip install distributed"
_NO_SCHEDULER = "Dask 스케줄러에 접속할 수 없습니다: {}"


class SpreadAnalyzer:
    """A `BulkAnalyzer` whose texts are analysed by the processes of an executor, by the service's own tokenizer."""

    def __init__(self, analyzer_id: str, executor: Executor) -> None:
        self.id = analyzer_id
        self._executor = executor

    def located_many(self, texts: Iterable[str]) -> Iterator[LocatedTerms]:
        """Raises `AnalysisFailed` when a process is lost or has another analyser."""
        try:
            parts = [self._executor.submit(located_texts, self.id, part) for part in _slices(texts)]
            try:
                for part in parts:
                    yield from part.result()
            finally:
                for part in parts:
                    part.cancel()
        except (BrokenExecutor, OSError) as error:
            raise AnalysisFailed(_LOST) from error


def spread_over(engines: BuildProviders, executor: Executor | None) -> BuildProviders:
    """Return ``engines`` with their analysis spread over the processes of ``executor``; as they are without one."""
    if executor is None:
        return engines

    def load() -> tuple[BulkAnalyzer, Embedder]:
        return SpreadAnalyzer(engines.tokenizer_id, executor), engines.load()[1]

    return replace(engines, load=load)


@contextmanager
def analysis_processes(jobs: int, scheduler: str | None = None) -> Iterator[Executor | None]:
    """An executor of ``jobs`` processes, each with an analyser of its own (some 400 MB); with the address of a Dask ``scheduler`` its workers.

    None for one job: the process that asks analyses by itself. Raises `AnalysisFailed` where the scheduler cannot be used.
    """
    if scheduler is not None:
        with _cluster(scheduler) as executor:
            yield executor
    elif jobs > 1:
        spawn = multiprocessing.get_context("spawn")  # the analyser has threads, which a fork would lose
        with ProcessPoolExecutor(jobs, spawn, initializer=_begin) as pool:
            yield pool
    else:
        yield None


@contextmanager
def _cluster(scheduler: str) -> Iterator[Executor]:
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        raise AnalysisFailed(_NO_DASK) from error
    try:
        client = distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise AnalysisFailed(_NO_SCHEDULER.format(scheduler)) from error
    with client:
        try:
            yield client.get_executor()
        except distributed.KilledWorker as error:  # several workers, one after the other
            raise AnalysisFailed(_LOST) from error


def located_texts(analyzer_id: str, texts: list[str]) -> list[LocatedTerms]:
    """Analyse texts in this process. Raises `AnalysisFailed` where its tokenizer is another one than that of the index."""
    with _loading:
        tokenizer = _loaded[0] if _loaded else KiwiTokenizer(workers=1)
        _loaded[:] = [tokenizer]
    if tokenizer.id != analyzer_id:
        raise AnalysisFailed(_OTHER_ANALYZER.format(tokenizer.id, analyzer_id))
    return list(tokenizer.located_many(texts))


_loaded: list[KiwiTokenizer] = []
_loading = threading.Lock()  # a worker of a cluster may have several threads


def _begin() -> None:
    """Leave an interrupt to the process that asks, and end with it, also when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, name="parent", daemon=True).start()


def _slices(texts: Iterable[str]) -> Iterator[list[str]]:
    part: list[str] = []
    characters = 0
    for text in texts:
        part.append(text)
        characters += len(text)
        if characters >= _SLICE_CHARACTERS:
            yield part
            part, characters = [], 0
    if part:
        yield part
