"""Uploads and deletions in numbers, side by side, cut short, and for good."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest

from schemas.problems import ErrorCode
from schemas.vectordb import IndexJob, JobKind, JobState
from tests.support.packs import shipped_collections
from tests.support.pdf_files import make_pdf
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_service import SmallService, lines, small_settings
from utils.config.settings import PROJECT_ROOT, Settings
from utils.http.problems import ProblemError
from vectorstores.jobs.records import JobStore
from vectorstores.jobs.uploads import UploadStore
from vectorstores.loaders.base import LoadOptions, LoadReport
from vectorstores.loaders.pdf import PdfLoader

SECRET = "900101-1234567"


@pytest.fixture
def service(tmp_path: Path) -> SmallService:
    return SmallService(small_settings(tmp_path / "data"))


@pytest.mark.finding("H9")
async def test_jobs_that_wait_make_one_version_and_a_bad_one_fails_alone(service: SmallService) -> None:
    before = len(list((service.knowledge.store.layout.root).glob("*/manifest.json")))
    jobs = [
        await service.upload(record("A", "연차"), name="a.jsonl"),
        await service.upload(record("A", "고친 연차"), record("B", "해고"), name="b.jsonl"),
        await service.upload_bytes(b'{"id": "X"\n', "broken.jsonl"),
        await service.upload_bytes(lines(record("C", "퇴직")), "c.jsonl"),
        await service.manager.delete("FIRST", purge=False),
        await service.upload(record("D", "없어질 파일"), name="gone.jsonl"),
    ]
    gone = JobStore(service.knowledge.settings.data_dir).load(jobs[-1].id)
    assert gone is not None
    (service.knowledge.settings.data_dir / gone.order.uploads[0]).unlink()
    async with service.running():
        done = [await service.ended(job) for job in jobs]
        assert [(job.state, job.added, job.updated, job.removed, job.problem_count) for job in done] == [
            (JobState.DONE, 1, 0, 0, 0),
            (JobState.DONE, 1, 1, 0, 0),
            (JobState.DONE, 0, 0, 0, 1),
            (JobState.DONE, 1, 0, 0, 0),
            (JobState.DONE, 0, 0, 1, 0),
            (JobState.FAILED, 0, 0, 0, 0),
        ]
        assert done[2].problems[0].file == "broken.jsonl"
        assert "파일" in done[-1].reason
        assert len({job.version for job in done[:-1]}) == 1, "one version for all"
        assert service.held() == {"A", "B", "C"}
    assert before == 1
    assert service.problems() == []


@pytest.mark.slow
@pytest.mark.finding("H9")
async def test_a_process_that_dies_over_one_job_does_not_take_the_others_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader is killed whenever it meets a file of that name, as the kernel does when memory runs out."""
    program = (
        "import os, sys; from tests.support import small_job_process as small\n"
        "from vectorstores.build import staging; from vectorstores.jobs import process as job_process\n"
        "read = staging.Staging.read\n"
        "def reads(self, source, withheld=()):\n"
        "    if source.path.name == 'bomb.jsonl': os.kill(os.getpid(), 9)\n"
        "    return read(self, source, withheld)\n"
        "staging.Staging.read = reads; job_process.build_providers = small.small_engines; sys.exit(job_process.main())"
    )
    service = SmallService(small_settings(tmp_path / "data"), (sys.executable, "-c", program))
    names = ("a.jsonl", "bomb.jsonl", "c.jsonl")
    jobs = [await service.upload(record(name[0], f"글 {name}"), name=name) for name in names]
    async with service.running():
        states = [(await service.ended(job)).state for job in jobs]
        assert states == [JobState.DONE, JobState.FAILED, JobState.DONE]
        assert service.held() == {"FIRST", "a", "c"}


@pytest.mark.slow
@pytest.mark.finding("H9")
async def test_35_uploads_at_once_are_queued_or_refused_and_none_is_lost(service: SmallService) -> None:
    async def upload(number: int) -> IndexJob | ErrorCode:
        try:
            return await service.upload(record(f"U{number}", f"임금 {number}"), name=f"{number}.jsonl")
        except ProblemError as error:
            return error.code if error.headers["Retry-After"] == "30" else ErrorCode.INTERNAL_ERROR

    answers = await asyncio.gather(*(upload(number) for number in range(35)))
    jobs = [answer for answer in answers if isinstance(answer, IndexJob)]
    assert len(jobs) == 20
    assert [answer for answer in answers if not isinstance(answer, IndexJob)] == [ErrorCode.RATE_LIMITED] * 15
    await service.runner.expire_uploads()  # those that were refused while others arrived
    assert len(list((service.knowledge.settings.data_dir / "uploads").glob("*/*"))) == 20, "refused ones are not kept"
    async with service.running():
        assert {(await service.ended(job)).state for job in jobs} == {JobState.DONE}
        assert len(service.held()) == 21


@pytest.mark.finding("H9")
async def test_what_is_refused_while_others_arrive_goes_by_itself(tmp_path: Path) -> None:
    """It was kept for as long as uploads are, or until a job came to its end."""
    settings = small_settings(tmp_path / "data", upload_retention_days=30)
    service, uploads = SmallService(settings), tmp_path / "data" / "uploads"
    async with service.running():
        with UploadStore(settings.data_dir).arriving(), pytest.raises(ProblemError):
            await service.upload_bytes(b"%PDF-1.4", "needs a collection.pdf")
        assert len(list(uploads.glob("*/*"))) == 1
        await _empty(uploads)


@pytest.mark.slow
@pytest.mark.finding("L10")
async def test_jobs_that_wait_or_run_can_be_cancelled(
    service: SmallService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = _hangs_at(monkeypatch, "vectorstores.build.staging:Staging.read", tmp_path)
    async with service.running():
        hanging = await service.upload(record("A", "연차"), name="a.jsonl")
        await _exists(told)
        waiting = await service.upload(record("B", "해고"), name="b.jsonl")
        with pytest.raises(ProblemError) as unknown:
            await service.manager.cancel("nope")
        assert unknown.value.code is ErrorCode.NOT_FOUND
        assert (await service.manager.cancel(waiting.id)).state is JobState.CANCELLED
        monkeypatch.delenv("FAULT_AT")
        assert (await service.manager.cancel(hanging.id)).state is JobState.CANCELLED
        with pytest.raises(ProblemError) as ended:
            await service.manager.cancel(hanging.id)
        assert ended.value.code is ErrorCode.CONFLICT
        assert (await service.ended(await service.upload(record("C", "퇴직")))).state is JobState.DONE
        assert service.held() == {"FIRST", "C"}
        latest = await service.manager.jobs(2)
        assert [job.state for job in latest.jobs] == [JobState.DONE, JobState.CANCELLED]
        await _empty(service.knowledge.settings.data_dir / "uploads")


def _hangs_at(monkeypatch: pytest.MonkeyPatch, place: str, folder: Path) -> Path:
    """Let the next process of a job hang; the file that tells that it does."""
    told = folder / "told"
    for name, value in {"FAULT_AT": place, "FAULT": "hang", "FAULT_TOLD": str(told)}.items():
        monkeypatch.setenv(name, value)
    return told


async def _empty(uploads: Path) -> None:
    """Wait until no upload is kept: they go right after their job."""
    async with asyncio.timeout(60):
        while True:
            if not await asyncio.to_thread(lambda: list(uploads.glob("*/*"))):
                return
            await asyncio.sleep(0.02)


async def _exists(path: Path) -> None:
    async with asyncio.timeout(60):
        while True:
            if await asyncio.to_thread(path.exists):
                return
            await asyncio.sleep(0.02)


@pytest.mark.slow
@pytest.mark.finding("L16")
async def test_equal_content_is_reported_under_the_name_that_each_sender_gave_it(service: SmallService) -> None:
    content = lines(record("A", "연차")) + b"{broken\n"
    jobs = [await service.upload_bytes(content, name) for name in ("first.jsonl", "second.jsonl")]
    async with service.running():
        for job, name in zip(jobs, ("first.jsonl", "second.jsonl"), strict=True):
            ended = await service.ended(job)
            assert ended.files == [name]
            assert [problem.file for problem in ended.problems] == [name]


@pytest.mark.slow
@pytest.mark.finding("L11")
async def test_an_id_that_no_address_can_name_is_refused_with_its_line(service: SmallService) -> None:
    ids = ["A\nB", "A\u2028B", "A\x00", "A\x1b[31m", "fine/../id"]
    job = await service.upload(*(record(identifier, "글") for identifier in ids))
    async with service.running():
        ended = await service.ended(job)
        assert [problem.line for problem in ended.problems] == [1, 2, 3, 4]
        assert service.held() == {"FIRST", "fine/../id"}
        assert (await service.ended(await service.manager.delete("fine/../id", purge=False))).removed == 1


@pytest.mark.parametrize(
    "name", ["../../etc/x.jsonl", "..\\..\\x.jsonl", "\x00x.jsonl", "/abs.jsonl", "가" * 300 + ".jsonl", ".jsonl"]
)
async def test_hostile_file_names_stay_below_the_uploads(service: SmallService, name: str) -> None:
    root = service.knowledge.settings.data_dir.parent
    before = {path for path in root.rglob("*") if path.is_file()}
    await service.upload(record("A", "연차"), name=name)
    for path in {path for path in root.rglob("*") if path.is_file()} - before:
        assert path.relative_to(root / "data").parts[0] in ("uploads", "uploads.lock", "jobs"), path


def _holds(folder: Path, *words: bytes) -> list[str]:
    """The files below ``folder`` that hold any of the words, in any encoding a file of ours is written in."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return [
        str(path.relative_to(folder))
        for path in files
        if any(word in path.read_bytes() or word in str(path).encode() for word in words)
    ]


@pytest.mark.slow
@pytest.mark.finding("M9")
@pytest.mark.parametrize("days", [0.0, 30.0], ids=["at once", "kept a month"])
async def test_a_purge_leaves_no_byte_of_a_document(tmp_path: Path, days: float) -> None:
    service = SmallService(small_settings(tmp_path / "data", upload_retention_days=days))
    data_dir = service.knowledge.settings.data_dir
    words = (SECRET.encode(), "홍길동".encode(), json.dumps("홍길동").encode()[1:-1], b"PRIV")
    async with service.running():
        await service.ended(await service.upload(record("PRIV", f"주민 {SECRET} 홍길동"), name="홍길동.jsonl"))
        await service.ended(await service.upload(record("PRIV", f"고친 주민 {SECRET}2"), name="홍길동 2.jsonl"))
        assert _holds(data_dir, *words)
        deleted = await service.ended(await service.manager.delete("PRIV", purge=False))
        assert deleted.removed == 1
        assert _holds(data_dir, *words), "deleting is not destroying"
        await service.ended(await service.upload(record("OTHER", "남는 글")))
        purged = await service.ended(await service.manager.delete("PRIV", purge=True))
        assert (purged.state, purged.kind, purged.document) == (JobState.DONE, JobKind.PURGE, None)
        assert _holds(data_dir, *words) == []
        with pytest.raises(ProblemError):
            await service.manager.delete("PRIV", purge=True)
        with pytest.raises(ProblemError) as no_way_back:
            await service.manager.rollback()
        assert no_way_back.value.code is ErrorCode.CONFLICT
        assert service.held() == {"FIRST", "OTHER"}
        assert (await service.ended(await service.upload(record("LATER", "임금")))).state is JobState.DONE
    assert service.problems() == []


@pytest.mark.finding("M9")
async def test_a_document_of_the_current_version_is_purged_with_all_that_was_analysed_of_it(
    service: SmallService,
) -> None:
    data_dir = service.knowledge.settings.data_dir
    async with service.running():
        both = record("PRIV", f"주민 {SECRET}"), record("STAYS", "남는 글")
        await service.ended(await service.upload(*both, name="both.jsonl"))
        purged = await service.ended(await service.manager.delete("PRIV", purge=True))
        assert (purged.removed, purged.reason) == (1, "")
        assert _holds(data_dir, SECRET.encode()) == []
        assert service.held() == {"FIRST", "STAYS"}


@pytest.mark.slow
@pytest.mark.finding("M9")
async def test_uploads_go_with_their_job_whatever_became_of_it(service: SmallService) -> None:
    uploads = service.knowledge.settings.data_dir / "uploads"
    async with service.running():
        jobs = [await service.upload(record("A", "연차")), await service.upload_bytes(b"{broken\n", "b.jsonl")]
        for job in jobs:
            await service.ended(job)
        await _empty(uploads)


SERVICE = """
import asyncio, sys
from pathlib import Path
from tests.support.small_service import SmallService, small_settings

async def serve():
    service = SmallService(small_settings(Path(sys.argv[1])))
    async with service.running():
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(serve())
"""


@pytest.mark.slow
@pytest.mark.finding("M13")
async def test_another_service_takes_over_from_one_that_was_killed(
    service: SmallService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, data_dir = tmp_path / "told", service.knowledge.settings.data_dir
    faults = {"FAULT_AT": "vectorstores.build.staging:Staging.read", "FAULT": "hang", "FAULT_TOLD": str(told)}
    command = [sys.executable, "-c", SERVICE, str(data_dir)]
    owner = subprocess.Popen(  # noqa: ASYNC220 - it is to outlive this loop's patience, not to be awaited
        command, cwd=PROJECT_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **faults}
    )
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        async with service.running():
            running = await service.upload(record("A", "연차"), name="a.jsonl")
            await _exists(told)  # the other one runs what was handed in here
            queued = await service.upload(record("B", "해고"), name="b.jsonl")
            cancelled = await service.upload(record("C", "퇴직"), name="c.jsonl")
            await service.manager.cancel(cancelled.id)
            assert (await service.ended(cancelled)).state is JobState.CANCELLED
            os.kill(owner.pid, signal.SIGKILL)
            begun = time.monotonic()
            cut_off = await service.ended(running)
            assert (cut_off.state, "중단" in cut_off.reason) == (JobState.FAILED, True)
            assert time.monotonic() - begun < 30, "within seconds, however loaded the machine"
            assert (await service.ended(queued)).state is JobState.DONE
            assert service.held() == {"FIRST", "B"}
    finally:
        owner.kill()
        owner.wait()
        for stream in (owner.stdin, owner.stdout):
            assert stream is not None
            stream.close()


MANY = """
import asyncio, json, os, resource, sys
from pathlib import Path

resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
from tests.support.pdf_files import make_pdf
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_service import SmallService, small_settings

def state():
    status = Path("/proc/self/status").read_text()
    rss = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), rss

async def serve():
    service = SmallService(small_settings(Path(sys.argv[1])))
    states, seen = [], []
    async with service.running():
        for number in range(40):
            job = await service.ended(await service.upload(record(f"U{number}", f"임금 번호{number}"), name=f"{number}.jsonl"))
            states.append(job.state + job.reason)
            with service.live.lease() as searcher:
                assert searcher.spelling.is_known("임금")
                for one in searcher.index.collections.values():
                    assert one.bm25_error is None and one.vector_error is None
            seen.append(state())
        held = len(service.held())
    print(json.dumps({"states": states, "held": held, "seen": seen}))

asyncio.run(serve())
"""


@pytest.mark.slow
@pytest.mark.finding("H9")
@pytest.mark.timeout(900)
def test_40_uploads_in_a_row_within_1024_descriptors(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY, str(tmp_path / "data")],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Too many open files" not in done.stderr
    said = json.loads(done.stdout)
    assert said["states"] == ["done"] * 40
    assert said["held"] == 41
    (files, threads, memory), (last_files, last_threads, last_memory) = said["seen"][4], said["seen"][-1]
    assert last_files <= files + 40, said["seen"]
    assert last_threads <= threads + 8, said["seen"]
    assert last_memory <= memory + 60, said["seen"]


@contextmanager
def _no_descriptors() -> Iterator[None]:
    """No file can be opened within."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.slow
@pytest.mark.finding("H9")
async def test_without_descriptors_a_job_fails_with_a_sentence_and_the_next_one_does_not(
    service: SmallService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = _hangs_at(monkeypatch, "vectorstores.build.staging:Staging.read", tmp_path)
    async with service.running():
        hanging = await service.upload(record("A", "연차"), name="a.jsonl")
        await _exists(told)
        monkeypatch.delenv("FAULT_AT")
        job = await service.upload(record("B", "해고"), name="b.jsonl")
        with _no_descriptors():
            await service.manager.cancel(hanging.id)
            failed = await service.ended(job)
            assert (failed.state, "열린 파일" in failed.reason) == (JobState.FAILED, True)
            with pytest.raises(ProblemError) as refused:
                await service.upload(record("C", "퇴직"))
            assert refused.value.code is ErrorCode.SERVICE_UNAVAILABLE
        assert (await service.ended(await service.upload(record("B", "해고"), name="b.jsonl"))).state is JobState.DONE
    record_on_disk = JobStore(service.knowledge.settings.data_dir).load(job.id)
    assert record_on_disk is not None
    assert record_on_disk.job.state is JobState.FAILED, "what could not be written then is written now"


@pytest.mark.finding("L10")
def test_a_file_that_takes_too_long_is_read_as_far_as_its_share_goes(tmp_path: Path) -> None:
    (tmp_path / "slow.pdf").write_bytes(make_pdf(["첫 쪽", "둘째 쪽"]))
    report = LoadReport()
    options = LoadOptions(date(2026, 11, 22), domain="hr_labor", seconds=-1.0, collections=shipped_collections())
    assert list(PdfLoader().load(tmp_path / "slow.pdf", options, report)) == []
    assert "0쪽까지만" in report.problems[0].message
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "data"), seconds=-1.0)
    result = knowledge.add(write_lines(tmp_path / "slow.jsonl", record("A", "글"), record("B", "글")))
    assert (result.added, "여기까지만" in result.problems[0].message) == (0, True)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_uploads_and_rollbacks_of_two_services_under_load_fail_no_search(service: SmallService) -> None:
    other = SmallService(service.knowledge.settings)
    stop = threading.Event()

    def search(instance: SmallService) -> int:
        count = 0
        while not stop.is_set():
            with instance.live.lease() as searcher:
                collection = searcher.index.collections["hr_labor_db"]
                assert collection.bm25_scores(["임금"]).max() > 0
                [(near, _)] = collection.vector_search(instance.knowledge.vector("임금"), 1)
                assert collection.chunks(near)[0].doc_id == "FIRST"
            count += 1
        return count

    async def roll_back() -> str:
        try:
            return (await other.manager.rollback()).version
        except ProblemError as error:
            return error.code

    async with service.running(), other.running():
        watch = asyncio.create_task(other.live.watch())
        searches = [asyncio.create_task(asyncio.to_thread(search, instance)) for instance in (service, other)]
        codes = []
        try:
            for number in range(5):
                job = await (service, other)[number % 2].upload(
                    record(f"U{number}", f"휴가 {number}"), name=f"{number}.jsonl"
                )
                codes += [await roll_back() for _ in range(3)]
                assert (await service.ended(job)).state is JobState.DONE
        finally:
            stop.set()  # the event loop does not end before its threads
        assert min(await asyncio.gather(*searches)) > 0
        watch.cancel()
    assert {code for code in codes if not code.startswith("20")} <= {ErrorCode.CONFLICT}
    assert service.problems() == []
