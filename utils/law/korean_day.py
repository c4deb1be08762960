"""The day in Korea, on which deadlines fall wherever the service runs."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

_KOREA = timezone(timedelta(hours=9))


def korean_day(moment: datetime | None = None) -> date:
    """Return the date in Korea at a moment, now where none is given."""
    return (moment or datetime.now(UTC)).astimezone(_KOREA).date()
