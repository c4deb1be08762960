"""``Retry-After`` as servers write it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.http.retry_after import parse_retry_after


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("-3", 0.0),
        ("0", 0.0),
        ("2", 2.0),
        ("1.5", 1.5),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)
def test_values(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value) == seconds


def test_a_date_to_come() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert parse_retry_after(date) == pytest.approx(60, abs=2)


@given(st.text())
def test_no_value_breaks_it(value: str) -> None:
    seconds = parse_retry_after(value)
    assert seconds is None or seconds >= 0
