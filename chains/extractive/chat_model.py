"""A chat model without a model: it answers with whole sentences of the given documents, each with its citation.

It reads its input from the ``task`` argument of a call, not from the messages. It quotes and never invents; what the documents do
not hold it says plainly.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from chains.extractive.article_quotes import quoted
from chains.extractive.sentence_features import Candidate
from chains.extractive.sentence_model import AnswerModel
from chains.extractive.sentence_scoring import SentenceScorer
from chains.extractive.sentence_selection import select
from chains.extractive.unit_selection import nearest_quotes, select_units
from chains.extractive_task import ExtractiveAsk, ExtractiveDocument, ExtractivePart, ExtractiveTask
from chains.models.language_model import LanguageModel
from chains.models.usage import ModelPurpose
from utils.conclusions.verdict_model import led
from utils.korean.coverage import QuestionReader
from utils.prompts.common import MAX_CHARS_MULTI, MAX_CHARS_SINGLE
from utils.prompts.messages import NOT_FOUND, NOT_FOUND_HINT, nearest_follows, not_found
from utils.protocols import Analyzer, Embedder

MODEL_NAME = "extractive"


@dataclass(frozen=True, slots=True)
class _Section:
    """The sentences said under a label to a question, with their documents; none: that these do not say.

    ``nearest`` are offered in place of an answer.
    """

    label: str
    question: str
    chosen: tuple[tuple[int, str], ...]
    nearest: tuple[tuple[int, str], ...] = ()


class Writer(Protocol):
    """Writes an answer from the documents of a task alone."""

    def write(self, task: ExtractiveTask) -> Iterator[str]:
        """Yield the pieces of the answer."""
        ...


class ExtractiveWriter:
    """Writes the answer to a task, piece by piece; pure apart from what the scorer keeps of sentences.

    >>> part = ExtractivePart(domain="hr_labor", label="인사·노무", question="연차는 언제 주나요?")
    >>> task = ExtractiveTask(question=part.question, parts=(part,), documents=documents)
    >>> "".join(ExtractiveWriter(scorer).write(task))
    '직원이 다섯 명 이상이면 연차를 줍니다. [1]'
    """

    def __init__(self, scorer: SentenceScorer) -> None:
        self._scorer = scorer

    def write(self, task: ExtractiveTask) -> Iterator[str]:
        """The pieces of the answer: headings, and sentences one by one with the separator before them."""
        max_chars = task.max_chars or (MAX_CHARS_SINGLE if len(task.parts) == 1 else MAX_CHARS_MULTI)
        notes = "\n".join(task.notes)
        if notes:
            yield notes
        separator = "\n\n" if notes else ""
        for piece in self._body(task, max_chars - len(notes)):
            yield separator + piece
            separator = ""
        if task.requests:
            yield "\n" + " ".join(task.requests)

    def _body(self, task: ExtractiveTask, max_chars: int) -> Iterator[str]:
        """The answer after the notes; empty where these are all there is to say."""
        if task.is_citation:
            yield from quoted(task.quotations, max_chars)
            return
        sections = self._of_units(task, max_chars) or [
            section for parts in _by_question(task.parts) for section in self._sections(parts, task, max_chars)
        ]
        if not any(section.chosen for section in sections):
            sections = [] if task.notes else _offered(task.asks)
        if not sections:
            yield from () if task.notes else [f"{NOT_FOUND} {NOT_FOUND_HINT}"]
        elif len(sections) == 1:
            yield from _paragraphs(sections[0].chosen) if sections[0].chosen else _instead(sections[0].nearest)
        else:
            for number, section in enumerate(sections):
                yield ("\n\n" if number else "") + f"**{section.label}**\n"
                yield from (
                    _paragraphs(section.chosen) if section.chosen else _instead(section.nearest, section.question)
                )

    def _of_units(self, task: ExtractiveTask, max_chars: int) -> list[_Section]:
        """A section for each thing asked, by the answer units; none where these answer nothing.

        Its label is the domain's where several domains of the question answer, else the name of the unit.
        """
        if not any(ask.is_answered or ask.sums for ask in task.asks):
            return []
        of_document = {document.index: document.domain for document in task.documents}
        labels = {part.domain: part.label for part in task.parts}
        chosen = select_units(task.asks, max_chars, task.question)
        domains = {of_document[quotes[0].document] for _, quotes in chosen if quotes}
        # a heading of a domain beside one of a thing asked would read as an answer to something else
        by_domain = len(domains) > 1 and domains <= labels.keys()
        sections: list[_Section] = []
        for ask, quotes in chosen:
            said = tuple(
                (quote.document, quote.text if quote.verdict is None else led(quote.text, quote.verdict))
                for quote in quotes
            )
            domain = of_document[quotes[0].document] if quotes else ""
            label = labels.get(domain, ask.ask) if by_domain else _name_of(ask)
            if sections and sections[-1].label == label and said and sections[-1].chosen:
                sections[-1] = _Section(label, sections[-1].question, (*sections[-1].chosen, *said))
            else:
                sections.append(_Section(label, ask.ask, said, () if said else _nearest(ask)))
        return sections

    def _sections(self, parts: Sequence[ExtractivePart], task: ExtractiveTask, max_chars: int) -> list[_Section]:
        """The sections that answer ``parts``, which ask the same question of several domains: those with an answer."""
        chosen = self._selected(parts, task, max_chars * len(parts) // len(task.parts))
        labels = {part.domain: part.label for part in parts}
        by_label: dict[str, list[tuple[int, str]]] = {}
        for candidate in chosen:
            by_label.setdefault(labels.get(candidate.document.domain, parts[0].label), []).append(
                (candidate.document.index, candidate.text)
            )
        question = parts[0].question
        sections = [_Section(label, question, tuple(sentences)) for label, sentences in by_label.items()]
        return sections or [_Section(parts[0].label, question, ())]

    def _selected(self, parts: Sequence[ExtractivePart], task: ExtractiveTask, max_chars: int) -> list[Candidate]:
        headcount = task.facts.get("employee_count")
        employees = headcount if isinstance(headcount, int) else None
        candidates = self._scorer.candidates(_documents_of(parts, task), employees)
        if not candidates:
            return []
        for words in filter(None, (parts[0].question, parts[0].other_words)):
            scored = self._scorer.score(self._scorer.match(words, candidates, employees))
            if max(ask.answered for ask in scored) >= self._scorer.answered_from:
                return select(scored, candidates, max_chars)
        return []


class ExtractiveChatModel(BaseChatModel):
    """A `Writer` as a LangChain chat model: ``model.invoke(messages, task=task)``.

    Raises:
        ValueError: a call without a ``task`` (an `ExtractiveTask`).
    """

    _writer: Writer = PrivateAttr()
    _pool: Executor | None = PrivateAttr()

    def __init__(self, writer: Writer, pool: Executor | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._writer = writer
        self._pool = pool

    @property
    def _llm_type(self) -> str:
        return MODEL_NAME

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = "".join(self._writer.write(_task_of(kwargs)))
        message = AIMessage(content=text, response_metadata={"finish_reason": "stop", "model_name": MODEL_NAME})
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for piece in self._writer.write(_task_of(kwargs)):
            yield _chunk(piece)
        yield _last_chunk()

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        task = _task_of(kwargs)
        # Milliseconds of work, so off the event loop as a whole; the pieces are then handed out one by one.
        loop = asyncio.get_running_loop()
        for piece in await loop.run_in_executor(self._pool, lambda: list(self._writer.write(task))):
            yield _chunk(piece)
        yield _last_chunk()


def build_extractive_model(
    analyzer: Analyzer,
    embedder: Embedder,
    learned: AnswerModel,
    reader: QuestionReader | None = None,
    pool: Executor | None = None,
) -> LanguageModel:
    """The extractive model as the service's `LanguageModel`; it generates answers, in ``pool``, and nothing else."""
    writer = ExtractiveWriter(SentenceScorer(analyzer, embedder, learned, reader))
    model = ExtractiveChatModel(writer, pool)
    return LanguageModel(MODEL_NAME, {ModelPurpose.GENERATION: model})


def _task_of(arguments: Mapping[str, Any]) -> ExtractiveTask:
    task = arguments.get("task")
    if not isinstance(task, ExtractiveTask):
        raise ValueError("the extractive model needs an ExtractiveTask as the argument `task`")  # noqa: TRY004
    return task


def _offered(asks: Sequence[ExtractiveAsk]) -> list[_Section]:
    """A section for each thing asked, none of which is answered; nothing where nothing is offered in place of an answer to any."""
    sections = [_Section(ask.ask, ask.ask, (), _nearest(ask)) for ask in asks]
    return sections if any(section.nearest for section in sections) else []


def _nearest(ask: ExtractiveAsk) -> tuple[tuple[int, str], ...]:
    return tuple((quote.document, quote.text) for quote in nearest_quotes(ask))


def _instead(nearest: Sequence[tuple[int, str]], question: str | None = None) -> Iterator[str]:
    """That the documents do not answer a question, or one ``question`` of several, and the nearest there is."""
    if not nearest:
        yield not_found(question)
        return
    yield nearest_follows(question)
    yield from ("\n" * (number == 0) + piece for number, piece in enumerate(_paragraphs(nearest)))


def _name_of(ask: ExtractiveAsk) -> str:
    """The label of an ask: the name of the unit that answers it, else the ask itself."""
    return ask.units[0].name if ask.is_answered else ask.ask


def _by_question(parts: Sequence[ExtractivePart]) -> list[list[ExtractivePart]]:
    """Parts that ask the same are one: the question could not be divided, and one domain may answer all of it."""
    groups: dict[str, list[ExtractivePart]] = {}
    for part in parts:
        groups.setdefault(part.question, []).append(part)
    return list(groups.values())


def _documents_of(parts: Sequence[ExtractivePart], task: ExtractiveTask) -> list[ExtractiveDocument]:
    """The documents that may answer ``parts``: those that belong to no other part's domain."""
    others = {part.domain for part in task.parts} - {part.domain for part in parts}
    return [document for document in task.documents if document.domain not in others and not document.has_units]


def _paragraphs(chosen: Sequence[tuple[int, str]]) -> Iterator[str]:
    """The sentences with their citations, a paragraph for each document."""
    for number, (index, group) in enumerate(groupby(chosen, key=lambda quote: quote[0])):
        for position, (_, text) in enumerate(group):
            separator = " " if position else "\n" if number else ""
            yield f"{separator}{text} [{index}]"


def _chunk(text: str) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=text))


def _last_chunk() -> ChatGenerationChunk:
    metadata = {"finish_reason": "stop", "model_name": MODEL_NAME}
    return ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata=metadata, chunk_position="last"))
