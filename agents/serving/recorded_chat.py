"""Answers as the cache or the sessions give them, each noted by those who keep account of answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, Self

from opentelemetry.trace import get_current_span

from agents.serving.cached_chat import CachedChat
from agents.serving.session_chat import SessionChat
from schemas.chat import AnswerMeta, ChatRequest, ChatResponse, SubQuestion
from schemas.events import DoneEvent, StreamEvent
from utils.config.settings import Settings
from utils.observability.metrics import Metrics
from utils.observability.personal_data import mask_personal_data
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


class AnswerTraces:
    """Describes answers on the spans of their requests; ``content``: also with question and answer, as far as they are known.

    Of clients of ``excluded``, given by name, these are left out.
    """

    def __init__(self, *, content: bool, excluded: frozenset[str]) -> None:
        self._content = content
        self._excluded = excluded

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The recorder that the settings ask for."""
        return cls(content=settings.trace_content, excluded=frozenset(settings.question_log_excluded_clients))

    def note(self, request: ChatRequest, answer: AnswerMeta, client: str) -> None:
        """Describe an answer."""
        span = get_current_span()
        if not span.is_recording():
            return
        span.set_attributes(
            {
                "bizi.kind": answer.kind,
                "bizi.domains": answer.domains,
                "bizi.degraded": [lack.component.value for lack in answer.degraded],
                "bizi.cached": answer.cached,
                "bizi.model": answer.model,
                "bizi.sources": [str(source.metadata.get("id", "")) for source in answer.sources],
                "bizi.retries": answer.retry_count,
                "bizi.prompt_version": str(answer.trace.get("prompt_version", "")),
                "bizi.asks": len(answer.asks),
            }
        )
        parts = _sub_questions(answer)
        span.set_attribute("bizi.sub_questions", len(parts))
        if answer.evaluation is not None:
            span.set_attribute("bizi.score", answer.evaluation.total_score)
        if answer.session_id is not None:
            span.set_attribute("session.id", answer.session_id)
        if self._content and client not in self._excluded:
            span.set_attribute("langfuse.trace.input", mask_personal_data(request.message))
            asked = [f"{part.domain}: {mask_personal_data(part.question)}" for part in parts]
            span.set_attribute("bizi.sub_questions.text", asked)
            span.set_attribute("bizi.asks.text", [mask_personal_data(ask.text) for ask in answer.asks])
            if isinstance(answer, ChatResponse):
                span.set_attribute("langfuse.trace.output", mask_personal_data(answer.content))


def _sub_questions(answer: AnswerMeta) -> list[SubQuestion]:
    parts = answer.trace.get("sub_questions")
    return [part for part in parts if isinstance(part, SubQuestion)] if isinstance(parts, list) else []


class RecordedChat:
    """Answers questions for clients; one who leaves before the end has no answer, and nothing is noted."""

    def __init__(self, chat: CachedChat | SessionChat, recorders: Sequence[Recorder]) -> None:
        self._chat = chat
        self._recorders = tuple(recorders)

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse:
        """The whole answer; errors as `SessionChat.answer`."""
        response = await self._chat.answer(request, request_id, client)
        self._note(request, response, client)
        return response

    async def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]:
        """The events of the answer; as `SessionChat.stream`."""
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
