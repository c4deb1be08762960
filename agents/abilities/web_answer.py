"""Asks the web where the documents do not answer, and keeps what it says apart from what the documents say."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from agents.abilities.base import Ability, AbilityTools
from agents.abilities.bullets import bullets_of
from agents.state import RouterState, RunContext
from chains.extractive.chat_model import MODEL_NAME
from chains.models.errors import ModelStreamCut, ModelUnavailable
from schemas.assistants import Need
from schemas.chat import Component, Degradation
from utils.documents import Hit, is_web_address
from utils.http.web_search import DdgsSearch, WebResult, WebSearch, WebSearchUnavailable
from utils.korean.sentence_spans import split_sentences
from utils.prompts import web as prompt
from utils.prompts.data import as_data
from utils.prompts.messages import says_not_found
from utils.prompts.web import FAILED

logger = logging.getLogger(__name__)

_RESULTS = 5
_SHOWN = 160  # characters of a result that is quoted
_REMEDY = "웹 검색은 꺼져 있습니다. 켜려면 `make install-web` 후 WEB_SEARCH=duckduckgo"


class WebGate(BaseModel):
    """When the web is asked: ``context`` characters found at least, ``score`` of the best hit from which it is trusted, ``clear`` from which
    it is so whatever the second one's, below it only where that is ``margin`` less; ``most`` bullets are told.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    context: int = Field(200, ge=0)
    score: float = Field(0.15, ge=0, le=1)
    clear: float = Field(0.25, ge=0, le=1)
    margin: float = Field(0.03, ge=0, le=1)
    most: int = Field(3, ge=1, le=10)

    def reason(self, answer: str, hits: Sequence[Hit]) -> str:
        """Return why the web is asked, in a word or two; empty where the documents answer."""
        scores = sorted((hit.relevance for hit in hits), reverse=True)
        if not scores:
            return "no results"
        if sum(len(hit.chunk.text) for hit in hits) < self.context:
            return "short context"
        if scores[0] < self.score:
            return "low score"
        if scores[0] < self.clear and len(scores) > 1 and scores[0] - scores[1] < self.margin:
            return "no margin"
        return "not in the document" if says_not_found(answer.split("\n", 1)[0]) else ""


class WebAnswerAbility(Ability):
    """A part from the web below the answer, under a heading of its own; the trace says why the web was asked, also where it is off."""

    name: ClassVar[str] = "web_answer"

    def __init__(self, tools: AbilityTools) -> None:
        """Raises ``ValueError`` for parameters that it does not know."""
        super().__init__(tools)
        self._gate = tools.parameters_as(WebGate)
        settings = tools.settings
        self._search: WebSearch | None = None
        if settings.web_search != "off":
            self._search = DdgsSearch(settings.web_search, settings.web_search_timeout, settings.web_search_proxy)

    def needs(self) -> tuple[Need, ...]:
        is_on = self._search is not None
        return (Need(name="web_search", is_met=is_on, remedy="" if is_on else _REMEDY),)

    async def before_end(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Ask the web by the question as it was typed, where the gate says so."""
        answer = state["answer"]
        reason = self._gate.reason(answer.content, state.get("documents", ()))
        noted: RouterState = {"trace": {"web": reason}}
        if not reason or self._search is None:
            return noted
        try:
            results = await self._search.search(state["query"], _RESULTS)
        except WebSearchUnavailable as error:
            logger.warning("%s", error)
            lost = Degradation(component=Component.WEB, reason=FAILED)
            content = f"{answer.content}\n\n{FAILED}"
            return {**noted, "answer": replace(answer, content=content), "degraded": (lost,)}
        told = await self._bullets(state["query"], results, runtime.context)
        part = "\n".join((prompt.HEADING, *told)) if told else prompt.EMPTY
        return {**noted, "answer": replace(answer, content=f"{answer.content}\n\n{part}")}

    async def _bullets(self, question: str, results: Sequence[WebResult], run: RunContext) -> list[str]:
        """Return what the results say, by the model where there is one; its bullets need words of the results, too."""
        texts = [f"{result.title}\n{result.text}" for result in results]
        model = self.tools.model
        if results and model.name != MODEL_NAME:
            user = prompt.USER_TEMPLATE.format(question=as_data(question), results=as_data(_numbered(results)))
            messages = [SystemMessage(prompt.SYSTEM_PROMPT.format(most=self._gate.most)), HumanMessage(user)]
            try:
                written = await self.tools.chain.written(messages, run.deadline, run.usage, model)
            except (ModelUnavailable, ModelStreamCut) as error:
                logger.warning("the web results are quoted: %s", error.reason)
            else:
                return bullets_of(written, texts)[: self._gate.most]
        quoted = "\n".join(_quote(result) for result in results)
        return bullets_of(quoted, texts)[: self._gate.most]


def _numbered(results: Sequence[WebResult]) -> str:
    return "\n".join(f"({number}) {result.title}: {result.text}" for number, result in enumerate(results, start=1))


def _quote(result: WebResult) -> str:
    """The first sentences of a result that fit, with its source."""
    told = ""
    for start, end in split_sentences(result.text):
        if told and len(told) + end - start > _SHOWN:
            break
        told = f"{told} {result.text[start:end]}".strip()
    source = f"{result.title}, {result.url}" if is_web_address(result.url) else result.title
    return f"- {told} ({source})"
