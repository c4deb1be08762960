"""The ledger: counts by client, one sum of what is written and what waits, and budgets that end the calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import cast

import pytest

from schemas.usage import UsageGroup, UsagePurpose
from tests.support.usage_stores import SECONDS, TODAY, ledger_of, price_book, serve, took
from utils.config.settings import Settings
from utils.observability.metrics import Metrics
from utils.observability.request_context import bind_client
from utils.usage.budgets import BudgetExhausted
from utils.usage.ledger import UsageLedger, UsageRefused, WritesAtOnce
from utils.usage.records import SERVICE, UsageCounts
from utils.usage.store import UsageStore, UsageStoreError

GENERATION = UsagePurpose.GENERATION
ALL = tuple(UsageGroup)


class UnsureStore(UsageStore):
    """A store that does what it is asked for, and whose answer is lost on the way."""

    def add(self, *given: object) -> dict[object, UsageCounts]:  # type: ignore[override]
        super().add(*given)  # type: ignore[arg-type]
        raise UsageStoreError("timeout")


def sums(store: UsageStore) -> dict[tuple[str, UsagePurpose, str], UsageCounts]:
    return {(key.client, key.purpose, key.model): counts for key, counts in store.sums(TODAY, TODAY, None, ALL).items()}


def test_calls_are_counted_for_whom_they_are_made(store: UsageStore, tmp_path: Path) -> None:
    ledger = ledger_of(store, tmp_path)
    ledger.note(UsagePurpose.EMBEDDING, "vectors", took())
    serve("web")
    ledger.note(GENERATION, "small", took())
    bind_client("address:10.0.0.0/24")  # without API keys
    ledger.note(GENERATION, "small", took())
    ledger.save()
    assert set(sums(store)) == {
        (SERVICE, UsagePurpose.EMBEDDING, "vectors"),
        ("web", GENERATION, "small"),
        ("local", GENERATION, "small"),
    }


def test_calls_of_many_threads_are_all_counted(store: UsageStore, tmp_path: Path) -> None:
    ledger = ledger_of(store, tmp_path)
    serve("web")
    contexts = [copy_context() for _ in range(200)]
    with ThreadPoolExecutor(8) as threads:
        for each in threads.map(lambda context: context.run(ledger.note, GENERATION, "small", took(1, 1)), contexts):
            assert each is None
            if ledger.waiting > 50:
                ledger.save()
    ledger.save()
    assert sums(store)["web", GENERATION, "small"].calls == 200


def test_what_could_not_be_written_waits_and_is_written_once(url: str, tmp_path: Path) -> None:
    metrics = Metrics()
    ledger = ledger_of(UnsureStore(url, SECONDS), tmp_path, metrics=metrics)
    serve("web")
    ledger.note(GENERATION, "small", took())
    with pytest.raises(UsageStoreError):
        ledger.save()
    ledger.note(GENERATION, "small", took())
    assert ledger.waiting == 2
    ledger.store = UsageStore(url, SECONDS)
    ledger.save()  # the batch that was there already
    ledger.save()  # what came since
    assert ledger.waiting == 0
    assert sums(ledger.store)["web", GENERATION, "small"] == took() + took()
    assert metrics.exposed.get_sample_value("bizi_usage_write_failures_total") == 1
    assert metrics.exposed.get_sample_value("bizi_usage_unsaved_calls") == 0


def test_a_budget_counts_what_is_written_what_waits_and_what_others_spent(store: UsageStore, tmp_path: Path) -> None:
    ledger, other = (ledger_of(store, tmp_path, "web=100tokens/day") for _ in range(2))
    serve("web")
    ledger.note(GENERATION, "small", took(30, 10))
    ledger.check(GENERATION)
    ledger.save()
    ledger.note(GENERATION, "small", took(30, 10))
    ledger.check(GENERATION)
    other.note(UsagePurpose.UNDERSTANDING, "small", took(10, 10))
    other.save()
    ledger.check(GENERATION)  # it has not looked since
    ledger.save()
    with pytest.raises(BudgetExhausted) as raised:
        ledger.check(GENERATION)
    assert raised.value.seconds == 12 * 3600
    serve("kiosk")
    ledger.check(GENERATION)


def test_what_was_begun_within_the_budget_is_finished_and_nothing_else(tmp_path: Path) -> None:
    ledger = ledger_of(None, tmp_path, "web=100tokens/day")
    ledger.store = UsageStore("postgresql://127.0.0.1:1/none", 0.2)
    serve("web")
    begun, later = copy_context(), copy_context()
    begun.run(ledger.admit)
    begun.run(ledger.note, GENERATION, "small", took(100, 0))
    begun.run(ledger.check, GENERATION)
    with pytest.raises(BudgetExhausted):
        later.run(ledger.admit)
    with pytest.raises(BudgetExhausted):
        later.run(ledger.check, GENERATION)


def test_a_restart_does_not_begin_a_budget_anew(store: UsageStore, tmp_path: Path) -> None:
    serve("web")
    before = ledger_of(store, tmp_path, "web=100tokens/day")
    before.note(GENERATION, "small", took(100, 0))
    before.save()
    after = ledger_of(store, tmp_path, "web=100tokens/day")
    after.save()
    with pytest.raises(BudgetExhausted):
        after.check(GENERATION)


def test_a_store_that_is_away_does_not_open_the_budget(tmp_path: Path) -> None:
    ledger = ledger_of(UsageStore("postgresql://127.0.0.1:1/none", 0.2), tmp_path, "web=100tokens/day")
    serve("web")
    for tokens in (60, 60):
        ledger.check(GENERATION)
        ledger.note(GENERATION, "small", took(tokens, 0))
        with pytest.raises(UsageStoreError):
            ledger.save()
    with pytest.raises(BudgetExhausted):
        ledger.check(GENERATION)


def test_memory_is_bounded_while_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utils.usage.ledger._MOST_WAITING", 2)
    ledger = ledger_of(UsageStore("postgresql://127.0.0.1:1/none", 0.2), tmp_path)
    for model in ("a", "b", "c", "a"):
        ledger.note(GENERATION, model, took())
    assert (ledger.waiting, ledger.lost) == (3, 1)


def test_tokens_and_money_are_told_to_the_metrics(tmp_path: Path) -> None:
    metrics = Metrics()
    ledger = ledger_of(None, tmp_path, metrics=metrics)
    ledger.note(GENERATION, "small", took(1_000_000, 1_000_000, 500_000))
    ledger.note(GENERATION, "unknown", took(5, 5, estimated=True))

    def seen(name: str, **labels: str) -> float:
        return cast("float", metrics.exposed.get_sample_value(name, {"purpose": "generation", **labels}))

    assert seen("bizi_model_cost_total", currency="USD") == pytest.approx(1 + 0.5 + 8)
    assert seen("bizi_model_tokens_total", direction="input") == 1_000_005
    assert seen("bizi_model_cached_tokens_total") == 500_000
    assert seen("bizi_model_unpriced_tokens_total") == 10
    assert seen("bizi_model_estimated_tokens_total") == 10


def test_a_budget_in_another_currency_than_the_prices_stops_the_start(tmp_path: Path) -> None:
    price_book(tmp_path)
    settings = Settings.model_validate({"client_budgets": "web=1000KRW/day", "price_file": tmp_path / "prices.json"})
    with pytest.raises(UsageRefused, match=r"CLIENT_BUDGETS.*KRW"):
        UsageLedger.from_settings(settings, Metrics())


def test_prices_that_cannot_be_read_stop_the_start(tmp_path: Path) -> None:
    with pytest.raises(UsageRefused, match="PRICE_FILE"):
        UsageLedger.from_settings(Settings(price_file=tmp_path / "none.json"), Metrics())


def test_a_build_writes_each_call_and_goes_on_without_the_store(store: UsageStore, tmp_path: Path) -> None:
    WritesAtOnce(ledger_of(store, tmp_path)).note(UsagePurpose.EMBEDDING, "vectors", took())
    assert sums(store) == {(SERVICE, UsagePurpose.EMBEDDING, "vectors"): took()}
    away = ledger_of(UsageStore("postgresql://127.0.0.1:1/none", 0.2), tmp_path)
    WritesAtOnce(away).note(UsagePurpose.EMBEDDING, "vectors", took())
    assert away.waiting == 1


def test_a_price_that_a_budget_needs_is_asked_for(tmp_path: Path) -> None:
    models = ("small", "unknown")
    assert ledger_of(None, tmp_path, "web=1USD/day").unpriced_in_budgets(models) == ["unknown"]
    assert ledger_of(None, tmp_path, "web=1tokens/day").unpriced_in_budgets(models) == []
