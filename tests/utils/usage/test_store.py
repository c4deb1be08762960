"""The database of the usage: one sum of all processes, a batch counts once, and a store that is away says so."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest

from schemas.usage import UsageGroup, UsagePurpose
from tests.support.usage_stores import SECONDS, TODAY, key, took
from utils.config.settings import PROJECT_ROOT, Settings
from utils.usage.records import total_of
from utils.usage.store import UsageBatch, UsageStore, UsageStoreError

ALL = tuple(UsageGroup)


def test_sums_grow_and_are_told_apart(store: UsageStore) -> None:
    rerank = key("kiosk", "judge", UsagePurpose.RERANK, TODAY - timedelta(days=1))
    for _ in range(2):
        batch = UsageBatch.of({key(): took(100, 10, 40), rerank: took(7, 0, estimated=True)})
        store.add(batch, TODAY, ())
    whole = store.sums(TODAY - timedelta(days=1), TODAY, None, ALL)
    assert whole == {
        key(): took(100, 10, 40) + took(100, 10, 40),
        rerank: took(7, 0, estimated=True) + took(7, 0, estimated=True),
    }
    assert set(store.sums(TODAY, TODAY, None, ALL)) == {key()}
    assert set(store.sums(date.min, date.max, "kiosk", ALL)) == {rerank}
    assert store.sums(date.min, date.max, "nobody", ALL) == {}


def test_a_batch_that_is_tried_again_counts_once(store: UsageStore) -> None:
    batch = UsageBatch.of({key(): took()})
    sums = [store.add(batch, TODAY, None) for _ in range(3)]
    assert sums == [{key(): took()}] * 3


def test_what_others_spent_is_told_with_the_writing(url: str) -> None:
    mine, others = UsageStore(url, SECONDS), UsageStore(url, SECONDS)
    others.add(UsageBatch.of({key("kiosk"): took(5, 0), key(): took(7, 0)}), TODAY, ())
    assert mine.add(UsageBatch.of({key(): took(1, 0)}), TODAY, ["web"]) == {key(): took(7, 0) + took(1, 0)}
    assert mine.add(None, TODAY, ()) == {}
    assert set(mine.add(None, TODAY + timedelta(days=1), None)) == set()


_PROGRAM = """
import sys
from tests.support.usage_stores import SECONDS, TODAY, key, took
from utils.usage.store import UsageBatch, UsageStore
store = UsageStore(sys.argv[1], SECONDS * 5)
for _ in range(20):
    store.add(UsageBatch.of({key(): took(), key("kiosk"): took()}), TODAY, ())
"""


def test_several_processes_add_to_one_sum(url: str) -> None:
    other = subprocess.Popen([sys.executable, "-c", _PROGRAM, url], cwd=PROJECT_ROOT, stderr=subprocess.PIPE, text=True)
    own = UsageStore(url, SECONDS * 5)
    with ThreadPoolExecutor(2) as threads:
        while other.poll() is None:
            list(
                threads.map(lambda _: own.add(UsageBatch.of({key("shop"): took(), key(): took()}), TODAY, ()), range(2))
            )
    assert other.returncode == 0, other.stderr and other.stderr.read()
    calls = {
        client: total_of(own.sums(TODAY, TODAY, client, ALL).values()).calls for client in ("web", "kiosk", "shop")
    }
    assert calls["kiosk"] == 20
    assert calls["web"] == 20 + calls["shop"]


def test_a_database_that_was_removed_is_made_anew(tmp_path: Path) -> None:
    store = UsageStore.from_settings(Settings(data_dir=tmp_path))
    store.add(UsageBatch.of({key(): took()}), TODAY, ())
    store.close()
    for file in (tmp_path / "usage").iterdir():
        file.unlink()
    with pytest.raises(UsageStoreError):
        store.add(UsageBatch.of({key(): took()}), TODAY, ())
    assert store.add(UsageBatch.of({key(): took()}), TODAY, None) == {key(): took()}


def test_an_error_does_not_show_the_password(tmp_path: Path) -> None:
    store = UsageStore("postgresql://bizi:hunter2@127.0.0.1:1/none", 0.5)
    with pytest.raises(UsageStoreError) as raised:
        store.sums(TODAY, TODAY, None, ALL)
    assert "hunter2" not in str(raised.value)
