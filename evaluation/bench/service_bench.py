"""Measures the service on one index: its start, its memory, its answers one at a time and under load."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from itertools import cycle
from statistics import median

from evaluation.bench.report import FULL, SAMPLE, BenchReport
from evaluation.bench.searching import spread
from evaluation.bench.service import RunningService
from evaluation.bench.subject import BenchOptions, Subject
from vectorstores.build.progress import Progress

_CHAT = "/api/chat"
_PLAIN_ROUTE = "/health/live"  # answers a constant behind the whole middleware
_CONNECTIONS = 8
_CHAT_CONNECTIONS = 32  # different questions, more of them at once than there are threads for
_CACHED_QUESTIONS = 20
_WARM_STARTS = 3  # of which the median: one alone says more of the machine's other work


class ServiceBench:
    """Writes what it measures of a subject into ``report``."""

    def __init__(self, subject: Subject, options: BenchOptions, report: BenchReport, progress: Progress) -> None:
        self._subject = subject
        self._options = options
        self._report = report
        self._progress = progress
        self._data_dir = subject.settings.data_dir
        self._log = self._data_dir / "bench-service.log"

    def measure(self) -> None:
        """Start several times, ask. Raises `ServiceFailed` and `LoadError`."""
        self._measure_start()
        with RunningService(self._data_dir, self._log) as service:
            asyncio.run(self._measure_chat(service))
            memory = service.memory()
        if memory is not None:
            self._report.add(
                self._subject.name,
                resident_mb=memory.resident,
                pss_mb=memory.proportional,
                private_mb=memory.private,
            )
        self._log.unlink()

    def measure_cache(self) -> None:
        """Answers from the response cache beside a plain route. Raises as `measure`."""
        self._start_stage("cache")
        with RunningService(self._data_dir, self._log, {"ENABLE_RESPONSE_CACHE": "true"}) as service:
            asyncio.run(self._measure_cached(service))
        self._log.unlink()

    def _measure_start(self) -> None:
        """Time to ready, and of the first question then: what a start only puts off shows there."""
        self._start_stage("first start")
        with RunningService(self._data_dir, self._log):
            pass  # compiles what is imported; the starts that follow are warm
        self._start_stage("warm starts", _WARM_STARTS)
        seconds: list[float] = []
        processor: list[float] = []
        first: list[float] = []
        for _ in range(_WARM_STARTS):
            with RunningService(self._data_dir, self._log) as service:
                seconds.append(service.seconds_to_ready)
                if service.processor_seconds_to_ready is not None:
                    processor.append(service.processor_seconds_to_ready)
                first += asyncio.run(service.client.run(self._requests(service, 1))).times_ms
            self._progress.advance()
        self._report.add(self._subject.name, warm_start_s=median(seconds), first_question_ms=median(first))
        if processor:
            self._report.add(self._subject.name, warm_start_processor_s=median(processor))

    async def _measure_chat(self, service: RunningService) -> None:
        name, client = self._subject.name, service.client
        await client.run([client.post(_CHAT, {"message": text}) for text in self._subject.warm_up])
        requests = self._requests(service, self._options.questions)
        self._start_stage(_CHAT, len(requests))
        alone = (await client.run(self._counted(requests))).percentiles
        self._report.add_all(name, "chat", alone)
        self._start_stage(f"{_CHAT} under load")
        load = await client.run(cycle(requests), _CHAT_CONNECTIONS, self._options.seconds)
        self._report.add(name, chat_rps=load.rate)
        on_sample = self._report.figure(SAMPLE, "chat_ms_p50")
        if name == FULL and on_sample is not None:
            self._report.add(FULL, growth=alone["ms_p50"] / on_sample)

    async def _measure_cached(self, service: RunningService) -> None:
        name, client = self._subject.name, service.client
        requests = self._requests(service, _CACHED_QUESTIONS)
        await client.run(requests)
        # answers that failed their evaluation are never kept
        requests = [request for request in requests if json.loads(await client.fetch(request))["cached"]]
        if not requests:
            self._report.note(f"{name}: no equal question was answered from the cache")
            return
        cached = await client.run(cycle(requests), _CONNECTIONS, self._options.seconds)
        plain = await client.run(cycle([client.get(_PLAIN_ROUTE)]), _CONNECTIONS, self._options.seconds)
        self._report.add(name, cached_rps=cached.rate, plain_rps=plain.rate, cached_share=cached.rate / plain.rate)

    def _requests(self, service: RunningService, count: int | None) -> list[bytes]:
        return [
            service.client.post(_CHAT, {"message": question.question})
            for question in spread(self._subject.questions, count)
        ]

    def _start_stage(self, what: str, total: int | None = None) -> None:
        self._progress.start(f"{self._subject.name}: {what}", total)

    def _counted(self, requests: Sequence[bytes]) -> Iterator[bytes]:
        for request in requests:
            yield request
            self._progress.advance()
