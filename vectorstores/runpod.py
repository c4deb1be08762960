"""RunPod serverless endpoints: one job at a time, waited for.

``POST {endpoint}/runsync`` answers with the finished job, or with its id while it is queued (a cold worker) or running;
``GET {endpoint}/status/{id}`` tells how it goes on. The inputs and outputs are those of the public Infinity worker
(github.com/runpod-workers/worker-infinity-embedding).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from vectorstores.json_endpoint import JsonEndpoint

_UNFINISHED = frozenset({"IN_QUEUE", "IN_PROGRESS"})
_POLL = 0.2  # seconds between two looks at a job


class RunPodEndpoint:
    """``setting`` names the endpoint's setting in errors; ``timeout`` bounds a job with its waiting time."""

    def __init__(self, setting: str, url: str, key: SecretStr | None, timeout: float) -> None:
        self._url = url.rstrip("/")
        self._endpoint = JsonEndpoint(setting, timeout, key)

    def run(self, job: Mapping[str, Any]) -> Any:
        """The output of a job.

        Raises:
            ProviderUnavailable: the job failed or was not finished in time.
        """
        deadline = self._endpoint.deadline()
        state = self._endpoint.call("POST", f"{self._url}/runsync", {"input": job}, deadline)
        while isinstance(state, dict) and state.get("status") in _UNFINISHED:
            if deadline.remaining() <= _POLL:
                raise self._endpoint.unavailable(f"작업이 제때 끝나지 않았습니다 ({state['status']})")
            time.sleep(_POLL)
            state = self._endpoint.call("GET", f"{self._url}/status/{state.get('id')}", deadline=deadline)
        if not isinstance(state, dict) or state.get("status") != "COMPLETED":
            status = state.get("status") if isinstance(state, dict) else type(state).__name__
            raise self._endpoint.unavailable(f"작업이 실패했습니다 ({status})")
        return state.get("output")
