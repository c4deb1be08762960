"""``/api/assistants``: the assistants, and questions to one by its name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from routes.chat import Caller, ChargedChat, aclosing_stream, answered, frames_of
from routes.dependencies import AssistantService, RequireScope, ServicesDep, require_capacity, require_json
from routes.examples import EXAMPLE_ANSWER, EXAMPLE_STREAM
from routes.openapi import problem_responses, stream_response
from schemas.assistants import AssistantList
from schemas.chat import ChatResponse
from schemas.events import StreamEvent
from schemas.problems import ErrorCode
from utils.assistants.pack import NAME_PATTERN
from utils.http.access import AccessScope

_require_chat = RequireScope(AccessScope.CHAT)
_ASKED = [Depends(_require_chat), Depends(require_json), Depends(require_capacity)]
_PROBLEMS = problem_responses(ErrorCode.NOT_FOUND, ErrorCode.TIMEOUT, body=True)

PICTURED_PATHS = ("/api/assistants/*/chat", "/api/assistants/*/chat/stream")

router = APIRouter(prefix="/api/assistants", tags=["assistants"])


async def assistant_named(name: Annotated[str, Path(pattern=NAME_PATTERN)], services: ServicesDep) -> AssistantService:
    """The assistant of the path. Raises `ProblemError` where there is none, or it does not answer yet."""
    return services.assistants.get(name)


AssistantDep = Annotated[AssistantService, Depends(assistant_named)]


@router.get("", summary="비서의 목록과 준비 상태", dependencies=[Depends(_require_chat)], responses=problem_responses())
async def assistants(services: ServicesDep) -> AssistantList:
    """All assistants, the default one first, with what each takes and needs, and whether that is there."""
    return AssistantList(assistants=await asyncio.to_thread(services.assistants.listed))


@router.post(
    "/{name}/chat",
    summary="한 비서가 질문에 답한다",
    response_model=ChatResponse,
    dependencies=_ASKED,
    responses={200: {"content": {"application/json": {"example": EXAMPLE_ANSWER}}}, **_PROBLEMS},
)
async def chat(request: Request, assistant: AssistantDep, question: ChargedChat, caller: Caller) -> Response:
    """The whole answer of an assistant, as `/api/chat` gives that of the default one."""
    await assistant.check(question)
    return await answered(request, assistant.chat, question, caller)


async def open_stream(
    assistant: AssistantDep, question: ChargedChat, caller: Caller
) -> AsyncIterator[AsyncIterator[StreamEvent]]:
    """The events of an answer; the run ends with the request."""
    await assistant.check(question)
    async with aclosing_stream(assistant.chat, question, caller) as events:
        yield events


@router.post(
    "/{name}/chat/stream",
    summary="한 비서가 답하며 과정을 보낸다 (SSE)",
    response_class=EventSourceResponse,
    dependencies=_ASKED,
    responses={200: stream_response(*EXAMPLE_STREAM), **_PROBLEMS},
)
async def chat_stream(
    request: Request, events: Annotated[AsyncIterator[StreamEvent], Depends(open_stream)]
) -> AsyncIterator[ServerSentEvent]:
    """The answer of an assistant as it is written, as `/api/chat/stream`."""
    async for frame in frames_of(request, events):
        yield frame
