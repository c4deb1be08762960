"""``/api/funding``: support programmes (and notices of other packs) by condition, and their deadlines as a calendar."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from routes.dependencies import (
    FundingSearchService,
    RequireScope,
    ServicesDep,
    TodayDep,
    require_capacity,
    require_json,
)
from routes.openapi import problem_responses
from schemas.funding.notices import FundingSearchRequest, FundingSearchResults, NoticeItem
from schemas.notice_state import NoticeId
from schemas.problems import ErrorCode
from utils.http.access import AccessScope
from utils.http.problems import ProblemError
from utils.law.calendar_file import CALENDAR_MEDIA_TYPE, CalendarEvent, event_file

router = APIRouter(prefix="/api/funding", tags=["funding"], dependencies=[Depends(RequireScope(AccessScope.CHAT))])

_MOST_IDS = 50
_NAME = "공고 마감 일정"
_NO_DAYS = "고른 공고가 없거나, 마감일이 정해진 공고가 없습니다."
_OFF = "이 서비스는 공고를 찾지 않습니다."


async def funding_service(services: ServicesDep) -> FundingSearchService:
    """The search. Raises `ProblemError` where there is none."""
    if services.funding is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _OFF)
    return services.funding


Funding = Annotated[FundingSearchService, Depends(funding_service)]


@router.post(
    "/search",
    summary="지원사업 공고 찾기",
    response_model=FundingSearchResults,
    dependencies=[Depends(require_json), Depends(require_capacity)],
    responses=problem_responses(ErrorCode.NOT_FOUND, body=True),
)
async def search(wanted: FundingSearchRequest, funding: Funding, today: TodayDep) -> Response:
    """Notices that meet the conditions, with why each fits; the state of each is that of today in Korea."""
    found = await funding.search(wanted, today)
    return Response(found.model_dump_json(), media_type="application/json")


@router.get(
    "/notices.ics",
    summary="고른 공고의 마감 일정(iCalendar)",
    response_class=Response,
    responses={
        200: {"description": "iCalendar 파일(RFC 5545).", "content": {"text/calendar": {"schema": {"type": "string"}}}},
        **problem_responses(ErrorCode.NOT_FOUND, ErrorCode.VALIDATION_FAILED),
    },
)
async def notices_file(
    funding: Funding,
    today: TodayDep,
    ids: Annotated[
        list[NoticeId], Query(min_length=1, max_length=_MOST_IDS, description="공고의 id(여러 번 쓸 수 있음).")
    ],
) -> Response:
    """The deadlines of chosen notices, each an all-day event; 404 where none of them has one."""
    events = [_event(item) for item in await funding.by_ids(ids, today) if item.apply_end is not None]
    if not events:
        raise ProblemError(ErrorCode.NOT_FOUND, _NO_DAYS)
    headers = {"Content-Disposition": 'attachment; filename="notices.ics"'}
    return Response(event_file(_NAME, events, datetime.now(UTC)), media_type=CALENDAR_MEDIA_TYPE, headers=headers)


def _event(item: NoticeItem) -> CalendarEvent:
    assert item.apply_end is not None, "only notices with a deadline become events"
    notes = [f"기관: {item.agency}" if item.agency else "", item.url]
    return CalendarEvent(
        uid=f"notice-{item.pack}-{item.id}",
        day=item.apply_end,
        summary=f"[마감] {item.title}",
        description="\n".join(note for note in notes if note),
    )
