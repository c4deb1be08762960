"""Answers as they are written: the events of the stream, each of its own type."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import quote

import httpx
from httpx_sse import ServerSentEvent, aconnect_sse, connect_sse

from bizi_client.connection import Client
from bizi_client.errors import ProblemError, problem_of
from bizi_client.generated.models import (
    ActionEvent,
    ChatRequest,
    CheckEvent,
    DoneEvent,
    ErrorEvent,
    ReplaceEvent,
    SourceEvent,
    StatusEvent,
    TokenEvent,
)

AnswerEvent = StatusEvent | SourceEvent | TokenEvent | CheckEvent | ActionEvent | ReplaceEvent | DoneEvent
"""An event of an answer. The last one is a `DoneEvent`; an `ErrorEvent` is raised as `ProblemError`."""

_READERS: dict[str, Callable[[Mapping[str, Any]], AnswerEvent | ErrorEvent]] = {
    "status": StatusEvent.from_dict,
    "source": SourceEvent.from_dict,
    "token": TokenEvent.from_dict,
    "check": CheckEvent.from_dict,
    "action": ActionEvent.from_dict,
    "replace": ReplaceEvent.from_dict,
    "done": DoneEvent.from_dict,
    "error": ErrorEvent.from_dict,
}
_BROKEN_OFF = "the stream ended before its last event"


@contextmanager
def stream(client: Client, question: ChatRequest, assistant: str | None = None) -> Iterator[Iterator[AnswerEvent]]:
    """Ask, and yield the events of the answer as it is written. Leaving the block stops the service, too.

    Raises:
        ProblemError: the service refused, or failed on the way.
        httpx.TransportError: it cannot be reached, or the connection ended before the answer did.
    """
    with connect_sse(client.get_httpx_client(), "POST", _path(assistant), json=question.to_dict()) as source:
        if source.response.is_error:
            source.response.read()
            raise problem_of(source.response)
        yield _events(source.iter_sse())


@asynccontextmanager
async def astream(
    client: Client, question: ChatRequest, assistant: str | None = None
) -> AsyncIterator[AsyncIterator[AnswerEvent]]:
    """Ask as `stream` does, on the event loop; cancelling the task that reads stops the service, too."""
    asked = aconnect_sse(client.get_async_httpx_client(), "POST", _path(assistant), json=question.to_dict())
    async with asked as source:
        if source.response.is_error:
            await source.response.aread()
            raise problem_of(source.response)
        yield _async_events(source.aiter_sse())


def _path(assistant: str | None) -> str:
    return "/api/chat/stream" if assistant is None else f"/api/assistants/{quote(assistant, safe='')}/chat/stream"


def _events(frames: Iterator[ServerSentEvent]) -> Iterator[AnswerEvent]:
    for frame in frames:
        event = _read(frame)
        yield event
        if isinstance(event, DoneEvent):
            return
    raise httpx.RemoteProtocolError(_BROKEN_OFF)


async def _async_events(frames: AsyncIterator[ServerSentEvent]) -> AsyncIterator[AnswerEvent]:
    async for frame in frames:
        event = _read(frame)
        yield event
        if isinstance(event, DoneEvent):
            return
    raise httpx.RemoteProtocolError(_BROKEN_OFF)


def _read(frame: ServerSentEvent) -> AnswerEvent:
    event = _READERS[frame.event](json.loads(frame.data))
    if isinstance(event, ErrorEvent):
        raise ProblemError(event.problem)
    return event
