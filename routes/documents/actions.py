"""``/api/actions``: does what an action of an answer offers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from agents.executor import ActionNotExecutable, CalendarFile
from agents.paperwork.generation import GeneratedDocument
from routes.dependencies import RequireScope, ServicesDep, TodayDep, require_capacity, require_json
from routes.documents.documents import FILE_RESPONSES, document_response
from routes.openapi import Responses
from schemas.chat import ActionRequest, ActionType
from schemas.funding.notices import FundingSearchResults
from schemas.paperwork import PaperCheck, PaperRequest
from schemas.problems import ErrorCode, FieldProblem
from utils.http.access import AccessScope, ApiClient
from utils.http.problems import ProblemError

router = APIRouter(prefix="/api", tags=["actions"])

_require_chat = RequireScope(AccessScope.CHAT)
_NOT_EXECUTABLE = "실행할 수 있는 작업이 아닙니다. 안내된 곳에 문의하거나 params의 주소를 여십시오."
_SCOPES = {ActionType.DOCUMENT_GENERATION: AccessScope.DOCUMENTS}
_RESPONSES: Responses = {
    **FILE_RESPONSES,
    200: {
        **FILE_RESPONSES[200],
        "model": PaperCheck | FundingSearchResults,
        "content": {
            **FILE_RESPONSES[200]["content"],
            "text/calendar": {"schema": {"type": "string"}},
        },
    },
}


@router.post(
    "/actions",
    summary="답변이 권한 작업 실행",
    response_class=Response,
    responses=_RESPONSES,
    dependencies=[Depends(_require_chat), Depends(require_json), Depends(require_capacity)],
)
async def execute_action(
    request: Request,
    services: ServicesDep,
    today: TodayDep,
    action: Annotated[ActionRequest, Body()],
    client: Annotated[ApiClient, Depends(_require_chat)],
) -> Response:
    """The file or the notices that an action offers, given its ``type`` and ``params`` as the answer had them."""
    if (scope := _SCOPES.get(action.type)) is not None and scope not in client.scopes:
        raise ProblemError(ErrorCode.FORBIDDEN, f"이 API 키에는 {scope.value} 권한이 없습니다.")
    if action.type is ActionType.DOCUMENT_GENERATION:
        paper = _paper(action)

        async def work() -> GeneratedDocument:
            made = await services.actions.execute(action.type, paper.model_dump(), today)
            assert isinstance(made, GeneratedDocument)
            return made

        return await document_response(paper, work, request.state.metrics)
    try:
        result = await services.actions.execute(action.type, action.params, today)
    except ActionNotExecutable as error:
        raise ProblemError(
            ErrorCode.VALIDATION_FAILED, errors=[FieldProblem(path="type", message=_NOT_EXECUTABLE)]
        ) from error
    except ValidationError as error:
        raise _refused(error) from error
    if isinstance(result, FundingSearchResults):
        return Response(result.model_dump_json(), media_type="application/json")
    assert isinstance(result, CalendarFile)
    headers = {"Content-Disposition": 'attachment; filename="tax-calendar.ics"'}
    return Response(result.content, media_type=result.media_type, headers=headers)


def _paper(action: ActionRequest) -> PaperRequest:
    try:
        return PaperRequest.model_validate(action.params)
    except ValidationError as error:
        raise _refused(error) from error


def _refused(error: ValidationError) -> RequestValidationError:
    return RequestValidationError([{**found, "loc": ("body", "params", *found["loc"])} for found in error.errors()])
