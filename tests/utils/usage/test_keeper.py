"""Usage of a running service: written behind its back, through outages of the store, to the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from schemas.health import CapabilityState
from schemas.usage import UsageGroup, UsagePurpose
from tests.support.sql_servers import PostgreSQLServer
from tests.support.usage_stores import PRICES, SECONDS, TODAY, ledger_of, serve, took
from utils.usage import keeper as module
from utils.usage.keeper import UsageKeeper
from utils.usage.ledger import UsageLedger
from utils.usage.report import UsageQuery
from utils.usage.store import UsageStore, UsageStoreError

GENERATION = UsagePurpose.GENERATION
QUERY = UsageQuery(TODAY, TODAY, None, (UsageGroup.CLIENT,), 0, 10)


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EVERY", 0.02)
    monkeypatch.setattr(module, "_PAUSE", 0.1)


def keeper_of(ledger: UsageLedger, *models: str) -> UsageKeeper:
    assert ledger.store is not None
    return UsageKeeper(ledger, ledger.store, frozenset(models))


async def until(met: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not met():  # noqa: ASYNC110 - a thread does it
            await asyncio.sleep(0.02)


async def test_counts_are_written_by_themselves_and_told_before_that(store: UsageStore, tmp_path: Path) -> None:
    ledger = ledger_of(store, tmp_path)
    keeper = keeper_of(ledger)
    serve("web")
    async with keeper.running():
        ledger.note(GENERATION, "small", took(1_000_000, 0))
        assert (await keeper.report(QUERY, budgets_of=None)).rows[0].cost == 2
        ledger.note(GENERATION, "small", took())
        await until(lambda: ledger.waiting == 0)
        assert (await keeper.health()).state is CapabilityState.AVAILABLE


async def test_what_waits_at_the_end_is_written(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EVERY", 60.0)
    ledger = ledger_of(UsageStore(url, SECONDS), tmp_path)
    serve("web")
    async with keeper_of(ledger).running():
        ledger.note(GENERATION, "small", took())
    assert UsageStore(url, SECONDS).sums(date.min, date.max, "web", ()) != {}


@pytest.mark.services
async def test_a_store_that_hangs_or_goes_costs_no_count_and_no_time_of_a_chat(tmp_path: Path) -> None:
    with PostgreSQLServer() as server:
        ledger = ledger_of(UsageStore(server.url, 0.3), tmp_path, "web=1000tokens/day")
        keeper = keeper_of(ledger)
        serve("web")
        async with keeper.running():
            ledger.note(GENERATION, "small", took(10, 0))
            await until(lambda: ledger.waiting == 0)
            for stop, resume in ((server.hang, server.resume), (server.kill, server.start)):
                stop()
                for _ in range(5):
                    ledger.check(GENERATION)
                    ledger.note(GENERATION, "small", took(10, 0))
                await _until_degraded(keeper)
                assert "메모리" in (await keeper.health()).reason
                with pytest.raises(UsageStoreError):
                    await keeper.report(QUERY, budgets_of=None)
                resume()
                await until(lambda: ledger.waiting == 0)
                assert (await keeper.health()).state is CapabilityState.AVAILABLE
            report = await keeper.report(QUERY, budgets_of="web")
    assert (report.rows[0].calls, report.rows[0].input_tokens) == (11, 110)
    assert [(each.client, each.spent, each.exceeded) for each in report.budgets] == [("web", 110, False)]


async def _until_degraded(keeper: UsageKeeper) -> None:
    async with asyncio.timeout(20):
        while (await keeper.health()).state is CapabilityState.AVAILABLE:  # noqa: ASYNC110 - a thread does it
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("budgets", "models", "text", "named"),
    [("web=1USD/day", ("small", "unknown"), PRICES, "unknown"), ("", (), "{", "가격표")],
)
async def test_health_tells_of_prices_that_are_missing(
    store: UsageStore, tmp_path: Path, budgets: str, models: tuple[str, ...], text: str, named: str
) -> None:
    keeper = keeper_of(ledger_of(store, tmp_path, budgets), *models)
    (tmp_path / "prices.json").write_text(text, encoding="utf-8")
    async with keeper.running():
        state: Any = await keeper.health()
    assert state.state is CapabilityState.DEGRADED
    assert named in state.reason
