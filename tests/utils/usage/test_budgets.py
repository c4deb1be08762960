"""Budgets: whose, how much of them is spent, and when they renew."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.usage_stores import NOON, key, price_book, took
from utils.config.settings import Settings, SettingsError, load_settings
from utils.config.usage_settings import Budget, read_budgets
from utils.usage.budgets import ClientBudgets, renewal_of
from utils.usage.records import KOREA, SERVICE, UsageKey


def budgets_of(written: str) -> ClientBudgets:
    given = read_budgets(written)
    assert isinstance(given, dict)
    return ClientBudgets(given)


def test_budgets_are_read_from_one_line() -> None:
    settings = Settings.model_validate({"client_budgets": "web=20USD/month, kiosk = 500000tokens/day,*=1.5USD/day"})
    assert settings.client_budgets == {
        "web": Budget(Decimal(20), "USD", "month"),
        "kiosk": Budget(Decimal(500_000), "tokens", "day"),
        "*": Budget(Decimal("1.5"), "USD", "day"),
    }


@pytest.mark.parametrize("wrong", ["web", "web=20", "web=20 dollars/month", "web=-1USD/day", "web=1USD/week", "=1USD/day",
                                   "web=1USD/day,web=2USD/day"])  # fmt: skip
def test_what_is_no_budget_stops_the_start(wrong: str) -> None:
    with pytest.raises(SettingsError, match="CLIENT_BUDGETS"):
        load_settings({"CLIENT_BUDGETS": wrong})


def test_budgets_need_the_account_that_they_are_held_against() -> None:
    with pytest.raises(SettingsError, match="ENABLE_USAGE"):
        load_settings({"CLIENT_BUDGETS": "web=1USD/day", "ENABLE_USAGE": "false"})


@pytest.mark.parametrize(
    ("period", "now", "renews"),
    [
        ("day", datetime(2026, 11, 23, 23, 59, tzinfo=KOREA), date(2026, 11, 24)),
        ("month", datetime(2026, 11, 30, 12, tzinfo=KOREA), date(2026, 12, 1)),
        ("month", datetime(2026, 12, 31, 12, tzinfo=KOREA), date(2027, 1, 1)),
        ("month", datetime(2027, 1, 31, 12, tzinfo=KOREA), date(2027, 2, 1)),
    ],
)
def test_it_renews_at_midnight_in_korea(period: str, now: datetime, renews: date) -> None:
    budget = Budget(Decimal(1), "USD", "day" if period == "day" else "month")
    assert renewal_of(budget, now) == datetime(renews.year, renews.month, renews.day, tzinfo=KOREA)


def test_money_is_counted_by_the_price_of_each_day_and_tokens_as_they_are(tmp_path: Path) -> None:
    used = [
        (key(day=date(2026, 10, 31)), took(9_000_000, 0)),  # the month before
        (key(day=date(2026, 11, 9)), took(1_000_000, 0)),  # at 1
        (key(day=date(2026, 11, 23)), took(1_000_000, 0)),  # at 2
        (key(model="unknown"), took(1_000_000, 0)),
        (key("kiosk"), took(1_000_000, 0)),
    ]
    table = price_book(tmp_path).table
    spent = {
        written: budgets_of(written).spending("web", used, table, NOON)
        for written in ("web=3USD/month", "web=3USD/day", "web=5tokens/day")
    }
    assert [None if each is None else each.spent for each in spent.values()] == [3, 2, 2_000_000]
    assert [each is not None and each.is_exhausted for each in spent.values()] == [True, False, True]


def test_the_common_budget_is_for_clients_without_one_and_not_for_the_service() -> None:
    budgets = budgets_of("web=1USD/day,*=2USD/day")
    amounts = {
        client: budget and budget.amount for client in ("web", "kiosk", SERVICE) for budget in (budgets.of(client),)
    }
    assert amounts == {"web": 1, "kiosk": 2, SERVICE: None}
    assert budgets.clients(["kiosk", SERVICE]) == ["kiosk", "web"]
    assert budgets_of("web=1USD/day").of("kiosk") is None


def test_other_currencies_than_that_of_the_prices_are_found() -> None:
    assert budgets_of("web=1USD/day,kiosk=5tokens/day,shop=1000KRW/day").foreign_currencies("USD") == ["KRW"]


def test_what_others_use_is_none_of_ones_own(tmp_path: Path) -> None:
    of_others: list[tuple[UsageKey, object]] = [(key("kiosk"), took())]
    spending = budgets_of("web=1tokens/day").spending("web", of_others, price_book(tmp_path).table, NOON)  # type: ignore[arg-type]
    assert spending is not None
    assert spending.spent == 0
