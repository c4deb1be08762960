"""Rates and thresholds by date, out of ``data/calculators``: each period names its source, and no other day is guessed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from utils.calculators.result import YearUnknown
from utils.config.settings import PROJECT_ROOT

RATES_DIR = PROJECT_ROOT / "data" / "calculators"
_KEYS = frozenset({"since", "until", "laws", "notices"})


@dataclass(frozen=True, slots=True)
class Period:
    """The figures of a table from ``since`` to ``until`` (both included; without an end where the law has none)."""

    since: date
    until: date | None
    laws: tuple[str, ...]
    notices: tuple[str, ...]
    figures: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.figures[name]

    def rate(self, name: str) -> Decimal:
        """A figure as a decimal."""
        return Decimal(str(self.figures[name]))

    def brackets(self, name: str) -> tuple[tuple[Decimal | None, Decimal], ...]:
        """Progressive brackets as (upper bound in won or None, rate in percent), lowest first."""
        return tuple(
            (Decimal(row["upto"]) if "upto" in row else None, Decimal(str(row["percent"])))
            for row in self.figures[name]
        )

    def holds(self, on: date) -> bool:
        return self.since <= on and (self.until is None or on <= self.until)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of rates, latest period last."""

    label: str
    periods: tuple[Period, ...]


def rates(table: str, on: date) -> Period:
    """The period of a table that holds a day.

    Raises:
        YearUnknown: the table has no figures for that day.
    """
    read = read_table(RATES_DIR / f"{table}.toml")
    for period in read.periods:
        if period.holds(on):
            return period
    raise YearUnknown(read.label, on)


@cache
def read_table(path: Path) -> Table:
    """Read a table.

    Raises:
        ValueError: periods overlap or lack a source.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    periods = sorted((_period(entry) for entry in data["period"]), key=lambda period: period.since)
    for earlier, later in pairwise(periods):
        if earlier.until is None or earlier.until >= later.since:
            raise ValueError(f"{path.name}: periods overlap at {later.since}")
    if any(not (period.laws or period.notices) for period in periods):
        raise ValueError(f"{path.name}: a period names no source")
    return Table(data["label"], tuple(periods))


def _period(entry: dict[str, Any]) -> Period:
    return Period(
        since=entry["since"],
        until=entry.get("until"),
        laws=tuple(entry.get("laws", ())),
        notices=tuple(entry.get("notices", ())),
        figures={name: value for name, value in entry.items() if name not in _KEYS},
    )
