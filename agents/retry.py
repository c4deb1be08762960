"""Other ways to search after a failed answer: a rephrasing and a hypothetical answer (HyDE; Gao et al. 2022); without a
model the formal terms, and all domains in place of those that the question seemed to belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from agents.state import RouterState, RunContext
from chains.llm import LanguageModel
from chains.model_errors import ModelUnavailable
from schemas.chat import Component, Degradation
from utils.glossary import Glossary
from utils.model_calls import ModelPurpose
from utils.prompts import alternatives as prompt
from utils.question_decomposer import SubQuery


class AlternativesReply(BaseModel):
    """What the model is asked for; see `utils.prompts.alternatives`."""

    rephrased: str = Field(min_length=1, max_length=2000)
    hypothetical_answer: str = Field(min_length=1, max_length=4000)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One other search: the query, and what to look for in each domain."""

    query: str
    sub_queries: tuple[SubQuery, ...]


class AlternativeSearch:
    """Two alternative searches, by the model or by rule; ``domains`` are all that there are."""

    def __init__(self, model: LanguageModel, glossary: Glossary, domains: Sequence[str]) -> None:
        self._model = model
        self._glossary = glossary
        self._domains = tuple(domains)

    async def alternatives(
        self, state: RouterState, run: RunContext
    ) -> tuple[tuple[Alternative, ...], tuple[Degradation, ...]]:
        """The searches, and the failure if the model could not make them."""
        question = state["understanding"].question
        if not self._model.supports(ModelPurpose.ALTERNATIVES):
            return self._by_rule(state, question), ()
        evaluation = state["answer"].evaluation
        system = prompt.SYSTEM_PROMPT.format(feedback=evaluation.feedback if evaluation else "")
        messages = [SystemMessage(system), HumanMessage(prompt.USER_TEMPLATE.format(question=question))]
        try:
            reply = await self._model.complete_json(
                ModelPurpose.ALTERNATIVES, messages, AlternativesReply, run.deadline, run.usage
            )
        except ModelUnavailable as error:
            failed = Degradation(component=Component.LLM, reason=f"alternatives: {error.reason}")
            return self._by_rule(state, question), (failed,)
        queries = (reply.rephrased, reply.hypothetical_answer)
        return tuple(Alternative(query, _in_its_domains(state, query)) for query in queries), ()

    def _by_rule(self, state: RouterState, question: str) -> tuple[Alternative, ...]:
        """The question in formal terms with related words, and the question as it stands in every domain."""
        formal = self._glossary.formalize(question)
        query = f"{formal} {' '.join(self._glossary.expansions(formal))}".strip()
        rephrased = (Alternative(query, _in_its_domains(state, query)),) if query != question else ()
        if len(state["domains"]) == len(self._domains):
            return rephrased
        return (*rephrased, Alternative(question, tuple(SubQuery(domain, question) for domain in self._domains)))


def _in_its_domains(state: RouterState, query: str) -> tuple[SubQuery, ...]:
    """The query for each domain of the question; of several domains each keeps its own part beside it."""
    parts = state["sub_queries"]
    if len(parts) == 1:
        return (SubQuery(parts[0].domain, query),)
    return tuple(SubQuery(part.domain, f"{part.query}\n{query}") for part in parts)
