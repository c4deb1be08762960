"""A chat service that answers by script: each question is a key, its answer the events of the stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from schemas.chat import ChatRequest, ChatResponse, Evaluation, Grounding, SentenceVerdict, SourceItem, Verdict
from schemas.events import CheckEvent, DoneEvent, SourceEvent, Stage, StatusEvent, StreamEvent, TokenEvent

HOLD = "hold"
"""In a script: the stream waits here until the client leaves or `ScriptedChat.go_on` is set."""
Script = Sequence[StreamEvent | str]


def sentence(start: int, text: str, verdict: Verdict, *sources: int, claims: Sequence[str] = ()) -> SentenceVerdict:
    return SentenceVerdict(
        start=start, end=start + len(text), verdict=verdict, sources=list(sources), unsupported_claims=list(claims)
    )


def told(
    content: str, sources: Sequence[SourceItem], checks: Sequence[SentenceVerdict], **meta: Any
) -> list[StreamEvent]:
    """The events of an answer that goes well."""
    passed = all(check.verdict is not Verdict.UNSUPPORTED for check in checks)
    grounding = Grounding(passed=passed, sentences=list(checks))
    values: dict[str, Any] = {
        "domain": "finance_tax",
        "domains": ["finance_tax"],
        "kind": "consult",
        "sources": list(sources),
        "evaluation": Evaluation(total_score=90, passed=passed, grounding=grounding),
        "model": "scripted",
        "request_id": "scripted-1",
    }
    return [
        StatusEvent(stage=Stage.GENERATE, label="답변을 작성하고 있습니다"),
        *(SourceEvent(source=source) for source in sources),
        TokenEvent(content=content),
        *(CheckEvent(check=check) for check in checks),
        DoneEvent(**(values | meta)),
    ]


class ScriptedChat:
    """Answers each question of ``scripts``; keeps the requests it got. ``left`` is set once a client left a held stream."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self.scripts = dict(scripts)
        self.received: list[ChatRequest] = []
        self.go_on = asyncio.Event()
        self.left = False

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse:
        raise NotImplementedError("pages ask for streams")

    async def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]:
        self.received.append(request)
        for event in self.scripts[request.message]:
            if isinstance(event, str):
                try:
                    await self.go_on.wait()
                finally:
                    self.left = not self.go_on.is_set()
            else:
                yield event.model_copy(update={"request_id": request_id}) if isinstance(event, DoneEvent) else event
