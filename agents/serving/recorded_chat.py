"""Answers as `agents.serving.cached_chat.CachedChat` gives them, each noted by those who keep account of answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from agents.serving.cached_chat import CachedChat
from schemas.chat import AnswerMeta, ChatRequest, ChatResponse
from schemas.events import DoneEvent, StreamEvent
from utils.observability.metrics import Metrics
from utils.resilience.cancellation import close_stream


class Recorder(Protocol):
    """Keeps account of answers, such as `agents.question_log.log.QuestionLog`."""

    def note(self, request: ChatRequest, answer: AnswerMeta, client: str) -> None:
        """Take a complete answer to a client, given by name; returns at once and never fails."""
        ...


class AnswerMetrics:
    """Counts answers."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def note(self, request: ChatRequest, answer: AnswerMeta, client: str) -> None:
        """Count an answer."""
        self._metrics.answered(answer)


class RecordedChat:
    """Answers questions for clients; one who leaves before the end has no answer, and nothing is noted."""

    def __init__(self, chat: CachedChat, recorders: Sequence[Recorder]) -> None:
        self._chat = chat
        self._recorders = tuple(recorders)

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse:
        """The whole answer; errors as `CachedChat.answer`."""
        response = await self._chat.answer(request, request_id, client)
        self._note(request, response, client)
        return response

    async def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]:
        """The events of the answer; as `CachedChat.stream`."""
        events = self._chat.stream(request, request_id, client)
        try:
            async for event in events:
                if isinstance(event, DoneEvent):
                    self._note(request, event, client)
                yield event
        finally:
            await close_stream(events)

    def _note(self, request: ChatRequest, answer: AnswerMeta, client: str) -> None:
        for recorder in self._recorders:
            recorder.note(request, answer, client)
