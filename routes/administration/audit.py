"""``/api/audit``: what administrators have changed. Reading only, and for administrators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime, BeforeValidator
from pydantic_core import PydanticKnownError

from routes.administration.conditions import require_admin
from routes.dependencies import ServicesDep
from routes.openapi import problem_responses
from schemas.administration.audit import AuditKind, AuditPage
from schemas.problems import ErrorCode
from utils.administration.audit_records import AuditFilter, target_of_document

router = APIRouter(prefix="/api/audit", tags=["audit"], dependencies=[Depends(require_admin)])

_MOST = 200
_LAST_ID = 2**31 - 1


def _written_out(value: object) -> object:
    """Refuse a number, which pydantic would take for seconds since 1970."""
    if isinstance(value, str) and "T" not in value.upper():
        raise PydanticKnownError("datetime_parsing", {"error": "no time"})
    return value


Moment = Annotated[AwareDatetime, BeforeValidator(_written_out)]


@router.get("", summary="관리 작업의 기록", responses=problem_responses(ErrorCode.VALIDATION_FAILED))
async def read_audit(
    services: ServicesDep,
    kind: Annotated[AuditKind | None, Query(description="작업의 종류.")] = None,
    client: Annotated[str | None, Query(min_length=1, max_length=200, description="API 클라이언트의 이름.")] = None,
    target: Annotated[str | None, Query(min_length=1, max_length=512, description="분야의 이름 같은 대상.")] = None,
    document: Annotated[
        str | None, Query(min_length=1, max_length=512, description="문서 id. 기록에는 요약값으로만 있습니다.")
    ] = None,
    since: Annotated[Moment | None, Query(description="이때부터 (시간대와 함께).")] = None,
    until: Annotated[Moment | None, Query(description="이때 전까지 (시간대와 함께).")] = None,
    before: Annotated[int | None, Query(ge=1, le=_LAST_ID, description="앞 쪽의 `next`.")] = None,
    limit: Annotated[int, Query(ge=1, le=_MOST, description="기록 수, 최근 것부터.")] = 50,
) -> AuditPage:
    """The youngest entries that fit."""
    aim = target_of_document(document) if document is not None else target
    wanted = AuditFilter(kind=kind, client=client, target=aim, since=since, until=until, older_than=before)
    return await services.audit.page(wanted, limit)
