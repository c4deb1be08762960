"""The data files: every period names its source, periods do not overlap, and a day without figures is refused."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from utils.calculators.rates import RATES_DIR, rates, read_table
from utils.calculators.result import YearUnknown

TABLES = sorted(path.stem for path in RATES_DIR.glob("*.toml"))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_names_its_sources_and_refuses_the_days_before_and_after(name: str) -> None:
    table = read_table(RATES_DIR / f"{name}.toml")
    assert all(period.laws for period in table.periods)
    with pytest.raises(YearUnknown):
        rates(name, table.periods[0].since - timedelta(days=1))
    until = table.periods[-1].until
    if until is not None:
        assert rates(name, until) is table.periods[-1]
        with pytest.raises(YearUnknown, match=table.label):
            rates(name, until + timedelta(days=1))


def test_what_is_set_anew_each_year_ends_with_the_year() -> None:
    for name in (
        "minimum_wage",
        "social_insurance",
        "income_tax",
        "corporate_tax",
        "vat",
        "withholding",
        "tax_penalties",
    ):
        assert read_table(RATES_DIR / f"{name}.toml").periods[-1].until == date(2026, 12, 31)


OVERLAP = """
label = "겹침"
[[period]]
since = 2025-01-01
laws = ["민법 제1조"]
[[period]]
since = 2026-01-01
laws = ["민법 제1조"]
"""


def test_overlapping_or_unsourced_periods_are_refused(tmp_path: Path) -> None:
    (tmp_path / "overlap.toml").write_text(OVERLAP, encoding="utf-8")
    with pytest.raises(ValueError, match="overlap"):
        read_table(tmp_path / "overlap.toml")
    (tmp_path / "bare.toml").write_text('label = "x"\n[[period]]\nsince = 2025-01-01\n', encoding="utf-8")
    with pytest.raises(ValueError, match="source"):
        read_table(tmp_path / "bare.toml")
