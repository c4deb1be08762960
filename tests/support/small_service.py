"""The part of a service that runs jobs, without HTTP: a runner on a small index with real processes."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from schemas.vectordb import IndexJob
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_job_process import COMMAND
from tests.support.small_searcher import live_search
from utils.config.settings import Settings
from vectorstores.build.verify import verify_index
from vectorstores.jobs.manager import KnowledgeManager
from vectorstores.jobs.records import Upload
from vectorstores.jobs.runner import JobRunner
from vectorstores.live.live_search import LiveSearch


class SmallService:
    """Uploads and deletions of documents on a data directory that has one."""

    def __init__(self, settings: Settings, command: Sequence[str] = COMMAND) -> None:
        self.knowledge = SmallKnowledge(settings)
        if self.knowledge.store.current_version() is None:
            first = write_lines(settings.data_dir.parent / f"{settings.data_dir.name}.jsonl", record("FIRST", "임금"))
            self.knowledge.add(first)
        self.live: LiveSearch = live_search(self.knowledge)
        self.live.searcher.index.connect()
        self.runner = JobRunner(settings, self.live.refresh, command=command)
        self.manager = KnowledgeManager(settings, self.live, self.runner)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        try:
            async with self.runner.running():
                yield
        finally:
            self.live.close()

    async def upload(self, *documents: dict[str, object], name: str = "a.jsonl") -> IndexJob:
        return await self.upload_bytes(lines(*documents), name)

    async def upload_bytes(self, content: bytes, name: str, domain: str | None = None) -> IndexJob:
        return await self.manager.ingest([Upload(name, io.BytesIO(content))], domain, restore=False)

    async def ended(self, job: IndexJob, seconds: float = 120) -> IndexJob:
        async with asyncio.timeout(seconds):
            while True:
                now = await self.manager.job(job.id)
                if now.finished is not None:
                    return now
                await asyncio.sleep(0.02)

    def held(self) -> set[str]:
        """The documents that searches see."""
        with self.live.lease() as searcher:
            return {
                chunk.doc_id
                for collection in searcher.index.collections.values()
                for chunk in collection.chunks(range(collection.size))
            }

    def problems(self) -> list[str]:
        """Return the problems that `verify` finds in the current version."""
        index = self.knowledge.store.open_current()
        try:
            return verify_index(index)
        finally:
            index.close()


def lines(*documents: dict[str, object]) -> bytes:
    return "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents).encode()


def small_settings(data_dir: Path, **settings: Any) -> Settings:
    return Settings(data_dir=data_dir, **{"disk_reserve_bytes": 0, **settings})
