"""``/api/usage`` over HTTP: who sees whose usage, which days and groups, and what is said when there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from main import create_app
from routes.dependencies import Services
from schemas.problems import ErrorCode
from schemas.usage import UsagePurpose
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem
from tests.support.local_server import LocalServer
from tests.support.usage_stores import price_book, took
from utils.config.settings import Settings
from utils.config.usage_settings import read_budgets
from utils.observability.metrics import Metrics
from utils.observability.telemetry import Telemetry
from utils.usage.budgets import ClientBudgets
from utils.usage.keeper import UsageKeeper
from utils.usage.ledger import UsageLedger
from utils.usage.records import UsageKey, korean_now
from utils.usage.store import UsageBatch, UsageStore

KEYS = {"web": "chat", "shop": "chat", "ops": "admin"}
TODAY = korean_now().date()


@contextmanager
def running(folder: Path, store: UsageStore | None) -> Iterator[httpx.Client]:
    """The routes over a store, behind three API clients."""
    budgets = read_budgets("web=10USD/month")
    assert isinstance(budgets, dict)

    @asynccontextmanager
    async def factory(settings: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
        async with StubServices()(settings, telemetry) as services:
            if store is None:
                yield services
                return
            ledger = UsageLedger(store, price_book(folder), ClientBudgets(budgets), Metrics())
            keeper = UsageKeeper(ledger, store)
            async with keeper.running():
                yield replace(services, usage=keeper)

    keys = ",".join(f"{name}={name}-key-0123456789:{scope}" for name, scope in KEYS.items())
    settings = Settings.model_validate(
        {"data_dir": folder, "enable_docs": False, "enable_rate_limit": False, "api_keys": keys}
    )
    with (
        LocalServer(create_app(settings, factory), lifespan="on") as server,
        httpx.Client(base_url=server.url, timeout=20) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("usage")
    store = UsageStore.from_settings(Settings(data_dir=folder))
    counts = {
        UsageKey(TODAY - timedelta(days=back), client, purpose, "small"): took(1_000_000, 0)
        for back, client, purpose in (
            (0, "web", UsagePurpose.GENERATION),
            (0, "web", UsagePurpose.EVALUATION),
            (0, "shop", UsagePurpose.GENERATION),
            (40, "web", UsagePurpose.GENERATION),
        )
    }
    store.add(UsageBatch.of(counts), TODAY, ())
    with running(folder, store) as client:
        yield client


def told(service: httpx.Client, name: str, **query: Any) -> dict[str, Any]:
    response = ask(service, name, **query)
    assert response.status_code == 200, response.text
    report: dict[str, Any] = response.json()
    return report


def ask(service: httpx.Client, name: str, **query: Any) -> httpx.Response:
    return service.get("/api/usage", params=query, headers={"X-API-Key": f"{name}-key-0123456789"})


def test_an_admin_sees_all_clients(service: httpx.Client) -> None:
    report = told(service, "ops", by="client", first=TODAY.isoformat())
    assert {row["client"]: row["cost"] for row in report["rows"]} == {"web": 4, "shop": 2}
    assert report["total"]["calls"] == 3
    assert report["currency"] == "USD"
    (budget,) = report["budgets"]
    assert (budget["client"], budget["spent"] >= 4, budget["exceeded"]) == ("web", True, False)
    assert told(service, "ops", by="client", client="shop")["total"]["calls"] == 1


def test_another_client_sees_its_own_and_nothing_else(service: httpx.Client) -> None:
    report = told(service, "shop", by=["client", "purpose"])
    assert [(row["client"], row["purpose"]) for row in report["rows"]] == [("shop", "generation")]
    assert report["budgets"] == []
    assert told(service, "web", client="web", first=TODAY.isoformat())["total"]["calls"] == 2
    assert_problem(ask(service, "shop", client="web"), ErrorCode.FORBIDDEN)


def test_days_are_those_that_are_asked_for(service: httpx.Client) -> None:
    long_ago = TODAY - timedelta(days=40)
    whole = told(service, "web", by="day", first=long_ago.isoformat(), last=TODAY.isoformat())
    assert [row["day"] for row in whole["rows"]] == [long_ago.isoformat(), TODAY.isoformat()]
    then = told(service, "web", first=long_ago.isoformat(), last=long_ago.isoformat())
    assert then["total"]["calls"] == 1
    report = told(service, "web")
    assert (report["first"], report["last"]) == (TODAY.replace(day=1).isoformat(), TODAY.isoformat())


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"first": "2026-11-02", "last": "2026-11-01"}, "first"),
        ({"first": "2020-01-01", "last": "2026-11-01"}, "first"),
        ({"first": "yesterday"}, "first"),
        ({"by": "person"}, "by.0"),
        ({"limit": "0"}, "limit"),
        ({"offset": "-1"}, "offset"),
    ],
)
def test_what_cannot_be_asked_is_named(service: httpx.Client, query: dict[str, str], path: str) -> None:
    problem = assert_problem(ask(service, "ops", **query), ErrorCode.VALIDATION_FAILED)
    assert [error.path for error in problem.errors] == [path]


def test_it_needs_a_key(service: httpx.Client) -> None:
    assert_problem(service.get("/api/usage"), ErrorCode.UNAUTHORIZED)


def test_without_an_account_there_is_none(tmp_path: Path) -> None:
    with running(tmp_path, None) as client:
        assert_problem(ask(client, "ops"), ErrorCode.NOT_FOUND)


def test_a_store_that_is_away_is_a_problem_with_a_time(tmp_path: Path) -> None:
    with running(tmp_path, UsageStore("postgresql://127.0.0.1:1/none", 0.2)) as client:
        response = ask(client, "ops")
    assert_problem(response, ErrorCode.SERVICE_UNAVAILABLE)
    assert response.headers["Retry-After"]
