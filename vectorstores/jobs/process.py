"""Index jobs in a process of their own: ``python -m vectorstores.jobs.process``, started by `vectorstores.jobs.runner`.

So that a build takes neither the service's memory nor its interpreter lock. The work comes as one JSON line on standard
input, keys of providers included, which therefore never stand in a command line; what becomes of it goes out as JSON lines.
Jobs that come together make one version. The input stays open as long as the service lives: when it ends, so does this
process, at once and without harm, since an index version counts only once it is published.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr, TypeAdapter

from schemas.vectordb import JobProblem
from utils.config.provider_settings import VectorSettings
from utils.config.settings import ProviderSettings, Settings
from utils.observability.logging_config import configure_logging
from vectorstores.build.draft import Applied, Change, IngestResult
from vectorstores.build.ingest import Ingest
from vectorstores.build.providers import build_providers
from vectorstores.errors import (
    BuildInProgress,
    DiskFull,
    IndexDamaged,
    IngestError,
    KnowledgeIndexError,
    SourceUnreadable,
    VectorStoreUnavailable,
)
from vectorstores.integrity.damage_messages import MENDED
from vectorstores.jobs.records import JobOrder
from vectorstores.jobs.uploads import source_of
from vectorstores.loaders.base import LoadProblem
from vectorstores.versions.versions import IndexLayout

logger = logging.getLogger(__name__)

_NEEDED_SETTINGS = (
    *ProviderSettings.model_fields,
    *VectorSettings.model_fields,
    "data_dir",
    "openai_api_key",
    "openai_base_url",
    "ingest_file_seconds",
    "ingest_memory_bytes",
)
_SHOWN_PROBLEMS = 100
_SHOWN_MESSAGE = 300
_WAIT_SECONDS = 60.0  # for a build that somebody started by hand
_NICENESS = 10  # a build gives way to requests
_OPEN_FILES = 4_096
_FIRST_TO_KILL = "500"  # for the kernel when memory runs out: rather this process than the service
_MEMORY_LOOK_SECONDS = 0.5
OUT_OF_MEMORY = 3
"""Exit status of a process that took more memory than it may."""
OUTCOMES_FILE = "outcomes.json"
"""In the directory of a version: what came of the jobs that made it, for whoever was not told."""


class JobOutcome(BaseModel):
    """Result of a job; ``reason`` says why it did nothing. ``origins`` of a purge: keys of the sources to erase too."""

    reason: str = ""
    version: str | None = None
    added: int = 0
    updated: int = 0
    removed: int = 0
    withheld: int = 0
    problem_count: int = 0
    problems: list[JobProblem] = []
    notes: list[JobProblem] = []
    origins: list[str] = []


class JobLine(BaseModel):
    """A line of output: a stage that begins, or the outcome of a job."""

    stage: str | None = None
    job: str | None = None
    outcome: JobOutcome | None = None


Orders = Mapping[str, JobOrder]
"""By the id of the job, in the order in which they came."""
Outcomes = Mapping[str, JobOutcome]
_OUTCOMES = TypeAdapter(dict[str, JobOutcome])


def job_input(settings: Settings, orders: Orders) -> bytes:
    """The line that starts jobs: what of the settings an ingest needs, and the orders."""
    values = {name: getattr(settings, name) for name in _NEEDED_SETTINGS}
    dumped = {job_id: order.model_dump() for job_id, order in orders.items()}
    return json.dumps({"settings": values, "orders": dumped}, default=_plain).encode() + b"\n"


def published_outcomes(layout: IndexLayout) -> Outcomes:
    """Return the outcomes of the jobs that made the current version and the one before.

    Raises OSError or `KnowledgeIndexError`.
    """
    pointer = layout.pointer()
    versions = (pointer.current, pointer.previous) if pointer is not None else ()
    found: dict[str, JobOutcome] = {}
    for version in versions:
        if version is not None:
            with suppress(FileNotFoundError, ValueError):
                found |= _OUTCOMES.validate_json((layout.root / version / OUTCOMES_FILE).read_bytes())
    return found


def forget_outcomes(layout: IndexLayout) -> None:
    """Remove them, once they are on record. Raises OSError."""
    for path in layout.root.glob(f"*/{OUTCOMES_FILE}"):
        path.unlink(missing_ok=True)


def _plain(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


class _StageLines:
    """Tells of stages; counting steps would only fill the pipe."""

    def __init__(self, say: Callable[[JobLine], None]) -> None:
        self._say = say

    def start(self, stage: str, total: int | None) -> None:
        self._say(JobLine(stage=stage))

    def advance(self, steps: int = 1) -> None:
        return


def run_orders(settings: Settings, orders: Orders, say: Callable[[JobLine], None]) -> None:
    """Do what is ordered, as one version where that is possible, else each alone, and say what came of each job.

    Never raises for what can go wrong with an ingest.
    """
    ingest = Ingest(
        settings, build_providers(settings), progress=_StageLines(say), seconds=settings.ingest_file_seconds
    )
    results: list[Applied]
    try:
        results, failed = _when_free(partial(_apply, ingest, settings, orders)), None
    except (KnowledgeIndexError, OSError) as error:
        logger.error("index jobs: %s", error)  # noqa: TRY400 - what went wrong is in the sentence
        failed = error.with_traceback(None)  # its frames would keep the files of the build open
        results = [failed] * len(orders)
    if failed is not None and len(orders) > 1 and not isinstance(failed, BuildInProgress):
        for job_id, order in orders.items():
            run_orders(settings, {job_id: order}, say)
        return
    for (job_id, order), result in zip(orders.items(), results, strict=True):
        say(JobLine(job=job_id, outcome=_outcome(settings, order, result)))


def _apply(ingest: Ingest, settings: Settings, orders: Orders) -> list[Applied]:
    """Build one version from all orders whose files exist; return the result of each order."""
    changes: dict[str, Change] = {}
    refused: dict[str, Applied] = {}
    for job_id, order in orders.items():
        try:
            changes[job_id] = _change(settings, order)
        except (IngestError, OSError) as error:
            refused[job_id] = error

    def announce(directory: Path, results: Sequence[Applied]) -> None:
        outcomes = {
            job_id: _outcome(settings, orders[job_id], result)
            for job_id, result in zip(changes, results, strict=True)
            if isinstance(result, IngestResult)
        }
        (directory / OUTCOMES_FILE).write_bytes(_OUTCOMES.dump_json(outcomes))

    applied = ingest.apply(list(changes.values()), announce=announce) if changes else []
    results = dict(zip(changes, applied, strict=True)) | refused
    return [results[job_id] for job_id in orders]


def _change(settings: Settings, order: JobOrder) -> Change:
    if order.document is not None:
        return Change(remove=frozenset({order.document}), purge=order.purge)
    sources = [
        source_of(settings.data_dir / upload, settings.data_dir, domain=order.domain) for upload in order.uploads
    ]
    return Change(sources, restore=order.restore)


def _when_free(work: Callable[[], list[Applied]]) -> list[Applied]:
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
        case DiskFull():
            return "저장 공간이 모자라 색인을 바꾸지 않았습니다. 공간을 비운 뒤 다시 시도해 주세요."
        case VectorStoreUnavailable():
            return "벡터 저장소에 쓸 수 없어 색인을 바꾸지 않았습니다."
        case SourceUnreadable():
            return "파일을 읽다가 실패해 색인을 바꾸지 않았습니다. 파일이 손상되지 않았는지 확인해 주세요."
        case IndexDamaged():
            return f"지금 색인의 문서 파일이 손상되어 바꾸지 않았습니다. {MENDED}"
        case IngestError():
            return "파일이나 컬렉션을 확인할 수 없어 색인을 바꾸지 않았습니다."
        case OSError():
            return "디스크에 쓸 수 없어 색인을 바꾸지 않았습니다."
    return "색인을 만들지 못했습니다. 지금 색인은 그대로입니다. 자세한 내용은 서비스 기록에 있습니다."


def _outcome(settings: Settings, order: JobOrder, result: Applied) -> JobOutcome:
    if not isinstance(result, IngestResult):
        return JobOutcome(reason=_reason(result))
    names = {settings.data_dir / upload: name for upload, name in order.named_uploads()}
    return JobOutcome(
        version=result.version,
        added=result.added,
        updated=result.updated,
        removed=result.removed,
        withheld=result.withheld,
        problem_count=len(result.problems),
        problems=[_problem(problem, names) for problem in result.problems[:_SHOWN_PROBLEMS]],
        notes=[_problem(note, names) for note in result.notes[:_SHOWN_PROBLEMS]],
        origins=sorted(result.origins),
    )


def _problem(problem: LoadProblem, names: Mapping[Path, str]) -> JobProblem:
    """A problem with files by what their sender calls them, not by where they lie or what they were kept as."""
    path, message = problem.path, problem.message
    for file, name in names.items():
        path = name if path == file.name else path.replace(str(file), name)
        message = message.replace(str(file), name)
    return JobProblem(file=path, line=problem.line, message=message[:_SHOWN_MESSAGE])


def _bound_this_process(memory: int) -> None:
    """Give way to the service in time and memory, and leave no dump of documents behind."""
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_KILL, encoding="ascii")
    threading.Thread(target=_end_beyond, args=(memory,), daemon=True).start()


def _end_beyond(memory: int) -> None:
    """End the process once it holds more than ``memory`` bytes; mapped files, which are not its own, do not count."""
    page = resource.getpagesize()
    while True:
        try:
            _, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text(encoding="ascii").split())
        except OSError:
            return  # no such file system: the system's own limits have to do
        if (resident - shared) * page > memory:
            os._exit(OUT_OF_MEMORY)
        time.sleep(_MEMORY_LOOK_SECONDS)


def _end_with_the_service() -> None:
    while os.read(sys.stdin.fileno(), 1024):  # unbuffered: a reader's lock would hold up the end of this process
        continue
    os._exit(1)


def main() -> int:
    """Read the orders, do them, print what came of each."""
    ordered: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_service, daemon=True).start()
    configure_logging("json", "WARNING")  # for `vectorstores.jobs.log`, which logs it in the form of the service
    settings = Settings(_env_file=None, **ordered["settings"])
    _bound_this_process(settings.ingest_memory_bytes)

    def say(line: JobLine) -> None:
        print(line.model_dump_json(), flush=True)

    orders = {job_id: JobOrder.model_validate(order) for job_id, order in ordered["orders"].items()}
    run_orders(settings, orders, say)
    return 0


if __name__ == "__main__":
    sys.exit(main())
