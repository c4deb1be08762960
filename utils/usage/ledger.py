"""Counts of model calls in this process, and the budgets of those who make them.

Counts wait in memory until they are written, so that nobody who asks waits for a database; what has been written and what has not are
one sum for a budget. What was begun within the budget is finished: a client can overrun it by the answers that are under way when it
is used up, and by what other processes have spent since this one looked, which is about a second.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from datetime import date, datetime
from typing import Self

from schemas.usage import UsagePurpose
from utils.config.settings import Settings
from utils.observability.metrics import Metrics
from utils.routing.domain_pack import DomainDataError
from utils.usage.budgets import BudgetExhausted, ClientBudgets, Spending
from utils.usage.prices import PriceBook, PriceFileError, PriceTable
from utils.usage.records import UsageCounts, UsageKey, current_account, korean_now, total_of
from utils.usage.store import UsageBatch, UsageStore, UsageStoreError

_MOST_WAITING = 10_000  # keys: some ten a day and client

_admitted: ContextVar[bool | None] = ContextVar("admitted", default=None)
"""True for work that was begun within the budget, False beyond it; None: nobody has asked."""


class UsageRefused(RuntimeError):
    """The settings of usage can never work; the message is for whoever starts the service, and says what to do."""


class UsageLedger:
    """A `utils.usage.sink.UsageSink`. Without a ``store`` calls are told to the metrics alone.

    ``waiting`` calls are not written yet; ``lost`` ones could not even be kept.
    """

    def __init__(
        self,
        store: UsageStore | None,
        prices: PriceBook,
        budgets: ClientBudgets,
        metrics: Metrics,
        clock: Callable[[], datetime] = korean_now,
    ) -> None:
        self.store = store
        self.prices = prices
        self.budgets = budgets
        self._metrics = metrics
        self.clock = clock
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._pending: dict[UsageKey, UsageCounts] = {}
        self._batch: UsageBatch | None = None
        self._stored: Mapping[str, list[tuple[UsageKey, UsageCounts]]] = {}
        self.lost = 0

    @classmethod
    def from_settings(cls, settings: Settings, metrics: Metrics) -> Self:
        """Return the ledger that the settings ask for; nothing is connected to.

        Raises:
            UsageRefused: the prices cannot be read, a budget is in no currency of theirs, or the database cannot be used.
        """
        budgets = ClientBudgets(settings.client_budgets)
        try:
            prices = PriceBook(settings.price_file)
            store = UsageStore.from_settings(settings) if settings.enable_usage else None
        except PriceFileError as error:
            raise UsageRefused(f"PRICE_FILE: 가격표를 읽을 수 없습니다 ({error})") from error
        except DomainDataError as error:
            raise UsageRefused(f"USAGE_URL: {str(error).partition(': ')[2]}") from error
        if foreign := budgets.foreign_currencies(prices.table.currency):
            raise UsageRefused(
                f"CLIENT_BUDGETS: 가격표의 통화는 {prices.table.currency}입니다. {', '.join(foreign)} 예산은 비교할 수 없습니다."
            )
        return cls(store, prices, budgets, metrics)

    def admit(self) -> None:
        """Decide for all that follows in this context, and in those that come of it, whether it may call a model.

        Raises:
            BudgetExhausted: it may not, for the client has used up its budget.
        """
        exhausted = self._exhausted()
        _admitted.set(exhausted is None)
        if exhausted is not None:
            raise exhausted

    def check(self, purpose: UsagePurpose) -> None:
        """Refuse or return, for the client of the current context. What was admitted passes to its end.

        Raises:
            BudgetExhausted: it has used up its budget.
        """
        if _admitted.get():
            return
        if (exhausted := self._exhausted()) is not None:
            self._metrics.budget_refusals.labels(purpose.value).inc()
            raise exhausted

    def _exhausted(self) -> BudgetExhausted | None:
        spending = self.spending(current_account())
        if spending is None or not spending.is_exhausted:
            return None
        return BudgetExhausted((spending.renews - self.clock()).total_seconds())

    def note(self, purpose: UsagePurpose, model: str, counts: UsageCounts) -> None:
        """Count a call for the client of the current context; returns at once."""
        today = self.clock().date()
        self._tell(purpose, model, today, counts)
        if self.store is None:
            return
        key = UsageKey(today, current_account(), purpose, model)
        with self._lock:
            if key not in self._pending and len(self._pending) >= _MOST_WAITING:
                self.lost += counts.calls
                return
            self._pending[key] = self._pending.get(key, UsageCounts()) + counts
            self._metrics.usage_unsaved.set(self._waiting())

    def spending(self, client: str) -> Spending | None:
        """Return the budget of a client with what is spent of it, as far as is known here; None where it has none."""
        if self.budgets.of(client) is None:
            return None
        with self._lock:
            used = [*self._stored.get(client, ()), *self._pending.items()]
            used += self._batch.counts.items() if self._batch is not None else ()
        return self.budgets.spending(client, used, self.prices.table, self.clock())

    def spendings(self) -> list[Spending]:
        """Return the same for everybody who has a budget and has used some of it, or is named with it."""
        with self._lock:
            seen = {*self._stored, *(key.client for key in self._pending)}
        found = (self.spending(client) for client in self.budgets.clients(seen))
        return [spending for spending in found if spending is not None]

    def unpriced_in_budgets(self, models: Iterable[str]) -> list[str]:
        """Return those of some models that have no price today, though there are budgets in money."""
        table, today = self.prices.table, self.clock().date()
        return sorted(model for model in models if self.budgets.count_money and table.price(model, today) is None)

    def save(self, *, look: bool = False) -> None:
        """Write what waits and learn what others have spent; blocking. ``look``: even where there is nothing to write.

        Raises:
            UsageStoreError: it waits on, and is written by a later call: once, also where this one was not told in time.
        """
        if self.store is None:
            return
        with self._saving:
            with self._lock:
                if self._batch is None and self._pending:
                    self._batch, self._pending = UsageBatch.of(self._pending), {}
                batch = self._batch
            if batch is None and not (self.budgets or look):
                return
            try:
                sums = self.store.add(batch, self._since(), self.budgets.watched if self.budgets else ())
            except UsageStoreError:
                self._metrics.usage_write_failures.inc()
                raise
            stored = defaultdict(list)
            for key, counts in sums.items():
                stored[key.client].append((key, counts))
            with self._lock:
                self._stored, self._batch = dict(stored), None
                self._metrics.usage_unsaved.set(self._waiting())

    @property
    def waiting(self) -> int:
        """Calls that are not written yet."""
        with self._lock:
            return self._waiting()

    def _waiting(self) -> int:
        batch = () if self._batch is None else self._batch.counts.values()
        return total_of([*self._pending.values(), *batch]).calls

    def _since(self) -> date:
        """Return the first day of the longest period of a budget."""
        return self.clock().date().replace(day=1)

    def _tell(self, purpose: UsagePurpose, model: str, today: date, counts: UsageCounts) -> None:
        metrics, table = self._metrics, self.prices.table
        metrics.model_tokens.labels(purpose.value, "input").inc(counts.input_tokens)
        metrics.model_tokens.labels(purpose.value, "output").inc(counts.output_tokens)
        metrics.model_cached_tokens.labels(purpose.value).inc(counts.cached_tokens)
        metrics.model_estimated_tokens.labels(purpose.value).inc(counts.estimated_tokens)
        cost = _cost(table, model, today, counts)
        if cost is None:
            metrics.model_unpriced_tokens.labels(purpose.value).inc(counts.tokens)
        else:
            metrics.model_cost.labels(purpose.value, table.currency).inc(cost)


class WritesAtOnce:
    """A `utils.usage.sink.UsageSink` of a process that does nothing beside: each call is written when it is counted.

    A store that is away costs the count and nothing else.
    """

    def __init__(self, ledger: UsageLedger) -> None:
        self._ledger = ledger

    def check(self, purpose: UsagePurpose) -> None:
        """Pass: what the service does for itself has no budget."""
        self._ledger.check(purpose)

    def note(self, purpose: UsagePurpose, model: str, counts: UsageCounts) -> None:
        """Count a call and write it; blocking."""
        self._ledger.note(purpose, model, counts)
        try:
            self._ledger.save()
        except UsageStoreError:  # it waits for the next call
            return


def _cost(table: PriceTable, model: str, day: date, counts: UsageCounts) -> float | None:
    cost = table.cost(model, day, counts)
    return None if cost is None else float(cost)
