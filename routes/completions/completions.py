"""``/v1/chat/completions`` and ``/v1/models``: the assistants for programs that speak OpenAI's interface (docs/programs.md)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from routes.chat import Caller, aclosing_stream, with_failure
from routes.completions.answers import ChunkWriter, completion_of
from routes.completions.event_stream import event_stream
from routes.completions.example import EVENT_SCHEMA, EXAMPLE_CHUNKS
from routes.completions.questions import Asked, ChargedQuestion, without_effect
from routes.dependencies import (
    AssistantService,
    RequireScope,
    Services,
    ServicesDep,
    disconnected,
    require_capacity,
    require_json,
)
from routes.openapi import Responses, openai_error_responses
from schemas.assistants import AssistantItem
from schemas.completions.answers import Completion, ModelItem, ModelList
from schemas.problems import ErrorCode
from utils.http.access import AccessScope, ApiClient
from utils.http.problems import OPENAI_PREFIX, ProblemError
from utils.middleware.metrics import CLIENT_LEFT
from utils.observability.request_context import current_request_id
from utils.resilience.cancellation import run_while

_require_chat = RequireScope(AccessScope.CHAT)

PATH = f"{OPENAI_PREFIX}/chat/completions"

router = APIRouter(prefix=OPENAI_PREFIX, tags=["openai"], dependencies=[Depends(_require_chat)])

_ANSWERS: Responses = {
    200: {
        "description": "답변. stream이 true이면 이벤트 스트림이고, 그 마지막 data는 [DONE]입니다.",
        "content": {"text/event-stream": {"schema": EVENT_SCHEMA, "example": EXAMPLE_CHUNKS}},
    },
    **openai_error_responses(ErrorCode.NOT_FOUND, ErrorCode.TIMEOUT, body=True),
}


@router.post(
    "/chat/completions",
    summary="질문에 답한다 (OpenAI 호환)",
    response_model=Completion,
    dependencies=[Depends(require_json), Depends(require_capacity)],
    responses=_ANSWERS,
)
async def complete(request: Request, asked: ChargedQuestion, caller: Caller, services: ServicesDep) -> Response:
    """The answer of an assistant, with its citations as annotations and its sources as a list at the end of the text."""
    assistant = services.assistants.get(asked.wanted.model)
    await assistant.check(asked.question)
    if asked.wanted.stream:
        return event_stream(_chunks(request, asked, assistant, caller))
    work = assistant.chat.answer(asked.question, current_request_id(), caller.name)
    answer = await run_while(disconnected(request), work)
    if answer is None:
        return Response(status_code=CLIENT_LEFT)
    completion = completion_of(answer, asked.wanted.model, without_effect(asked.wanted))
    return Response(completion.model_dump_json(), media_type="application/json")


async def _chunks(request: Request, asked: Asked, assistant: AssistantService, caller: ApiClient) -> AsyncIterator[str]:
    options = asked.wanted.stream_options
    writer = ChunkWriter(
        current_request_id(),
        asked.wanted.model,
        without_effect(asked.wanted),
        include_usage=bool(options and options.include_usage),
    )
    async with aclosing_stream(assistant.chat, asked.question, caller) as events:
        async for data in writer.written(with_failure(request, events)):
            yield data


@router.get("/models", summary="비서의 목록 (OpenAI 호환)", responses=openai_error_responses())
async def models(services: ServicesDep) -> ModelList:
    """The assistants that answer, the default one first."""
    return ModelList(data=await _models(services))


@router.get(
    "/models/{model}",
    summary="비서 하나 (OpenAI 호환)",
    responses=openai_error_responses(ErrorCode.NOT_FOUND, ErrorCode.VALIDATION_FAILED),
)
async def model_named(model: Annotated[str, Path(min_length=1, max_length=64)], services: ServicesDep) -> ModelItem:
    """An assistant that answers."""
    found = next((item for item in await _models(services) if item.id == model), None)
    if found is None:
        raise ProblemError(ErrorCode.NOT_FOUND, "답하는 비서 가운데 그런 이름이 없습니다.")
    return found


async def _models(services: Services) -> list[ModelItem]:
    listed = await asyncio.to_thread(services.assistants.listed)
    return [_model_of(assistant) for assistant in listed if assistant.ready]


def _model_of(assistant: AssistantItem) -> ModelItem:
    return ModelItem(id=assistant.name, name=assistant.label, description=assistant.description)
