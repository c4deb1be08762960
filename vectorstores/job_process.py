"""One index job in a process of its own: ``python -m vectorstores.job_process``, started by `vectorstores.job_runner`.

So that a build takes neither the service's memory nor its interpreter lock. The work comes as one JSON line on standard
input, keys of providers included, which therefore never stand in a command line; what becomes of it goes out as JSON lines.
The input stays open as long as the service lives: when it ends, so does this process, at once and without harm, since an
index version counts only once it is published.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr

from schemas.vectordb import JobProblem
from utils.config.settings import ProviderSettings, Settings
from vectorstores.engines import build_engines
from vectorstores.errors import BuildInProgress, IngestError, KnowledgeIndexError, VectorStoreUnavailable
from vectorstores.ingest import Ingest, IngestResult
from vectorstores.jobs import JobOrder
from vectorstores.loaders.base import LoadProblem
from vectorstores.uploads import source_of

logger = logging.getLogger(__name__)

_NEEDED_SETTINGS = (*ProviderSettings.model_fields, "data_dir", "openai_api_key", "openai_base_url")
_SHOWN_PROBLEMS = 100
_SHOWN_MESSAGE = 300
_WAIT_SECONDS = 60.0  # for a build that somebody started by hand
_NICENESS = 5  # a build gives way to requests


class JobOutcome(BaseModel):
    """What a job did; ``reason`` says why it did nothing."""

    reason: str = ""
    version: str | None = None
    added: int = 0
    updated: int = 0
    removed: int = 0
    withheld: int = 0
    problem_count: int = 0
    problems: list[JobProblem] = []
    notes: list[JobProblem] = []


class JobLine(BaseModel):
    """One line of output: a stage that begins, or at last the outcome."""

    stage: str | None = None
    outcome: JobOutcome | None = None


def job_input(settings: Settings, order: JobOrder) -> bytes:
    """The line that starts a job: what of the settings an ingest needs, and the order."""
    values = {name: getattr(settings, name) for name in _NEEDED_SETTINGS}
    return json.dumps({"settings": values, "order": order.model_dump()}, default=_plain).encode() + b"\n"


def _plain(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


class _Stages:
    """Tells of stages; counting steps would only fill the pipe."""

    def __init__(self, say: Callable[[JobLine], None]) -> None:
        self._say = say

    def start(self, stage: str, total: int | None) -> None:
        self._say(JobLine(stage=stage))

    def advance(self, steps: int = 1) -> None:
        return


def run_order(settings: Settings, order: JobOrder, say: Callable[[JobLine], None]) -> JobOutcome:
    """Do what is ordered. Never raises for what can go wrong with an ingest."""
    stages = _Stages(say)
    try:
        ingest = Ingest(settings, build_engines(settings), progress=stages)
        if order.document is not None:
            document = order.document
            result = _when_free(lambda: ingest.delete([document]))
        else:
            sources = [
                source_of(settings.data_dir / upload, settings.data_dir, domain=order.domain)
                for upload in order.uploads
            ]
            result = _when_free(lambda: ingest.run(sources, restore=order.restore))
    except (KnowledgeIndexError, OSError) as error:
        logger.error("index job: %s", error)  # noqa: TRY400 - what went wrong is in the sentence
        return JobOutcome(reason=_reason(error))
    return _outcome(result, [settings.data_dir / upload for upload in order.uploads])


def _when_free(work: Callable[[], IngestResult]) -> IngestResult:
    """Wait for another build to end, but not for ever."""
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            return work()
        except BuildInProgress:
            if time.monotonic() > until:
                raise
            time.sleep(1.0)


def _reason(error: Exception) -> str:
    match error:
        case BuildInProgress():
            return "다른 프로세스가 색인을 만들고 있어 시작하지 못했습니다. 잠시 후 다시 시도해 주세요."
        case VectorStoreUnavailable():
            return "벡터 저장소에 쓸 수 없어 색인을 바꾸지 않았습니다."
        case IngestError():
            return "파일이나 컬렉션을 확인할 수 없어 색인을 바꾸지 않았습니다."
        case OSError():
            return "디스크에 쓸 수 없어 색인을 바꾸지 않았습니다."
    return "색인을 만들지 못했습니다. 지금 색인은 그대로입니다. 자세한 내용은 서비스 기록에 있습니다."


def _outcome(result: IngestResult, files: list[Path]) -> JobOutcome:
    return JobOutcome(
        version=result.version,
        added=result.added,
        updated=result.updated,
        removed=result.removed,
        withheld=result.withheld,
        problem_count=len(result.problems),
        problems=[_problem(problem, files) for problem in result.problems[:_SHOWN_PROBLEMS]],
        notes=[_problem(note, files) for note in result.notes[:_SHOWN_PROBLEMS]],
    )


def _problem(problem: LoadProblem, files: list[Path]) -> JobProblem:
    """A problem with files by the name of their upload, not by where they lie."""
    path, message = problem.path, problem.message
    for file in files:
        path = path.replace(str(file), file.name)
        message = message.replace(str(file), file.name)
    return JobProblem(file=path, line=problem.line, message=message[:_SHOWN_MESSAGE])


def _end_with_the_service() -> None:
    while os.read(sys.stdin.fileno(), 1024):  # unbuffered: a reader's lock would hold up the end of this process
        continue
    os._exit(1)


def main() -> int:
    """Read the order, do it, print what came of it."""
    ordered: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_service, daemon=True).start()
    os.nice(_NICENESS)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    settings = Settings(_env_file=None, **ordered["settings"])

    def say(line: JobLine) -> None:
        print(line.model_dump_json(), flush=True)

    outcome = run_order(settings, JobOrder.model_validate(ordered["order"]), say)
    say(JobLine(outcome=outcome))
    return 0


if __name__ == "__main__":
    sys.exit(main())
