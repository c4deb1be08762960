"""The invented notices that dialogues are measured on, in a store of a test's own."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

from utils.config.settings import PROJECT_ROOT, Settings
from utils.protocols import Analyzer
from vectorstores.notices.importers.lines import record_of
from vectorstores.notices.notice import NoticeRecord
from vectorstores.notices.pack import NoticeData
from vectorstores.notices.store import Changes, NoticeStore, store_url

SAMPLES = PROJECT_ROOT / "evaluation" / "datasets" / "notice_samples.jsonl"
DAY = date(2026, 11, 24)
"""The day on which the dialogues take place."""


def sample_records() -> list[NoticeRecord]:
    packs = NoticeData.load().packs
    lines = map(json.loads, SAMPLES.read_text(encoding="utf-8").splitlines())
    return [record_of(line, packs[line["pack"]], DAY) for line in lines]


def filled(data_dir: Path, analyzer: Analyzer) -> Settings:
    """Settings of a data directory with the samples in its database."""
    settings = Settings(data_dir=data_dir)
    fill(settings, analyzer)
    return settings


def fill(settings: Settings, analyzer: Analyzer) -> None:
    store = NoticeStore(store_url(settings), analyzer)
    store.prepare()
    store.put(sample_records(), Changes())
    for pack in ("support", "housing"):
        now = datetime(2026, 11, 24, tzinfo=UTC)
        store.note_refresh(f"file:{pack}", pack, now, failure="", is_api=False, changed=True)
    store.close()
