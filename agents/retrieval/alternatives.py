"""Other ways to search after a failed search or answer.

A model writes a rephrasing and a hypothetical answer (HyDE; Gao et al. 2022). Without a model the question is put in formal terms,
and then searched for in all domains in place of those that it seemed to belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from agents.retrieval.inquiry import Rewording
from agents.state import RouterState, RunContext
from chains.models.errors import ModelUnavailable
from chains.models.language_model import LanguageModel
from chains.models.usage import ModelPurpose, UsageMeter
from schemas.chat import Component, Degradation
from utils.korean.glossary import Glossary
from utils.prompts import alternatives as prompt
from utils.prompts.data import MAX_FEEDBACK, as_data
from utils.protocols import Analyzer
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline
from utils.sanitizing.sanitize import printable


class AlternativesReply(BaseModel):
    """The model's reply to the prompt in `utils.prompts.alternatives`."""

    rephrased: str = Field(min_length=1, max_length=2000)
    hypothetical_answer: str = Field(min_length=1, max_length=4000)


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another search: its query, and what to look for in each domain."""

    query: str
    sub_queries: tuple[SubQuery, ...]


class AlternativeSearch:
    """Makes up to two alternative searches, by the model or by rule; ``domains`` are all that there are."""

    def __init__(self, model: LanguageModel, glossary: Glossary, analyzer: Analyzer, domains: Sequence[str]) -> None:
        self._model = model
        self._glossary = glossary
        self._analyzer = analyzer
        self._domains = tuple(domains)

    async def alternatives(
        self, state: RouterState, run: RunContext
    ) -> tuple[tuple[Alternative, ...], tuple[Degradation, ...]]:
        """Return the searches, and the failure if the model could not make them."""
        question = state["understanding"].question
        if not self._model.supports(ModelPurpose.ALTERNATIVES):
            return self._by_rule(state, question), ()
        evaluation = state["answer"].evaluation
        feedback = printable(evaluation.feedback, MAX_FEEDBACK) if evaluation else ""
        reworded = await self._reworded(question, feedback, run.deadline, run.usage)
        if reworded.degraded:
            return self._by_rule(state, question), reworded.degraded
        return tuple(Alternative(query, _in_its_domains(state, query)) for query in reworded.wordings), ()

    async def wordings(self, question: str, run: RunContext) -> Rewording:
        """Return the model's other wordings of a question for which too little was found; none without a model.

        At most half of the time left for model calls is spent on it: the answer has yet to be written.
        """
        if not self._model.supports(ModelPurpose.ALTERNATIVES):
            return Rewording()
        half = Deadline.after(run.deadline.remaining() / 2)
        return await self._reworded(question, prompt.TOO_LITTLE_FOUND, half, run.usage)

    async def _reworded(self, question: str, feedback: str, deadline: Deadline, usage: UsageMeter) -> Rewording:
        user = prompt.USER_TEMPLATE.format(question=as_data(question), feedback=as_data(feedback))
        messages = [SystemMessage(prompt.SYSTEM_PROMPT), HumanMessage(user)]
        try:
            reply = await self._model.complete_json(
                ModelPurpose.ALTERNATIVES, messages, AlternativesReply, deadline, usage
            )
        except ModelUnavailable as error:
            failed = Degradation(component=Component.LLM, reason=f"alternatives: {error.reason}")
            return Rewording(degraded=(failed,))
        return Rewording((reply.rephrased, reply.hypothetical_answer))

    def _by_rule(self, state: RouterState, question: str) -> tuple[Alternative, ...]:
        """Return two searches: the question in formal terms with related words, and the question as typed in every domain."""
        formal = self._glossary.formalize(question, self._analyzer.morphemes)
        query = f"{formal} {' '.join(self._glossary.expansions(formal))}".strip()
        rephrased = (Alternative(query, _in_its_domains(state, query)),) if query != question else ()
        if len(state["domains"]) == len(self._domains):
            return rephrased
        return (*rephrased, Alternative(question, tuple(SubQuery(domain, question) for domain in self._domains)))


def _in_its_domains(state: RouterState, query: str) -> tuple[SubQuery, ...]:
    """Return the query for each domain of the question; where there are several, each keeps its own sub-query in front of it."""
    parts = state["sub_queries"]
    if len(parts) == 1:
        return (SubQuery(parts[0].domain, query),)
    return tuple(SubQuery(part.domain, f"{part.query}\n{query}") for part in parts)
