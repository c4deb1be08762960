"""The second attempt by hypothetical answers (HyDE; Gao et al. 2022) in two languages, beside what was found first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from agents.abilities.base import Ability, AbilityTools, Write
from agents.retrieval.inquiry import RetrievalInquiry
from agents.retrieval.merge import merge
from agents.state import RouterState, RunContext
from chains.models.errors import ModelUnavailable
from chains.models.usage import ModelPurpose
from schemas.chat import Component, Degradation
from utils.prompts import alternatives
from utils.prompts.abilities import hypothetical_answers as prompt
from utils.prompts.data import MAX_FEEDBACK, as_data
from utils.question_decomposer import SubQuery
from utils.sanitizing.sanitize import printable


class _Parameters(BaseModel):
    """``k``: documents looked for in each domain by each hypothetical answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: Mapping[str, int] = Field(min_length=1)


class HypotheticalReply(BaseModel):
    """The answers that the model is asked for; see `utils.prompts.abilities.hypothetical_answers`."""

    korean: str = Field(min_length=1, max_length=4000)
    english: str = Field(min_length=1, max_length=4000)


class HypotheticalAnswersAbility(Ability):
    """Searches by what an answer would say, and answers from that and the first documents together; that answer is final."""

    name: ClassVar[str] = "hypothetical_answers"

    def __init__(self, tools: AbilityTools) -> None:
        super().__init__(tools)
        self._k = tools.parameters_as(_Parameters).k
        if unknown := sorted(set(self._k) - set(tools.routing.packs.keys())):
            raise ValueError(f"k: unknown domains {unknown}")
        if wrong := [k for k in self._k.values() if not 1 <= k <= 50]:
            raise ValueError(f"k: {wrong}: from 1 to 50")

    async def try_again(self, state: RouterState, runtime: Runtime[RunContext], write: Write) -> RouterState | None:
        """Search and write once more; None without a model. Where it gives no hypothetical answer the first one stays, and that is named."""
        if not self.tools.model.supports(ModelPurpose.ALTERNATIVES):
            return None
        answer, run = state["answer"], runtime.context
        question = state["understanding"].question
        told = printable(answer.evaluation.feedback, MAX_FEEDBACK) if answer.evaluation else ""
        user = alternatives.USER_TEMPLATE.format(question=as_data(question), feedback=as_data(told))
        messages = [SystemMessage(prompt.SYSTEM_PROMPT), HumanMessage(user)]
        try:
            reply = await self.tools.model.complete_json(
                ModelPurpose.ALTERNATIVES, messages, HypotheticalReply, run.deadline, run.usage
            )
        except ModelUnavailable as error:
            failed = Degradation(component=Component.LLM, reason=f"alternatives: {error.reason}")
            return {"answer": answer, "degraded": (failed,)}
        found = await self.tools.retrieval.retrieve(RetrievalInquiry(question, self._searches(state, reply)), run.today)
        results = (*state["retrieval_results"], *found.results)
        attempted: RouterState = {**state, "units": found.units, "retrieval_results": results}
        written, missing = await write(attempted, tuple(merge([state["documents"], found.documents])))
        return {
            "answer": replace(written, is_final=True),
            "documents": written.documents,
            "degraded": (*found.degraded, *missing),
            "trace": {"hyde": len(found.documents)},
        }

    def _searches(self, state: RouterState, reply: HypotheticalReply) -> tuple[SubQuery, ...]:
        """Both answers for each domain that was searched, among the documents of the first search."""
        tags = tuple(dict.fromkeys(tag for part in state["sub_queries"] for tag in part.tags))
        searched = [result.domain for result in state["retrieval_results"]]
        return tuple(
            SubQuery(domain, text, tags=tags, k=self._k[domain])
            for domain in dict.fromkeys(domain for domain in searched if domain in self._k)
            for text in (reply.korean, reply.english)
        )
