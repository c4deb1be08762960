"""``/api/tax-calendar``: the deadlines of a kind of business, as JSON and as an iCalendar file."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from routes.dependencies import RequireScope, TodayDep
from routes.openapi import problem_responses
from schemas.problems import ErrorCode, FieldProblem
from schemas.tax_calendar import CalendarEntry, TaxCalendar, TaxpayerKind
from utils.http.access import AccessScope
from utils.http.problems import ProblemError
from utils.law.calendar_file import CALENDAR_MEDIA_TYPE, calendar_file
from utils.law.tax_calendar import TaxDeadline, deadlines_between

router = APIRouter(prefix="/api", tags=["tax calendar"], dependencies=[Depends(RequireScope(AccessScope.CHAT))])

# Before, other rules held; far behind it, holidays are not known.
_FIRST, _LAST = 2024, 2035

Kinds = Annotated[
    list[TaxpayerKind] | None,
    Query(description="사업자의 종류(여러 번 쓸 수 있음). 비우면 모두입니다.", max_length=len(TaxpayerKind)),
]
Since = Annotated[
    str | None, Query(alias="from", pattern=r"^\d{4}-\d{2}-\d{2}$", description="첫날(YYYY-MM-DD). 비우면 오늘입니다.")
]
MonthCount = Annotated[int, Query(ge=1, le=24, description="몇 달 동안의 기한인지.")]


@router.get("/tax-calendar", summary="세금 일정", responses=problem_responses(ErrorCode.VALIDATION_FAILED))
async def tax_calendar(
    today: TodayDep, kind: Kinds = None, since: Since = None, months: MonthCount = 12
) -> TaxCalendar:
    """The deadlines that fall due in so many months, moved off weekends and holidays."""
    first = _first_day(since, today)
    until = _months_later(first, months)
    found = await asyncio.to_thread(deadlines_between, first, until, kind or list(TaxpayerKind))
    return TaxCalendar(since=first, until=until, entries=[_entry(upcoming) for upcoming in found])


@router.get(
    "/tax-calendar.ics",
    summary="세금 일정(iCalendar)",
    response_class=Response,
    responses={
        200: {"description": "iCalendar 파일(RFC 5545).", "content": {"text/calendar": {"schema": {"type": "string"}}}},
        **problem_responses(ErrorCode.VALIDATION_FAILED),
    },
)
async def tax_calendar_file(
    today: TodayDep, kind: Kinds = None, since: Since = None, months: MonthCount = 12
) -> Response:
    """The same deadlines as a file to take into a calendar."""
    first = _first_day(since, today)
    until = _months_later(first, months)
    found = await asyncio.to_thread(deadlines_between, first, until, kind or list(TaxpayerKind))
    headers = {"Content-Disposition": 'attachment; filename="tax-calendar.ics"'}
    return Response(calendar_file(found, datetime.now(UTC)), media_type=CALENDAR_MEDIA_TYPE, headers=headers)


def _first_day(text: str | None, today: date) -> date:
    """The day of a query.

    Raises:
        ProblemError: there is no such day, or none of the years that are computed.
    """
    try:
        day = date.fromisoformat(text) if text is not None else today
    except ValueError:
        day = date.min
    if not _FIRST <= day.year <= _LAST:
        message = f"{_FIRST}년부터 {_LAST}년까지의 날이어야 합니다."
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[FieldProblem(path="from", message=message)])
    return day


def _months_later(day: date, months: int) -> date:
    """The same day so many months later, or the first of the month behind it where that month is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    try:
        return date(year, month + 1, day.day)
    except ValueError:
        year, month = divmod(year * 12 + month + 1, 12)
        return date(year, month + 1, 1)


def _entry(upcoming: TaxDeadline) -> CalendarEntry:
    deadline = upcoming.deadline
    return CalendarEntry(
        key=deadline.key,
        name=deadline.name,
        due=upcoming.due,
        statutory=upcoming.statutory,
        kinds=list(deadline.kinds),
        binds=deadline.binds,
        rule=deadline.rule,
        law=deadline.law,
        moved_by=deadline.moved_by if upcoming.due != upcoming.statutory else None,
    )
