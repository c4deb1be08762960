"""Answers as the cache or the sessions give them, each noted in the question log."""

from __future__ import annotations

from collections.abc import AsyncIterator

from agents.question_log.log import QuestionLog
from agents.serving.cached_chat import CachedChat
from agents.serving.session_chat import SessionChat
from schemas.chat import ChatRequest, ChatResponse
from schemas.events import DoneEvent, StreamEvent
from utils.resilience.cancellation import close_stream


class RecordedChat:
    """Answers questions for clients; one who leaves before the end has no answer, and nothing is noted."""

    def __init__(self, chat: CachedChat | SessionChat, log: QuestionLog) -> None:
        self._chat = chat
        self._log = log

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse:
        """The whole answer; errors as `SessionChat.answer`."""
        response = await self._chat.answer(request, request_id, client)
        self._log.note(request, response, client)
        return response

    async def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]:
        """The events of the answer; as `SessionChat.stream`."""
        events = self._chat.stream(request, request_id, client)
        try:
            async for event in events:
                if isinstance(event, DoneEvent):
                    self._log.note(request, event, client)
                yield event
        finally:
            await close_stream(events)
