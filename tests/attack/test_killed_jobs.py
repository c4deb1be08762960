"""kill -9 at twelve moments of a job, of its process and of the service: nothing is half done, nothing stays behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.vectordb import JobState
from tests.attack.test_jobs import SERVICE
from tests.support.small_index import record
from tests.support.small_service import SmallService, small_settings
from utils.config.settings import PROJECT_ROOT

BEFORE_THE_SWAP = {
    "nothing done": ("vectorstores.jobs.process:run_orders", "kill"),
    "leftovers removed": ("vectorstores.build.ingest:clean_up", "kill-after"),
    "reading": ("vectorstores.build.staging:StagedCollection.offer", "kill-after"),
    "read": ("vectorstores.build.staging:Staging.accept", "kill-after"),
    "analysed": ("vectorstores.build.analysis_cache:AnalysisCache.located_ids", "kill-after"),
    "vector store made": ("vectorstores.backends.vectors:VectorWriter._create", "kill-after"),
    "vectors written": ("vectorstores.backends.vectors:VectorWriter._store", "kill-after"),
    "terms written": ("vectorstores.build.collection_builder:CollectionBuilder._write_terms", "kill-after"),
    "collection built": ("vectorstores.build.collection_builder:CollectionBuilder.build", "kill-after"),
    "verified": ("vectorstores.build.ingest:verify_index", "kill-after"),
    "manifest written": ("vectorstores.versions.versions:IndexLayout.point", "kill"),
}
AFTER_THE_SWAP = {"published": ("vectorstores.versions.versions:IndexLayout.publish", "kill-after")}
MOMENTS = {**BEFORE_THE_SWAP, **AFTER_THE_SWAP}


def _broken(monkeypatch: pytest.MonkeyPatch, place: str, how: str, told: str = "") -> None:
    for name, value in {"FAULT_AT": place, "FAULT": how, "FAULT_TOLD": told}.items():
        monkeypatch.setenv(name, value)


async def _is_whole(service: SmallService, builds: int) -> None:
    """The index verifies, the service can go on, and nothing of the killed build is left."""
    root = service.knowledge.store.layout.root
    manifests = builds - 3
    assert service.problems() == []
    for _ in range(100):  # what is left goes right after the job, or when the process that was cut off has let go
        if len(list(root.glob("*/*"))) == builds + manifests:
            break
        await asyncio.sleep(0.1)
    assert len(list(root.glob("*/*_db"))) == builds, sorted(root.glob("*/*"))
    assert not list(root.glob("*/staging"))
    assert not list(root.glob("**/*.part"))
    next_one = await service.ended(await service.upload(record("NEXT", "다음 글")))
    assert (next_one.state, next_one.added) == (JobState.DONE, 1)
    assert service.problems() == []


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_process_killed_at_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    service = SmallService(small_settings(tmp_path / "data"))
    _broken(monkeypatch, *MOMENTS[moment])
    async with service.running():
        killed = await service.ended(await service.upload(record("A", "연차")))
        monkeypatch.delenv("FAULT_AT")
        if moment in AFTER_THE_SWAP:
            assert (killed.state, killed.added, killed.version) == (JobState.DONE, 1, service.live.version)
            assert service.held() == {"FIRST", "A"}
        else:
            assert (killed.state, "비정상" in killed.reason) == (JobState.FAILED, True)
            assert service.held() == {"FIRST"}
        # an empty collection is a build, too; the killed job would have added one of hr_labor
        await _is_whole(service, 5 if moment in AFTER_THE_SWAP else 4)
        assert "NEXT" in service.held()


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["reading", "vectors written", "manifest written", "published"])
async def test_a_service_killed_with_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    data_dir, told = tmp_path / "data", tmp_path / "told"
    place, how = MOMENTS[moment]
    with monkeypatch.context() as patch:
        _broken(patch, place, "hang-after" if how == "kill-after" else "hang", str(told))
        owner = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            SERVICE,
            str(data_dir),
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    try:
        assert owner.stdout is not None
        assert await owner.stdout.readline() == b"ready\n"
        service = SmallService(small_settings(data_dir))
        job = await service.upload(record("A", "연차"), name="a.jsonl")  # into the queue on disk
        async with asyncio.timeout(60):
            while True:
                if await asyncio.to_thread(told.exists):
                    break
                await asyncio.sleep(0.02)
        os.kill(owner.pid, signal.SIGKILL)
        await owner.wait()
        async with service.running():
            found = await service.ended(job)
            if moment in AFTER_THE_SWAP:
                assert (found.state, found.added) == (JobState.DONE, 1)
            else:
                assert (found.state, "중단" in found.reason) == (JobState.FAILED, True)
            await service.live.refresh()
            assert service.held() == ({"FIRST", "A"} if moment in AFTER_THE_SWAP else {"FIRST"})
            await _is_whole(service, 5 if moment in AFTER_THE_SWAP else 4)
    finally:
        if owner.returncode is None:
            owner.kill()
            await owner.wait()
