"""``/api/chat``: an answer as one JSON document or as a stream of events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from routes.dependencies import ChatService, RequireScope, disconnected, require_capacity, require_json, services_of
from routes.examples import EXAMPLE_ANSWER, EXAMPLE_STREAM
from routes.openapi import problem_responses, stream_response
from routes.problems.handlers import as_problem
from routes.sanitized_chat import SanitizedChat
from schemas.chat import ChatRequest, ChatResponse
from schemas.events import ErrorEvent, StreamEvent, TokenEvent
from schemas.problems import ErrorCode, FieldProblem
from utils.http.access import AccessScope, ApiClient
from utils.http.problems import ProblemError
from utils.middleware.metrics import CLIENT_LEFT, mark_failure, mark_first_token
from utils.middleware.rate_limit import check_allowed
from utils.observability.request_context import current_client, current_request_id
from utils.resilience.cancellation import close_stream, run_while
from utils.server.drain import Drain

_require_chat = RequireScope(AccessScope.CHAT)
Caller = Annotated[ApiClient, Depends(_require_chat)]


async def require_question(request: Request) -> None:
    """`require_json` and `require_capacity` in one: each dependency costs an answer from the cache a hundredth of its time."""
    await require_json(request)
    await require_capacity(request)


router = APIRouter(
    prefix="/api/chat",
    tags=["chat"],
    dependencies=[Depends(require_question)],
)
_PROBLEMS = problem_responses(ErrorCode.TIMEOUT, body=True)
_SYLLABLES_A_TOKEN = 100  # beyond the one of every request; most questions of people are shorter


async def charged_chat(request: Request, question: SanitizedChat) -> ChatRequest:
    """The question, once its length is paid for: analysing and searching cost what it is long, some ten times more."""
    limiter = services_of(request).rate_limiter
    if limiter is not None:
        tokens = len(question.message) // _SYLLABLES_A_TOKEN
        check_allowed(await limiter.take_more(current_client(), tokens))
    return question


ChargedChat = Annotated[ChatRequest, Depends(charged_chat)]


@router.post(
    "",
    summary="질문에 답한다",
    response_model=ChatResponse,
    responses={200: {"content": {"application/json": {"example": EXAMPLE_ANSWER}}}, **_PROBLEMS},
)
async def chat(request: Request, caller: Caller, question: ChargedChat) -> Response:
    """The whole answer. A client that leaves stops the work."""
    refuse_pictures(question)
    return await answered(request, services_of(request).chat, question, caller)


def refuse_pictures(question: ChatRequest) -> None:
    """Refuse a question with a picture: the advisory assistant takes none. Raises `ProblemError`."""
    if question.image is not None:
        wrong = FieldProblem(path="image", message="이 비서는 이미지를 받지 않습니다.")
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[wrong])


async def answered(request: Request, chat: ChatService, question: ChatRequest, caller: ApiClient) -> Response:
    """The answer of an assistant as a response; empty for a client that has left."""
    work = chat.answer(question, current_request_id(), caller.name)
    answer = await run_while(disconnected(request), work)
    if answer is None:
        return Response(status_code=CLIENT_LEFT)
    return Response(answer.model_dump_json(), media_type="application/json")


async def open_stream(
    request: Request, caller: Caller, question: ChargedChat
) -> AsyncIterator[AsyncIterator[StreamEvent]]:
    """The events of an answer; the run ends with the request, whoever ends it.

    Closing belongs here: FastAPI abandons the endpoint's generator when a client leaves, and only unwinds dependencies.
    """
    refuse_pictures(question)
    async with aclosing_stream(services_of(request).chat, question, caller) as events:
        yield events


@asynccontextmanager
async def aclosing_stream(
    chat: ChatService, question: ChatRequest, caller: ApiClient
) -> AsyncIterator[AsyncIterator[StreamEvent]]:
    """The events of an assistant's answer, for the block."""
    events = chat.stream(question, current_request_id(), caller.name)
    try:
        yield events
    finally:
        await close_stream(events)


@router.post(
    "/stream",
    summary="질문에 답하며 과정을 보낸다 (SSE)",
    response_class=EventSourceResponse,
    responses={200: stream_response(*EXAMPLE_STREAM), **_PROBLEMS},
)
async def chat_stream(
    request: Request, events: Annotated[AsyncIterator[StreamEvent], Depends(open_stream)]
) -> AsyncIterator[ServerSentEvent]:
    """The answer as it is written. A failure after the start is an `error` event, which is then the last."""
    async for frame in frames_of(request, events):
        yield frame


async def frames_of(request: Request, events: AsyncIterator[StreamEvent]) -> AsyncIterator[ServerSentEvent]:
    """The events as they go over the wire; a failure is the last of them."""
    number = 0
    async for event in with_failure(request, events):
        number += 1
        yield ServerSentEvent(event=event.type, id=str(number), data=event)


async def with_failure(request: Request, events: AsyncIterator[StreamEvent]) -> AsyncIterator[StreamEvent]:
    """The events; a failure is the last of them."""
    is_silent = True
    try:
        async for event in _until_stopped(events, request.state.drain):
            if is_silent and isinstance(event, TokenEvent):
                is_silent = False
                mark_first_token(request.scope)
            yield event
    except Exception as error:  # noqa: BLE001 - the answer has begun, so the stream itself must carry any failure
        failure = ErrorEvent(problem=as_problem(error).document(request.scope))
        mark_failure(request.scope, failure.problem.status)
        yield failure


async def _until_stopped(events: AsyncIterator[StreamEvent], drain: Drain) -> AsyncIterator[StreamEvent]:
    """The events, or the problem that the service stops before they are at an end."""
    while True:
        # around each event and not around all: a block that holds a ``yield`` may be interrupted outside of it (PEP 789)
        async with drain.interruptible():
            event = await anext(events, None)
        if event is None:
            return
        yield event
