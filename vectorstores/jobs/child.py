"""The service's side of `vectorstores.jobs.process`: starting it, listening to it, stopping it."""

from __future__ import annotations

import asyncio
import errno
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence

from pydantic import ValidationError

from utils.config.settings import PROJECT_ROOT, Settings
from utils.resilience.cancellation import cancel_and_wait
from vectorstores.jobs.log import relay_job_log
from vectorstores.jobs.process import OUT_OF_MEMORY, JobLine, Orders, job_input

_LOG_SECONDS = 5.0
_LINE_LIMIT = 4 * 1024 * 1024
_TIMED_OUT = "제한 시간을 넘겨 작업을 멈췄습니다. 지금 색인은 그대로입니다."
_CRASHED = "작업이 비정상적으로 끝났습니다. 지금 색인은 그대로입니다."
_TOO_LARGE = "작업이 메모리 한도를 넘어 멈췄습니다. 지금 색인은 그대로이니 나누어 올려 주세요."
_NOT_STARTED = "시스템 자원이 모자라 작업을 시작하지 못했습니다. 잠시 후 다시 시도해 주세요."
_NO_DESCRIPTORS = "열린 파일이 너무 많아 작업을 시작하지 못했습니다. 잠시 후 다시 시도해 주세요."


class JobChild:
    """A run of the job process."""

    def __init__(self, command: Sequence[str], settings: Settings) -> None:
        self._command = command
        self._settings = settings
        self._process: Process | None = None
        self._stopped = False

    async def run(self, orders: Orders, hear: Callable[[JobLine], None]) -> str:
        """Do ``orders``; ``hear`` gets each line. The result is why there was no outcome of those there was none of."""
        if self._stopped:
            return _CRASHED
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=PROJECT_ROOT, limit=_LINE_LIMIT
            )
        except OSError as error:
            return _NO_DESCRIPTORS if error.errno in (errno.EMFILE, errno.ENFILE) else _NOT_STARTED
        assert self._process.stderr is not None
        log = asyncio.create_task(relay_job_log(self._process.stderr, " ".join(orders)), name="log of index jobs")
        try:
            async with asyncio.timeout(self._settings.ingest_timeout):
                await self._converse(self._process, orders, hear)
                return _TOO_LARGE if await self._process.wait() == OUT_OF_MEMORY else _CRASHED
        except TimeoutError:
            return _TIMED_OUT
        finally:
            self.stop()
            await self._process.wait()
            await asyncio.wait([log], timeout=_LOG_SECONDS)  # ends with the process, unless that left another behind
            await cancel_and_wait(log)

    def stop(self) -> None:
        """Kill the process, or keep it from being started."""
        self._stopped = True
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def _converse(self, process: Process, orders: Orders, hear: Callable[[JobLine], None]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        missing = set(orders)
        try:
            process.stdin.write(job_input(self._settings, orders))
            await process.stdin.drain()
        except ConnectionError:
            return  # it died before it read
        async for line in process.stdout:
            try:
                said = JobLine.model_validate_json(line)
            except ValidationError:
                continue  # some library printed
            hear(said)
            missing.discard(said.job or "")
            if not missing:
                return
