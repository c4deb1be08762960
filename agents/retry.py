"""Other ways to search after a failed answer: a rephrasing and a hypothetical answer (HyDE; Gao et al. 2022)."""

from __future__ import annotations

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from agents.state import RouterState, RunContext
from chains.llm import LanguageModel
from chains.model_errors import ModelUnavailable
from schemas.chat import Component, Degradation
from utils.glossary import Glossary
from utils.model_calls import ModelPurpose
from utils.prompts import alternatives as prompt
from utils.protocols import Analyzer
from utils.question_decomposer import SubQuery


class AlternativesReply(BaseModel):
    """What the model is asked for; see `utils.prompts.alternatives`."""

    rephrased: str = Field(min_length=1, max_length=2000)
    hypothetical_answer: str = Field(min_length=1, max_length=4000)


class AlternativeSearch:
    """Two alternative queries, by the model or by rule."""

    def __init__(self, model: LanguageModel, glossary: Glossary, analyzer: Analyzer) -> None:
        self._model = model
        self._glossary = glossary
        self._analyzer = analyzer

    async def queries(self, state: RouterState, run: RunContext) -> tuple[tuple[str, ...], tuple[Degradation, ...]]:
        """The queries, and the failure if the model could not make them."""
        question = state["understanding"].question
        if not self._model.supports(ModelPurpose.ALTERNATIVES):
            return self._by_rule(question), ()
        evaluation = state["answer"].evaluation
        system = prompt.SYSTEM_PROMPT.format(feedback=evaluation.feedback if evaluation else "")
        messages = [SystemMessage(system), HumanMessage(prompt.USER_TEMPLATE.format(question=question))]
        try:
            reply = await self._model.complete_json(
                ModelPurpose.ALTERNATIVES, messages, AlternativesReply, run.deadline, run.usage
            )
        except ModelUnavailable as error:
            failed = Degradation(component=Component.LLM, reason=f"alternatives: {error.reason}")
            return self._by_rule(question), (failed,)
        return (reply.rephrased, reply.hypothetical_answer), ()

    def sub_queries(self, state: RouterState, query: str) -> tuple[SubQuery, ...]:
        """The alternative query for each domain; of several domains each keeps its own part beside it."""
        parts = state["sub_queries"]
        if len(parts) == 1:
            return (SubQuery(parts[0].domain, query),)
        return tuple(SubQuery(part.domain, f"{part.query}\n{query}") for part in parts)

    def _by_rule(self, question: str) -> tuple[str, ...]:
        """The question in formal terms with related words, and its bare content terms with their related words."""
        formal = self._glossary.formalize(question)
        related = " ".join(self._glossary.expansions(formal))
        bare = " ".join(dict.fromkeys(self._analyzer.terms(formal)))
        distinct = dict.fromkeys((f"{formal} {related}".strip(), f"{bare} {related}".strip()))
        return tuple(text for text in distinct if text and text != question)
