"""RunPod serverless endpoints: one job at a time, waited for.

``POST {endpoint}/runsync`` answers with the finished job, or with its id while it is queued (a cold worker) or running;
``GET {endpoint}/status/{id}`` tells how it goes on. The inputs and outputs are those of the public Infinity worker
(github.com/runpod-workers/worker-infinity-embedding).

A worker that has nothing to do is taken away, and a new one needs half a minute to two minutes. A build waits for it, and so does
a thread of the service that begins at its start (`RunPodEndpoint.first`); a question does not: until then, and after
``PROVIDER_TIMEOUT``, it is answered without, and after a few such jobs none waits any more until a probe in the background is answered.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import SecretStr

from utils.resilience.breaker import BreakerState
from utils.resilience.deadline import Deadline, within
from vectorstores.providers.json_endpoint import JsonEndpoint, Observe

logger = logging.getLogger(__name__)

_QUEUED = "IN_QUEUE"
_UNFINISHED = frozenset({_QUEUED, "IN_PROGRESS"})
_POLL, _LONGEST_POLL = 0.2, 2.0  # seconds between two looks at a job: a tenth of what it has been waited for
_SLOW = 5.0  # seconds of waiting at start that are told


@dataclass(frozen=True, slots=True)
class RunPodTimes:
    """Seconds that a job may take with its waiting time: ``job`` in use, ``start`` the first one, for a cold worker.

    ``clock`` and ``sleep`` are those of the waiting between two looks at a job.
    """

    job: float
    start: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class RunPodEndpoint:
    """``setting`` names the endpoint's setting in errors."""

    def __init__(self, setting: str, url: str, key: SecretStr | None, times: RunPodTimes) -> None:
        self._url = url.rstrip("/")
        self._times = times
        self._setting = setting
        self._endpoint = JsonEndpoint(setting, times.job, key)
        self.is_cold = False
        """True if the last job waited in the queue, for want of a worker, until its time was up."""

    @property
    def breaker_state(self) -> BreakerState:
        return self._endpoint.breaker_state

    @property
    def served(self) -> float:
        """When a job succeeded last, in seconds of `time.monotonic`."""
        return self._endpoint.served

    @property
    def starting(self) -> bool:
        """True while no question is sent."""
        return self._endpoint.starting

    @starting.setter
    def starting(self, value: bool) -> None:
        self._endpoint.starting = value

    @property
    def observe(self) -> Observe:
        """Told of every job."""
        return self._endpoint.observe

    @observe.setter
    def observe(self, observe: Observe) -> None:
        self._endpoint.observe = observe

    def run(self, job: Mapping[str, Any]) -> Any:
        """Return the output of a job.

        Raises:
            ProviderUnavailable: the job failed or was not finished in time.
        """
        return self._endpoint.attempt(lambda: self._finished(job, self._times.job))

    def first(self, job: Mapping[str, Any]) -> Any:
        """Return the output of the first job, which waits for a cold worker. Raises as `run`."""
        return self._endpoint.counted(lambda: self._finished(job, max(self._times.start, self._times.job)))

    def _finished(self, job: Mapping[str, Any], seconds: float) -> Any:
        began = self._times.clock()
        whole = within(seconds)
        allowed = whole.remaining() if whole.of_request else seconds
        told = False
        state = self._endpoint.ask("POST", f"{self._url}/runsync", {"input": job}, whole)
        while isinstance(state, dict) and state.get("status") in _UNFINISHED:
            waited = self._times.clock() - began
            pause = min(_LONGEST_POLL, max(_POLL, waited / 10))
            self.is_cold = state["status"] == _QUEUED
            if allowed - waited <= pause:
                late = f"작업이 {seconds:g}초 안에 끝나지 않았습니다 ({state['status']})"
                raise self._endpoint.out_of_time(whole, late)
            if waited > _SLOW and not told:
                logger.info(
                    "%s: 작업자가 켜지기를 기다립니다 (%s, 최대 %.0f초)", self._setting, state["status"], seconds
                )
                told = True
            self._times.sleep(pause)
            left = allowed - (self._times.clock() - began)
            look = replace(Deadline.after(min(self._times.job, left)), of_request=whole.of_request)
            state = self._endpoint.ask("GET", f"{self._url}/status/{state.get('id')}", None, look)
        if not isinstance(state, dict) or state.get("status") != "COMPLETED":
            status = state.get("status") if isinstance(state, dict) else type(state).__name__
            raise self._endpoint.unavailable(f"작업이 실패했습니다 ({status})")
        self.is_cold = False
        return state.get("output")
