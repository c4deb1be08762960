"""``/api/assistants/{name}/transcribe``: a spoken question as text, to be asked like any other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from routes.assistants.assistants import AssistantDep
from routes.dependencies import RequireScope, disconnected, require_capacity
from routes.openapi import problem_responses
from schemas.assistants import Transcript
from schemas.problems import ErrorCode, FieldProblem
from utils.http.access import AccessScope
from utils.http.problems import ProblemError
from utils.middleware.metrics import CLIENT_LEFT
from utils.resilience.cancellation import run_while
from utils.sanitizing.sanitize import printable

PATH = "/api/assistants/*/transcribe"
_FIELD = "file"
_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [_FIELD],
                    "additionalProperties": False,
                    "properties": {
                        _FIELD: {
                            "type": "string",
                            "format": "binary",
                            "description": "한국어 음성: MP3, M4A(MP4), WAV, OGG, FLAC, WebM.",
                        }
                    },
                }
            }
        },
    }
}

router = APIRouter(
    prefix="/api/assistants", tags=["assistants"], dependencies=[Depends(RequireScope(AccessScope.CHAT))]
)


async def read_recording(request: Request) -> AsyncIterator[UploadFile]:
    """The file of the upload; it goes with the request. Raises `ProblemError` for any other form."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "multipart/form-data":
        raise ProblemError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Content-Type은 multipart/form-data여야 합니다.")
    try:
        form = await request.form(max_files=1, max_fields=1)
    except HTTPException as error:
        if error.status_code != 400:
            raise
        detail = "올린 내용을 읽을 수 없습니다. 파일 하나를 file 항목에 넣어 주세요."
        raise ProblemError(ErrorCode.MALFORMED_REQUEST, detail) from error
    try:
        problems = [
            FieldProblem(path=printable(name, 100), message="알 수 없는 항목입니다.") for name in form if name != _FIELD
        ]
        file = form.get(_FIELD)
        if not isinstance(file, UploadFile):
            problems.append(FieldProblem(path=_FIELD, message="파일이 필요합니다."))
            raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=problems)
        if problems:
            raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=problems)
        yield file
    finally:
        await form.close()


@router.post(
    "/{name}/transcribe",
    summary="음성으로 된 질문을 글로 옮긴다",
    response_model=Transcript,
    dependencies=[Depends(require_capacity)],
    responses=problem_responses(
        ErrorCode.NOT_FOUND, ErrorCode.TIMEOUT, ErrorCode.BAD_GATEWAY, ErrorCode.BUDGET_EXCEEDED, body=True
    ),
    openapi_extra=_FORM,
)
async def transcribe(
    request: Request, assistant: AssistantDep, file: Annotated[UploadFile, Depends(read_recording)]
) -> Response:
    """Answer with the words of a recording; ask them as the ``message`` of a question. A client that leaves stops the work."""
    text = await run_while(disconnected(request), assistant.transcribed(await file.read()))
    if text is None:
        return Response(status_code=CLIENT_LEFT)
    return Response(Transcript(text=text).model_dump_json(), media_type="application/json")
