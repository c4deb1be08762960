"""RunPod serverless endpoints: one job at a time, waited for.

``POST {endpoint}/runsync`` answers with the finished job, or with its id while it is queued (a cold worker) or running;
``GET {endpoint}/status/{id}`` tells how it goes on. The inputs and outputs are those of the public Infinity worker
(github.com/runpod-workers/worker-infinity-embedding).

A worker that has nothing to do is taken away, and a new one needs half a minute to two minutes. The start of the service waits for it
(`RunPodEndpoint.first`); a question does not: after ``PROVIDER_TIMEOUT`` it is answered without, and after a few such jobs none waits
any more until a probe in the background is answered.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from utils.resilience.breaker import BreakerState
from utils.resilience.deadline import Deadline
from vectorstores.providers.json_endpoint import JsonEndpoint

logger = logging.getLogger(__name__)

_UNFINISHED = frozenset({"IN_QUEUE", "IN_PROGRESS"})
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

    @property
    def breaker_state(self) -> BreakerState:
        return self._endpoint.breaker_state

    def use_key(self, key: SecretStr | None) -> None:
        """Send this key from the next request on."""
        self._endpoint.use_key(key)

    def run(self, job: Mapping[str, Any]) -> Any:
        """Return the output of a job.

        Raises:
            ProviderUnavailable: the job failed or was not finished in time.
        """
        return self._endpoint.attempt(lambda: self._finished(job, self._times.job))

    def first(self, job: Mapping[str, Any]) -> Any:
        """Return the output of the first job, which waits for a cold worker. Raises as `run`."""
        return self._finished(job, max(self._times.start, self._times.job))

    def _finished(self, job: Mapping[str, Any], seconds: float) -> Any:
        began = self._times.clock()
        told = False
        state = self._endpoint.ask("POST", f"{self._url}/runsync", {"input": job}, Deadline.after(seconds))
        while isinstance(state, dict) and state.get("status") in _UNFINISHED:
            waited = self._times.clock() - began
            pause = min(_LONGEST_POLL, max(_POLL, waited / 10))
            if seconds - waited <= pause:
                raise self._endpoint.unavailable(f"작업이 {seconds:g}초 안에 끝나지 않았습니다 ({state['status']})")
            if waited > _SLOW and not told:
                logger.info(
                    "%s: 작업자가 켜지기를 기다립니다 (%s, 최대 %.0f초)", self._setting, state["status"], seconds
                )
                told = True
            self._times.sleep(pause)
            state = self._endpoint.ask(
                "GET", f"{self._url}/status/{state.get('id')}", None, Deadline.after(self._times.job)
            )
        if not isinstance(state, dict) or state.get("status") != "COMPLETED":
            status = state.get("status") if isinstance(state, dict) else type(state).__name__
            raise self._endpoint.unavailable(f"작업이 실패했습니다 ({status})")
        return state.get("output")
