"""Writes the answer: streams it, checks each sentence as it is finished, and falls back to quoting when a model fails."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from agents.answering.asked_sources import verdicts_of
from agents.answering.prompt_builder import GenerationTask, PromptBuilder
from agents.base import BaseAgent
from agents.state import Answer, Emit, RunContext
from chains.models.errors import ModelStreamCut, ModelUnavailable
from chains.models.language_model import LanguageModel
from chains.rag_chain import RAGChain
from schemas.chat import Component, Degradation, SentenceVerdict
from schemas.events import CheckEvent, ReplaceEvent, TokenEvent
from utils.grounding.answer_sentences import Sentence, SentenceStream
from utils.grounding.check import AnswerChecker, SentenceCheck, SentenceChecker
from utils.grounding.sources import grounding_sources
from utils.prompts.messages import english_lead


@dataclass(frozen=True, slots=True)
class _Follower:
    """Where the events of a draft go, and what checks each of its sentences."""

    checker: SentenceChecker
    emit: Emit

    def check(self, sentence: Sentence) -> None:
        self.emit(CheckEvent(check=verdict_of(self.checker.check(sentence))))


@dataclass(slots=True)
class _Draft:
    """An answer under way: its text so far, and who follows it (nobody follows a silent attempt)."""

    follower: _Follower | None
    from_english: bool
    pieces: list[str] = field(default_factory=list)
    sentences: SentenceStream = field(default_factory=SentenceStream)

    def add(self, text: str) -> None:
        if self.from_english and not self.pieces:
            text = english_lead(text) + text
        self.pieces.append(text)
        if self.follower is None:
            return
        self.follower.emit(TokenEvent(content=text))
        for sentence in self.sentences.feed(text):
            self.follower.check(sentence)

    def finish(self) -> str:
        if self.follower is not None:
            for sentence in self.sentences.flush():
                self.follower.check(sentence)
        return "".join(self.pieces).strip()


class ResponseGeneratorAgent:
    """Generation of an answer by one model call; the extractive model answers in its place when that call fails."""

    def __init__(
        self,
        chain: RAGChain,
        agents: Mapping[str, BaseAgent],
        extractive: LanguageModel,
        checker: AnswerChecker,
    ) -> None:
        self._chain = chain
        self._prompts = PromptBuilder(agents)
        self._extractive = extractive
        self._checker = checker

    async def generate(self, task: GenerationTask, run: RunContext, emit: Emit | None) -> Answer:
        """Write the answer; never raises for a model that fails."""
        sources = self._chain.documents_to_sources(task.documents)
        draft = await self._draft(task, emit)
        try:
            content = await self._write(draft, await self._texts(task, run, self._chain.model))
            return Answer(content, task.documents, sources, self._chain.model.name)
        except ModelUnavailable as error:
            failed = Degradation(component=Component.LLM, reason=f"generation: {error.reason}")
            cut = isinstance(error, ModelStreamCut)
        content = await self._quote(task, run, None if cut else emit)
        answer = Answer(content, task.documents, sources, self._extractive.name, degraded=(failed,))
        if cut and emit is not None:
            emit(ReplaceEvent(reason="degraded", content=content, sources=list(answer.cited_sources)))
        return answer

    async def _quote(self, task: GenerationTask, run: RunContext, emit: Emit | None) -> str:
        draft = await self._draft(task, emit)
        return await self._write(draft, await self._texts(task, run, self._extractive))

    async def _texts(self, task: GenerationTask, run: RunContext, model: LanguageModel) -> AsyncIterator[str]:
        """The answer as ``model`` writes it: a real one from the prompt, the extractive one from the task itself."""
        if model is self._extractive:
            quoted = self._prompts.extractive_task(task)
            return self._chain.astream([], run.deadline, run.usage, model, task=quoted)
        messages = await self._chain.in_pool(self._prompts.messages, task)
        return self._chain.astream(messages, run.deadline, run.usage, model)

    async def _write(self, draft: _Draft, texts: AsyncIterator[str]) -> str:
        async with aclosing(texts) as stream:  # type: ignore[type-var]
            async for text in stream:
                draft.add(text)
        return draft.finish()

    async def _draft(self, task: GenerationTask, emit: Emit | None) -> _Draft:
        """An empty draft; the facts of the sources are read now where its sentences are checked as they come."""
        if emit is None:
            return _Draft(None, task.from_english)
        checker = await self._chain.in_pool(self._checker_of, task)
        return _Draft(_Follower(checker, emit), task.from_english)

    def _checker_of(self, task: GenerationTask) -> SentenceChecker:
        sources, verdicts = grounding_sources(task.documents), verdicts_of(task.asks)
        return self._checker.sentences(sources, task.user_text, task.notes, verdicts).read_sources()


def verdict_of(check: SentenceCheck) -> SentenceVerdict:
    """The check of a sentence as it goes over the wire."""
    return SentenceVerdict(
        start=check.start,
        end=check.end,
        verdict=check.verdict,
        sources=list(check.sources),
        unsupported_claims=list(check.unsupported_claims),
        user_stated_claims=list(check.user_stated_claims),
    )
