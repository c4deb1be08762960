"""From an answer of `/api/chat` to a completion, whole or in pieces.

What was streamed cannot be taken back. So a stream whose answer is replaced goes on with a line that says why, and the whole new
answer behind it: `bizi.answer_start` of the last piece is where the answer that holds begins, and all citations lie behind it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

from agents.serving.answer_text import correction, source_list
from schemas.chat import AnswerMeta, ChatResponse, SourceItem
from schemas.completions.answers import (
    Annotation,
    AnswerDetails,
    Choice,
    ChunkChoice,
    Completion,
    CompletionChunk,
    CompletionMessage,
    CompletionUsage,
    Delta,
    PromptTokensDetails,
    UrlCitation,
)
from schemas.completions.errors import OpenAIError
from schemas.events import DoneEvent, ErrorEvent, ReplaceEvent, StreamEvent, TokenEvent
from utils.documents import on_one_line
from utils.grounding.answer_sentences import CITATION, cited_numbers


def completion_of(answer: ChatResponse, model: str, unused: list[str]) -> Completion:
    """The whole answer; ``unused`` are the parameters that were taken without effect."""
    message = CompletionMessage(
        content=answer.content + source_list(answer.sources),
        annotations=list(citations(answer.content, answer.sources, 0)),
    )
    return Completion(
        id=_id_of(answer.request_id),
        created=int(time.time()),
        model=model,
        choices=[Choice(message=message)],
        usage=_usage_of(answer),
        bizi=_details_of(answer, 0, unused),
    )


def citations(answer: str, sources: Sequence[SourceItem], start: int) -> Iterable[Annotation]:
    """The citations of an answer that begins at character ``start`` of its message, a source at a time."""
    by_number = {source.index: source for source in sources}
    for mark in CITATION.finditer(answer):
        for number in cited_numbers(mark[0]):
            if (source := by_number.get(number)) is not None:
                cited = UrlCitation(
                    start_index=start + mark.start(),
                    end_index=start + mark.end(),
                    title=on_one_line(source.title),
                    url=source.url,
                )
                yield Annotation(url_citation=cited)


class ChunkWriter:
    """Writes the events of an answer as the data of chunks."""

    def __init__(self, request_id: str, model: str, unused: list[str], *, include_usage: bool) -> None:
        self._id = _id_of(request_id)
        self._created = int(time.time())
        self._model = model
        self._unused = unused
        self._include_usage = include_usage
        self._told = ""
        self._start = 0  # of the answer that holds

    async def written(self, events: AsyncIterator[StreamEvent]) -> AsyncIterator[str]:
        """The data of one chunk after the other, and ``[DONE]`` behind the last; an error ends them instead."""
        yield self._chunk(Delta(role="assistant", content=""))
        async for event in events:
            match event:
                case TokenEvent():
                    yield self._text(event.content)
                case ReplaceEvent():
                    notice = correction(event.reason) if self._told else ""
                    self._start = len(self._told) + len(notice)
                    yield self._text(notice + event.content)
                case ErrorEvent():
                    yield OpenAIError.of(event.problem).model_dump_json()
                    return
                case DoneEvent():
                    for data in self._end(event):
                        yield data
        yield "[DONE]"

    def _text(self, content: str) -> str:
        self._told += content
        return self._chunk(Delta(content=content))

    def _end(self, done: DoneEvent) -> Iterable[str]:
        cited = list(citations(self._told[self._start :], done.sources, self._start))
        if sources := source_list(done.sources):
            yield self._text(sources)
        choice = ChunkChoice(delta=Delta(annotations=cited) if cited else Delta(), finish_reason="stop")
        yield self._dumped([choice], bizi=_details_of(done, self._start, self._unused))
        if self._include_usage:
            yield self._dumped([], usage=_usage_of(done))

    def _chunk(self, delta: Delta) -> str:
        return self._dumped([ChunkChoice(delta=delta, finish_reason=None)])

    def _dumped(
        self, choices: list[ChunkChoice], usage: CompletionUsage | None = None, bizi: AnswerDetails | None = None
    ) -> str:
        chunk = CompletionChunk(
            id=self._id, created=self._created, model=self._model, choices=choices, usage=usage, bizi=bizi
        )
        absent: dict[str, Any] = {name: True for name in ("usage", "bizi") if getattr(chunk, name) is None}
        not_told = {name for name in Delta.model_fields if all(getattr(each.delta, name) is None for each in choices)}
        return chunk.model_dump_json(exclude={"choices": {"__all__": {"delta": not_told}}, **absent})


def _id_of(request_id: str) -> str:
    return f"chatcmpl-{request_id}"


def _details_of(meta: AnswerMeta, start: int, unused: list[str]) -> AnswerDetails:
    told = {name: getattr(meta, name) for name in AnswerMeta.model_fields}
    return AnswerDetails(**told, answer_start=start, without_effect=unused)


def _usage_of(meta: AnswerMeta) -> CompletionUsage:
    used = meta.token_usage
    return CompletionUsage(
        prompt_tokens=used.input_tokens,
        completion_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens,
        prompt_tokens_details=PromptTokensDetails(cached_tokens=used.cached_input_tokens),
    )
