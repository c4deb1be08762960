"""The wording of an answer about one notice by the model: from its passages alone, and only where the grounding check finds nothing else."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from langchain_core.messages import HumanMessage, SystemMessage

from agents.abilities.base import AbilityTools
from agents.notices.dialogue import NoticeAnswer
from agents.state import RunContext
from chains.extractive.chat_model import MODEL_NAME
from chains.models.errors import ModelStreamCut, ModelUnavailable
from schemas.chat import Component, Degradation, SourceItem
from utils.grounding.answer_sentences import cited_numbers
from utils.grounding.check import AnswerChecker, GroundingReport
from utils.grounding.facts import GroundingSource
from utils.prompts.abilities import notices as prompt
from utils.prompts.data import as_data
from utils.prompts.messages import says_not_found

logger = logging.getLogger(__name__)

QUOTED = "rule"
"""Who wrote an answer that quotes."""


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """An answer about notices, and who wrote it."""

    told: NoticeAnswer
    model: str = QUOTED


class NoticeWording:
    """Has the model word what an answer quotes; the quotations stay where there is no model, it fails, or says what they do not."""

    def __init__(self, tools: AbilityTools) -> None:
        self._tools = tools
        self._checker = AnswerChecker(tools.glossary.law_aliases)

    async def worded(self, told: NoticeAnswer, run: RunContext) -> WordedAnswer:
        """Return the answer as the model words it. Never raises for a model that fails: ``degraded`` names it."""
        model = self._tools.model
        if not told.question or model.name == MODEL_NAME:
            return WordedAnswer(told)
        documents = "\n".join(f"[{source.index}] {source.title}\n{source.content}" for source in told.passages)
        user = prompt.USER_TEMPLATE.format(question=as_data(told.question), documents=as_data(documents))
        messages = [SystemMessage(prompt.SYSTEM_PROMPT), HumanMessage(user)]
        try:
            text = await self._tools.chain.written(messages, run.deadline, run.usage, model)
        except (ModelUnavailable, ModelStreamCut) as error:
            failed = Degradation(component=Component.LLM, reason=f"generation: {error.reason}")
            return WordedAnswer(replace(told, degraded=(*told.degraded, failed)))
        if not await self._tools.chain.in_pool(self._is_grounded, text, told):
            logger.info("공고의 글에서 확인되지 않아 모델의 답 대신 공고를 옮깁니다.")
            return WordedAnswer(told)
        cited = frozenset(cited_numbers(text))
        sources = tuple(source for source in told.passages if source.index in cited)
        content = "\n".join((text, *told.closing))
        return WordedAnswer(replace(told, content=content, sources=sources), model.name)

    def _is_grounded(self, text: str, told: NoticeAnswer) -> bool:
        """Return whether every sentence is held by the passages, and those that tell something cite one."""
        if not text or says_not_found(text):
            return False
        report: GroundingReport = self._checker.check(text, list(map(_as_source, told.passages)), told.question)
        tell = [check for check in report.sentences if not (check.is_framing or check.is_blank)]
        return bool(tell) and report.is_grounded and all(check.sources for check in tell)


def _as_source(source: SourceItem) -> GroundingSource:
    return GroundingSource(source.index, source.content, source.title, source.source, url=source.url)
