"""Good or bad: the check of a written answer that decides on a second attempt, in place of a score."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from agents.abilities.base import Ability, AbilityTools
from agents.state import Answer, RouterState, RunContext
from chains.models.errors import ModelUnavailable
from chains.models.usage import ModelPurpose
from schemas.chat import Component, Degradation
from utils.documents import on_one_line
from utils.grounding.answer_sentences import CITATION
from utils.grounding.rule_evaluator import AnswerEvaluation
from utils.prompts.abilities import answer_check as prompt
from utils.prompts.data import MAX_FEEDBACK, as_data
from utils.prompts.messages import says_not_found
from utils.sanitizing.sanitize import printable

_EVADES = re.compile(
    r"(?:알|확인할|답(?:변)?할|찾을|도와드릴|제공할) 수 없|모르겠|잘 모릅니다|정보가 (?:없|부족)|공식 문서를 (?:참고|확인)|"
    r"(?:cannot|can't|unable to|don't) (?:answer|know|find|help)|no information",
    re.IGNORECASE,
)


class _Parameters(BaseModel):
    """``history``: messages that an answer is checked against."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    history: int = Field(4, ge=0, le=20)


class CheckReply(BaseModel):
    """The verdict that the model is asked for; see `utils.prompts.abilities.answer_check`."""

    verdict: Literal["good", "bad"]
    reason: Annotated[str, AfterValidator(lambda text: printable(text, MAX_FEEDBACK))] = ""


class AnswerCheckAbility(Ability):
    """Says good or bad by the model for evaluations; an evasive or empty answer is bad by rule, whoever wrote it."""

    name: ClassVar[str] = "answer_check"

    def __init__(self, tools: AbilityTools) -> None:
        super().__init__(tools)
        self._history = tools.parameters_as(_Parameters).history

    async def after_evaluate(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Pass or fail the answer; where the model gives no verdict the evaluation by rule stands, and that is named."""
        answer = state["answer"]
        evaluation = answer.evaluation
        if evaluation is None:
            return {}
        if is_evasive(answer.content):
            return _judged(answer, evaluation, passed=False, feedback=prompt.EVASIVE)
        if not self.tools.model.supports(ModelPurpose.EVALUATION):
            return {}
        run = runtime.context
        messages = await self.tools.chain.in_pool(self._messages, state)
        try:
            reply = await self.tools.model.complete_json(
                ModelPurpose.EVALUATION, messages, CheckReply, run.deadline, run.usage
            )
        except ModelUnavailable as error:
            return {"degraded": (Degradation(component=Component.LLM, reason=f"evaluation: {error.reason}"),)}
        # what the code has checked the model does not overrule
        passed = reply.verdict == "good" and evaluation.grounding.is_grounded
        return _judged(answer, evaluation, passed=passed, feedback=reply.reason or evaluation.feedback)

    def _messages(self, state: RouterState) -> list[BaseMessage]:
        chain, answer = self.tools.chain, state["answer"]
        turns = state["history"][-self._history :] if self._history else ()
        user = prompt.USER_TEMPLATE.format(
            history="\n".join(f"- {turn.role}: {on_one_line(as_data(turn.content))}" for turn in turns),
            question=as_data(state["understanding"].question),
            context=chain.format_context(answer.documents, self.tools.settings.evaluator_context_length),
            answer=as_data(answer.content),
        )
        return [SystemMessage(prompt.SYSTEM_PROMPT), HumanMessage(user)]


def _judged(answer: Answer, evaluation: AnswerEvaluation, *, passed: bool, feedback: str) -> RouterState:
    judged = replace(answer, evaluation=replace(evaluation, passed=passed, feedback=feedback))
    return {"answer": judged, "trace": {"check": "good" if passed else "bad"}}


def is_evasive(content: str) -> bool:
    """Return True for an answer that says nothing, or only that it does not know: none of its sentences cites a document."""
    plain = CITATION.sub("", content).strip()
    if not re.search(r"\w", plain):
        return True
    first = plain.split("\n", 1)[0]
    cites = CITATION.search(content) is not None
    return not cites and (says_not_found(first) or _EVADES.search(plain) is not None)
