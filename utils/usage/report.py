"""Sums of usage with their prices, grouped as they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from schemas.usage import BudgetState, UsageGroup, UsagePurpose, UsageReport, UsageRow, UsageSum
from utils.usage.budgets import Spending
from utils.usage.prices import PriceTable
from utils.usage.records import SERVICE, UsageCounts, UsageKey

_PLACES = 9
_Group = tuple[date | None, str | None, UsagePurpose | None, str | None]


@dataclass(frozen=True, slots=True)
class UsageQuery:
    """Days from ``first`` to ``last``, of a client or of all (None), and a page of the groups."""

    first: date
    last: date
    client: str | None
    groups: tuple[UsageGroup, ...]
    offset: int
    limit: int


class _Priced:
    """A sum that is being added up."""

    def __init__(self) -> None:
        self.counts, self.cost, self.unpriced = UsageCounts(), Decimal(0), 0

    def add(self, counts: UsageCounts, cost: Decimal | None) -> None:
        self.counts += counts
        self.cost += cost or 0
        self.unpriced += counts.tokens if cost is None else 0

    def told(self) -> dict[str, float]:
        """Return the fields of a `UsageSum`."""
        return {
            "calls": self.counts.calls,
            "input_tokens": self.counts.input_tokens,
            "cached_input_tokens": self.counts.cached_tokens,
            "output_tokens": self.counts.output_tokens,
            "estimated_calls": self.counts.estimated_calls,
            "estimated_tokens": self.counts.estimated_tokens,
            "cost": round(float(self.cost), _PLACES),
            "unpriced_tokens": self.unpriced,
        }


def usage_report(
    query: UsageQuery, sums: Mapping[UsageKey, UsageCounts], prices: PriceTable, spendings: Iterable[Spending]
) -> UsageReport:
    """Return the page of groups that ``query`` asks for; ``sums`` are by day and model and by what is grouped by."""
    groups: dict[_Group, _Priced] = defaultdict(_Priced)
    total, unpriced = _Priced(), set()
    for key, counts in sums.items():
        cost = prices.cost(key.model, key.day, counts)
        if cost is None:
            unpriced.add(key.model)
        groups[_group(key, query.groups)].add(counts, cost)
        total.add(counts, cost)
    ordered = sorted(groups.items(), key=lambda item: tuple("" if part is None else str(part) for part in item[0]))
    following = query.offset + query.limit
    return UsageReport(
        first=query.first,
        last=query.last,
        group_by=list(query.groups),
        rows=[_row(group, priced) for group, priced in ordered[query.offset : following]],
        groups=len(ordered),
        next=following if following < len(ordered) else None,
        total=UsageSum.model_validate(total.told()),
        currency=prices.currency,
        prices_as_of=prices.as_of,
        unpriced_models=sorted(unpriced),
        budgets=[_budget_state(spending) for spending in spendings],
    )


def _group(key: UsageKey, groups: Sequence[UsageGroup]) -> _Group:
    return (
        key.day if UsageGroup.DAY in groups else None,
        key.client if UsageGroup.CLIENT in groups else None,
        key.purpose if UsageGroup.PURPOSE in groups else None,
        key.model if UsageGroup.MODEL in groups else None,
    )


def _row(group: _Group, priced: _Priced) -> UsageRow:
    day, client, purpose, model = group
    named = {"day": day, "client": None if client == SERVICE else client, "purpose": purpose, "model": model}
    return UsageRow.model_validate({**named, **priced.told()})


def _budget_state(spending: Spending) -> BudgetState:
    return BudgetState(
        client=spending.client,
        unit=spending.budget.unit,
        limit=float(spending.budget.amount),
        spent=round(float(spending.spent), _PLACES),
        period=spending.budget.period,
        renews_at=spending.renews,
        exceeded=spending.is_exhausted,
    )
