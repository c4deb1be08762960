"""Stores of usage for tests: real ones, each with nothing in it, and counts to write there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from uuid import uuid4

import psycopg
from sqlalchemy import make_url

from schemas.usage import UsagePurpose
from utils.config.usage_settings import read_budgets
from utils.observability.metrics import Metrics
from utils.observability.request_context import bind_client
from utils.usage.budgets import ClientBudgets
from utils.usage.ledger import UsageLedger
from utils.usage.prices import PriceBook
from utils.usage.records import KOREA, UsageCounts, UsageKey
from utils.usage.store import UsageStore

TODAY = date(2026, 11, 23)
NOON = datetime(2026, 11, 23, 12, tzinfo=KOREA)
SECONDS = 2.0

PRICES = """{
  "currency": "USD",
  "as_of": "2026-11-01",
  "models": {
    "small": [
      {"from": "2026-01-01", "input": 1, "cached_input": 0.5, "output": 4},
      {"from": "2026-11-10", "input": 2, "cached_input": 1, "output": 8}
    ]
  }
}
"""


def key(
    client: str = "web",
    model: str = "small",
    purpose: UsagePurpose = UsagePurpose.GENERATION,
    day: date = TODAY,
) -> UsageKey:
    """A place for counts."""
    return UsageKey(day, client, purpose, model)


def took(tokens: int = 100, written: int = 10, cached: int = 0, *, estimated: bool = False) -> UsageCounts:
    """The counts of a call."""
    return UsageCounts.of_call(tokens, written, cached, estimated=estimated)


def price_book(folder: Path, text: str = PRICES) -> PriceBook:
    """A table of prices in a folder."""
    file = folder / "prices.json"
    file.write_text(text, encoding="utf-8")
    return PriceBook(file)


def ledger_of(store: UsageStore | None, folder: Path, budgets: str = "", metrics: Metrics | None = None) -> UsageLedger:
    """A ledger at noon of `TODAY`."""
    given = read_budgets(budgets)
    assert isinstance(given, dict)
    return UsageLedger(store, price_book(folder), ClientBudgets(given), metrics or Metrics(), lambda: NOON)


def serve(client: str) -> None:
    """Have what follows in this context be done for an API client."""
    bind_client(f"client:{client}")


@contextmanager
def own_database(url: str) -> Iterator[str]:
    """The URL of a PostgreSQL database that nobody else has; it is dropped afterwards."""
    name = f"usage_{uuid4().hex[:12]}"
    plain = make_url(url).set(drivername="postgresql")
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        try:
            yield plain.set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())
