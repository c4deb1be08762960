"""An executor that answers at once, and tells in its answer what it was asked with."""

from __future__ import annotations

import asyncio

from agents.serving.cached_chat import CachedChat
from agents.state import Emit
from schemas.chat import ChatRequest, ChatResponse, SourceItem
from schemas.events import ReplaceEvent, TokenEvent
from utils.resilience.response_cache import AnswerBasis, ResponseCache

BASIS = AnswerBasis("bizi", "1.0", "settings", "extractive", "prompts", "index-1", "domains", "2026-11-20")
SOURCE = SourceItem(index=1, title="제49조", content="25일", source="법령")


class TellingExecutor:
    """Answers when ``gate`` opens; ``버그`` fails, and of ``고침`` the words streamed first are replaced."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.begun = asyncio.Event()
        self.received: list[ChatRequest] = []

    async def answer(self, request: ChatRequest, request_id: str, emit: Emit | None = None) -> ChatResponse:
        self.received.append(request)
        content = f"{len(request.history)}개의 말 뒤에 {request.message}에 답합니다. [1]"
        if emit:
            emit(TokenEvent(content=content[:6]))
        self.begun.set()
        await self.gate.wait()
        if "버그" in request.message:
            raise RuntimeError
        if emit and "고침" in request.message:
            emit(ReplaceEvent(reason="retry", content=content, sources=[SOURCE]))
        elif emit:
            emit(TokenEvent(content=content[6:]))
        return ChatResponse(
            content=content,
            domain="finance_tax",
            domains=["finance_tax"],
            kind="consult",
            sources=[SOURCE],
            model="extractive",
            request_id=request_id,
        )

    def histories(self) -> list[list[str]]:
        """The texts of the history of each run."""
        return [[turn.content for turn in request.history] for request in self.received]

    def cached(self) -> CachedChat:
        """A chat over it with a cache of its own."""
        return CachedChat(self, lambda: BASIS, ResponseCache(100, 3600))  # type: ignore[arg-type]
