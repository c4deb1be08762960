"""Reports: groups with their prices, what has none, pages."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from schemas.usage import UsageGroup, UsagePurpose, UsageReport
from tests.support.usage_stores import TODAY, key, price_book, took
from utils.usage.records import SERVICE
from utils.usage.report import UsageQuery, usage_report

BEFORE = date(2026, 11, 9)  # the price was half of today's
SUMS = {
    key(day=BEFORE): took(1_000_000, 0),
    key(): took(1_000_000, 0),
    key("kiosk", purpose=UsagePurpose.EVALUATION): took(0, 1_000_000, estimated=True),
    key(SERVICE, "unknown", UsagePurpose.EMBEDDING): took(500, 0),
}


def report(folder: Path, *groups: UsageGroup, offset: int = 0, limit: int = 100) -> UsageReport:
    query = UsageQuery(BEFORE, TODAY, None, groups, offset, limit)
    return usage_report(query, SUMS, price_book(folder).table, [])


def test_each_day_has_its_price_whatever_is_grouped_by(tmp_path: Path) -> None:
    for groups in ((), (UsageGroup.CLIENT,), tuple(UsageGroup)):
        found = report(tmp_path, *groups)
        assert found.total.cost == 1 + 2 + 8
        assert sum(row.cost for row in found.rows) == found.total.cost
        assert found.total.unpriced_tokens == 500
        assert found.unpriced_models == ["unknown"]
        assert (found.total.estimated_calls, found.total.estimated_tokens) == (1, 1_000_000)


@pytest.mark.parametrize(
    ("group", "costs"),
    [
        (UsageGroup.DAY, {BEFORE: 1, TODAY: 10}),
        (UsageGroup.CLIENT, {"web": 3, "kiosk": 8, None: 0}),
        (UsageGroup.PURPOSE, {UsagePurpose.GENERATION: 3, UsagePurpose.EVALUATION: 8, UsagePurpose.EMBEDDING: 0}),
        (UsageGroup.MODEL, {"small": 11, "unknown": 0}),
    ],
)
def test_groups_are_what_is_asked_for(tmp_path: Path, group: UsageGroup, costs: dict[object, float]) -> None:
    assert {getattr(row, group.value): row.cost for row in report(tmp_path, group).rows} == costs


def test_pages_hold_every_group_once(tmp_path: Path) -> None:
    whole = report(tmp_path, *UsageGroup)
    first = report(tmp_path, *UsageGroup, limit=3)
    assert first.next == 3
    last = report(tmp_path, *UsageGroup, offset=3, limit=3)
    assert last.next is None
    assert [*first.rows, *last.rows] == whole.rows
    assert first.groups == last.groups == 4
    assert first.total == whole.total
