"""Answers as `agents.serving.cached_chat.CachedChat` gives them, in conversations that the service keeps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TypeVar

from agents.serving.cached_chat import CachedChat
from agents.sessions.conversation import Conversation, Owner
from agents.sessions.errors import SessionsUnavailable
from agents.sessions.store import SessionStore
from schemas.chat import AnswerMeta, ChatRequest, ChatResponse, Component, Degradation
from schemas.events import DoneEvent, ReplaceEvent, StreamEvent, TokenEvent
from utils.assistants.pack import DEFAULT_ASSISTANT
from utils.resilience.cancellation import close_stream

Meta = TypeVar("Meta", bound=AnswerMeta)

_NOT_READ = Degradation(
    component=Component.SESSIONS,
    reason="대화 저장소를 쓸 수 없어 이전 대화 없이 답했고, 이 답변을 저장하지 못했습니다.",
)
_NOT_KEPT = Degradation(component=Component.SESSIONS, reason="대화 저장소를 쓸 수 없어 이 답변을 저장하지 못했습니다.")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with the conversation before it. ``conversation`` is None where what follows cannot be kept."""

    request: ChatRequest
    conversation: Conversation | None
    missing: Degradation | None = None


class SessionChat:
    """Answers questions for clients. With a ``session_id`` the history is that of the session, unless the client sends it.

    A conversation belongs to the assistant that it is held with: the same id means another one to another assistant. It is read before the cache is looked into, whose key holds it. A turn is kept once, when its answer is finished: of a
    failure, or of a stream that the client leaves, nothing is.
    """

    def __init__(self, chat: CachedChat, store: SessionStore, assistant: str = DEFAULT_ASSISTANT) -> None:
        self._chat = chat
        self._store = store
        self._assistant = assistant

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse:
        """The whole answer; errors as `CachedChat.answer`.

        Raises:
            SessionBusy: an earlier question of the session is not answered in time.
        """
        if request.session_id is None:
            return await self._chat.answer(request, request_id, client)
        owner = Owner.of(request, client)
        async with self._store.turn(owner, request.session_id, self._assistant) as is_there:
            asked = await self._asked(request, request.session_id, owner, is_there)
            response = await self._chat.answer(asked.request, request_id, client)
            return await self._kept(asked, owner, response.content, response)

    async def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]:
        """The events of the answer; as `CachedChat.stream`, and `answer`."""
        if request.session_id is None:
            plain = self._chat.stream(request, request_id, client)
            try:
                async for event in plain:
                    yield event
            finally:
                await close_stream(plain)
            return
        owner = Owner.of(request, client)
        async with self._store.turn(owner, request.session_id, self._assistant) as is_there:
            asked = await self._asked(request, request.session_id, owner, is_there)
            told = ""
            events = self._chat.stream(asked.request, request_id, client)
            try:
                async for event in events:
                    told = _told(told, event)
                    yield await self._kept(asked, owner, told, event) if isinstance(event, DoneEvent) else event
            finally:
                await close_stream(events)

    async def _asked(self, request: ChatRequest, session_id: str, owner: Owner, is_there: bool) -> _Asked:
        missing = _NOT_KEPT if request.history else _NOT_READ
        if not is_there:
            return _Asked(request, None, missing)
        try:
            kept = await self._store.read(owner, session_id, self._assistant)
        except SessionsUnavailable:
            return _Asked(request, None, missing)
        now = self._store.clock()
        conversation = kept or Conversation.begun(session_id, now, self._assistant)
        if request.history:
            return _Asked(request, conversation.replaced_by(request.history, now))
        told: dict[str, object] = {"history": await asyncio.to_thread(conversation.history)}
        if request.session_state is None:
            told["session_state"] = conversation.state
        return _Asked(request.model_copy(update=told), conversation)

    async def _kept(self, asked: _Asked, owner: Owner, content: str, meta: Meta) -> Meta:
        """Keep the turn; the answer, or its last event, with what was missing."""
        missing = asked.missing
        if asked.conversation is not None:
            turn = asked.conversation.continued(
                asked.request.message, content, meta, self._store.clock(), self._store.max_turns
            )
            try:
                await self._store.write(owner, turn)
            except SessionsUnavailable:
                missing = _NOT_KEPT
        return meta if missing is None else meta.model_copy(update={"degraded": [*meta.degraded, missing]})


def _told(text: str, event: StreamEvent) -> str:
    """The text of the answer so far."""
    match event:
        case TokenEvent():
            return text + event.content
        case ReplaceEvent():
            return event.content
    return text
