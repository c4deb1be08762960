"""``/api/feedback``: whether an answer helped the one who asked."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from agents.question_log.journal import FEEDBACK_DAYS
from agents.question_log.log import LogUnavailable
from routes.dependencies import RequireScope, ServicesDep, require_json
from routes.openapi import problem_responses
from schemas.feedback import Feedback, FeedbackReason, FeedbackRequest
from schemas.problems import ErrorCode
from utils.http.access import AccessScope, ApiClient
from utils.http.problems import ProblemError, retry_after

_require_chat = RequireScope(AccessScope.CHAT)
_RETRY_SECONDS = 30.0
_UNKNOWN = (
    "이 request_id의 답변이 없습니다. 의견은 같은 API 키로 받은 답변에, 받은 날부터 "
    f"{FEEDBACK_DAYS}일 안에 남길 수 있습니다."
)
_NOT_TAKEN = "이 서비스는 질문을 기록하지 않아 의견을 받지 않습니다."
_NOT_KEPT = "지금은 의견을 저장할 수 없습니다. 잠시 후 다시 시도해 주세요."
_EXAMPLE = Feedback(
    request_id="0b0e6e5c7f1d4c0f9a53a4a4c1b7f4de",
    helpful=False,
    reason=FeedbackReason.NOT_ANSWERED,
    comment="간이과세자는 언제까지인지가 없어요.",
).model_dump(mode="json")

router = APIRouter(prefix="/api/feedback", tags=["chat"], dependencies=[Depends(_require_chat), Depends(require_json)])


@router.post(
    "",
    summary="답변이 도움이 되었는지 남긴다",
    responses={
        200: {"content": {"application/json": {"example": _EXAMPLE}}},
        **problem_responses(ErrorCode.NOT_FOUND, body=True),
    },
)
async def give_feedback(
    given: FeedbackRequest, caller: Annotated[ApiClient, Depends(_require_chat)], services: ServicesDep
) -> Feedback:
    """A verdict on an answer that the same API client got. A later one on the same answer takes its place."""
    if services.feedback is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _NOT_TAKEN)
    try:
        kept = await services.feedback.give(given, caller.name)
    except LogUnavailable as error:
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _NOT_KEPT, headers=retry_after(_RETRY_SECONDS)) from error
    if kept is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _UNKNOWN)
    return kept
