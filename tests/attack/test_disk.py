"""A disk that is full, or becomes it at any stage of a job, or may not be written to."""

from __future__ import annotations

import io
import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas.problems import ErrorCode
from schemas.vectordb import JobState
from tests.contract.wire import assert_problem
from tests.e2e.conftest import serving
from tests.support.small_disk import make_read_only, small_disk
from tests.support.small_index import record
from tests.support.small_job_process import fill_disk
from tests.support.small_service import SmallService, lines, small_settings
from utils.config.settings import Settings
from utils.http.problems import ProblemError
from vectorstores.integrity.disk import free_bytes, tree_bytes
from vectorstores.jobs.manager import KnowledgeManager
from vectorstores.jobs.records import JobOrder, JobStore, Upload, new_job
from vectorstores.jobs.runner import JobRunner
from vectorstores.tokenizer import KiwiTokenizer

QUESTION = {"message": "부가가치세는 언제까지 신고해야 하나요?"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 24) as folder:
        yield folder


def builds(data_dir: Path) -> set[str]:
    return {str(path.relative_to(data_dir)) for path in (data_dir / "index").glob("*/*")}


PLACES = (
    "vectorstores.build.staging:Staging.read",
    "vectorstores.build.ingest:AnalysisCache.__init__",
    "vectorstores.build.collection_builder:CollectionBuilder.build",
    "vectorstores.backends.vectors:VectorWriter._hand_over",
    "vectorstores.build.collection_builder:CollectionBuilder._write_lexical",
    "vectorstores.build.ingest:verify_index",
    "vectorstores.versions.versions:IndexLayout.publish",
)


@pytest.mark.slow
@pytest.mark.finding("H10")
@pytest.mark.parametrize("place", PLACES)
async def test_a_disk_that_fills_at_any_stage(disk: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    service = SmallService(small_settings(disk / "data"))
    data_dir, ballast = disk / "data", disk / "ballast"
    for name, value in {"FAULT_AT": place, "FAULT": "fill", "FAULT_TOLD": str(ballast)}.items():
        monkeypatch.setenv(name, value)
    async with service.running():
        before = builds(data_dir)
        texts = [f"임금 {number} " + "글자 " * 200 for number in range(300)]
        documents = [record(f"D{number}", text) for number, text in enumerate(texts)]
        failed = await service.ended(await service.upload(*documents))
        assert failed.state is JobState.FAILED
        assert "저장 공간" in failed.reason
        fill_disk(ballast)
        assert builds(data_dir) == before
        assert service.held() == {"FIRST"}
        assert service.live.searcher.index.collections["hr_labor_db"].vector_error is None
        for call in (service.upload(record("B", "해고")), service.manager.rollback()):
            with pytest.raises(ProblemError) as refused:
                await call
            assert refused.value.code in (ErrorCode.SERVICE_UNAVAILABLE, ErrorCode.CONFLICT)
        ballast.unlink()
        monkeypatch.delenv("FAULT_AT")
        assert (await service.ended(await service.upload(*documents))).added == 300
        on_disk = JobStore(data_dir).load(failed.id)
        assert on_disk is not None
        assert on_disk.job.state is JobState.FAILED, "told from memory while the disk was full, and written since"
    assert service.problems() == []


@pytest.mark.finding("H10")
async def test_uploads_leave_room_for_deletions(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 24) as disk:
        service = SmallService(small_settings(disk / "data", disk_reserve_bytes=4_000_000))
        (disk / "ballast").write_bytes(b"x" * (free_bytes(disk) - 4_500_000))
        with pytest.raises(ProblemError) as refused:
            await service.upload(record("A", "글자 " * 20_000))
        assert refused.value.code is ErrorCode.SERVICE_UNAVAILABLE
        assert "공간" in (refused.value.detail or "")
        assert refused.value.headers["Retry-After"] == "30"
        with pytest.raises(ProblemError):
            service.manager.check_room(1_000_000)
        service.manager.check_room(0)  # an upload of unknown length, while the reserve itself is there
        (disk / "more").write_bytes(b"x" * (free_bytes(disk) - 3_500_000))
        with pytest.raises(ProblemError):
            service.manager.check_room(0)
        service.manager.check_room()  # deletions are queued all the same
        (disk / "more").unlink()
        async with service.running():
            assert (await service.ended(await service.manager.delete("FIRST", purge=False))).removed == 1


@pytest.mark.finding("H10")
async def test_a_pointer_or_record_that_cannot_be_written_is_a_problem_and_leaves_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 24) as disk:
        service = SmallService(small_settings(disk / "data"))
        service.knowledge.ingest.delete(["FIRST"])
        files = {path for path in disk.rglob("*") if path.is_file()}
        fill_disk(disk / "ballast")
        for call in (service.manager.rollback(), service.manager.delete("FIRST", purge=False)):
            with pytest.raises(ProblemError) as refused:
                await call
            assert refused.value.code is ErrorCode.SERVICE_UNAVAILABLE
            assert "공간" in (refused.value.detail or "")
        with pytest.raises(ProblemError):
            await service.upload(record("A", "글"))
        (disk / "ballast").unlink()
        left = {path for path in disk.rglob("*") if path.is_file()} - files
        assert {path.name for path in left} <= {"uploads.lock"}
        assert (await service.manager.rollback()).previous is not None
        service.live.close()


@pytest.mark.finding("H10")
async def test_a_read_only_data_directory_refuses_changes_with_a_sentence(tmp_path: Path) -> None:
    other = SmallService(small_settings(tmp_path / "other"))
    with small_disk(tmp_path / "disk", 8) as disk:
        (disk / "data").mkdir()
        JobStore(disk / "data").save(new_job(JobOrder(document="A")))
        make_read_only(disk)
        settings = small_settings(disk / "data")
        runner = JobRunner(settings, other.live.refresh)
        manager = KnowledgeManager(settings, other.live, runner)
        async with runner.running():
            for call in (
                manager.ingest([Upload("a.jsonl", io.BytesIO(lines(record("A", "글"))))], None, restore=False),
                manager.delete("FIRST", purge=False),
                manager.rollback(),
            ):
                with pytest.raises(ProblemError) as refused:
                    await call
                assert refused.value.code is ErrorCode.SERVICE_UNAVAILABLE
    other.live.close()


@pytest.fixture
def starter_on_small_disk(starter_settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """The starter index where there is room for a build, and for an upload of less than a megabyte beside it."""
    held, index = tree_bytes(starter_settings.data_dir), tree_bytes(starter_settings.data_dir / "index")
    with small_disk(tmp_path / "disk", (held + index) // 1_000_000 + 10) as disk:
        shutil.copytree(starter_settings.data_dir, disk / "var", symlinks=True)
        yield starter_settings.model_copy(update={"data_dir": disk / "var", "disk_reserve_bytes": 1_000_000})


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.finding("H10")
def test_the_service_comes_back_by_itself(starter_on_small_disk: Settings, tokenizer: KiwiTokenizer) -> None:
    settings = starter_on_small_disk
    ballast = settings.data_dir.parent / "ballast"
    with serving(settings, tokenizer) as client:
        answer = client.post("/api/chat", json=QUESTION).json()["content"]
        documents = [record(f"D{number}", f"운석 보상 {number} " + "글자 " * 100) for number in range(50)]
        too_much = _upload(client, *documents * 40)
        assert_problem(too_much, ErrorCode.SERVICE_UNAVAILABLE)
        accepted = _upload(client, *documents)
        assert accepted.status_code == 202
        fill_disk(ballast)
        failed = _ended(client, accepted)
        assert failed["state"] == "failed"
        assert "공간" in failed["reason"]
        assert client.post("/api/chat", json=QUESTION).json()["content"] == answer
        assert_problem(_upload(client, documents[0]), ErrorCode.SERVICE_UNAVAILABLE)
        assert_problem(client.delete("/api/vectordb/documents/FT_VAT_001"), ErrorCode.SERVICE_UNAVAILABLE)
        assert client.post("/api/vectordb/rollback").status_code in (409, 503)
    with serving(settings, tokenizer) as client:  # a restart with the disk still full
        degraded = client.post("/api/chat", json=QUESTION).json()
        assert degraded["content"]
        ballast.unlink()
        assert _ended(client, _upload(client, *documents))["added"] == 50
        again = client.post("/api/chat", json=QUESTION).json()
        assert (again["content"], again["degraded"]) == (answer, [])
    assert tree_bytes(settings.data_dir / "uploads") == 0


@pytest.mark.finding("H9")
def test_what_goes_away_while_it_is_measured_counts_as_nothing(tmp_path: Path) -> None:
    """An upload was refused in the moment in which the service cleaned up after another."""
    (tmp_path / "stays").write_bytes(b"12345")
    measured = threading.Event()

    def come_and_go() -> None:
        while not measured.is_set():
            (tmp_path / "version" / "collection" / "bm25").mkdir(parents=True)
            shutil.rmtree(tmp_path / "version")

    busy = threading.Thread(target=come_and_go)
    busy.start()
    try:
        assert {tree_bytes(tmp_path) for _ in range(2_000)} == {5}
    finally:
        measured.set()
        busy.join()


def _upload(client: httpx.Client, *documents: dict[str, object]) -> httpx.Response:
    content = "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents).encode()
    return client.post("/api/vectordb/ingest", files=[("files", ("a.jsonl", content))])


def _ended(client: httpx.Client, accepted: httpx.Response) -> dict[str, Any]:
    until = time.monotonic() + 120
    while True:
        job: dict[str, Any] = client.get(accepted.headers["location"]).json()
        if job["finished"] is not None:
            return job
        assert time.monotonic() < until, job
        time.sleep(0.1)
