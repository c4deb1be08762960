"""Budgets of clients: what is spent of them in the period that runs, and when they renew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from utils.config.usage_settings import EVERY_OTHER_CLIENT, TOKENS, Budget
from utils.usage.prices import PriceTable
from utils.usage.records import SERVICE, UsageCounts, UsageKey

Used = Iterable[tuple[UsageKey, UsageCounts]]


class BudgetExhausted(Exception):
    """The client has used its budget up; ``seconds`` until it renews."""

    def __init__(self, seconds: float) -> None:
        super().__init__("budget")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Spending:
    """A client's budget and how much of it is spent in the period that began on ``since``."""

    client: str
    budget: Budget
    spent: Decimal
    renews: datetime

    @property
    def is_exhausted(self) -> bool:
        """Return True if no more may be spent."""
        return self.spent >= self.budget.amount


class ClientBudgets:
    """The budgets of the settings. What the service does for itself has none.

    A budget in money is compared with the prices of its currency: what has no price costs nothing, and `/health` says so.
    """

    def __init__(self, budgets: Mapping[str, Budget]) -> None:
        self._budgets = dict(budgets)
        self._common = self._budgets.pop(EVERY_OTHER_CLIENT, None)

    def __bool__(self) -> bool:
        return bool(self._budgets) or self._common is not None

    @property
    def watched(self) -> Collection[str] | None:
        """The clients whose usage has to be known; None for all."""
        return None if self._common is not None else tuple(self._budgets)

    def of(self, client: str) -> Budget | None:
        """Return the budget of a client, None where it has none."""
        return None if client == SERVICE else self._budgets.get(client, self._common)

    def clients(self, seen: Iterable[str]) -> list[str]:
        """Return the names of those that have a budget: the named ones, and of those ``seen`` whom the common one is for."""
        return sorted({*self._budgets, *(client for client in seen if self.of(client) is not None)})

    def spending(self, client: str, used: Used, prices: PriceTable, now: datetime) -> Spending | None:
        """Return how much of its budget a client has spent; None where it has none. ``used`` may be of more days than count."""
        budget = self.of(client)
        if budget is None:
            return None
        since = begin_of(budget, now)
        spent = Decimal(0)
        for key, counts in used:
            if key.client != client or key.day < since:
                continue
            if budget.unit == TOKENS:
                spent += counts.tokens
            else:
                spent += prices.cost(key.model, key.day, counts) or 0
        return Spending(client, budget, spent, renewal_of(budget, now))

    @property
    def count_money(self) -> bool:
        """Return True if any budget is in money."""
        return any(budget.unit != TOKENS for budget in self._every())

    def foreign_currencies(self, currency: str) -> list[str]:
        """Return the currencies of budgets that the table of prices is not in."""
        return sorted({budget.unit for budget in self._every()} - {TOKENS, currency})

    def _every(self) -> list[Budget]:
        return [*self._budgets.values(), *([self._common] if self._common else [])]


def begin_of(budget: Budget, now: datetime) -> date:
    """Return the first day of the period that runs."""
    return now.date() if budget.period == "day" else now.date().replace(day=1)


def renewal_of(budget: Budget, now: datetime) -> datetime:
    """Return when the next period begins: midnight in the zone of ``now``."""
    begin = begin_of(budget, now)
    following = begin + timedelta(days=1) if budget.period == "day" else (begin + timedelta(days=32)).replace(day=1)
    return datetime(following.year, following.month, following.day, tzinfo=now.tzinfo)
