"""The messages of one generation: the same for every model, with the structured task beside them for the extractive one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from agents.article_notes import CitedArticles
from agents.base import BaseAgent
from agents.company_profile import describe, facts
from agents.state import RouterState
from chains.extractive_task import TASK_KEY, DocumentTerms, ExtractiveDocument, ExtractivePart, ExtractiveTask
from chains.rag_chain import RAGChain
from schemas.chat import ActionItem
from utils.knowledge import Chunk, Hit, Scalar
from utils.prompts import common, synthesis
from utils.question_decomposer import SubQuery
from vectorstores.articles import NOTHING_CITED, ArticleLookup


@dataclass(frozen=True, slots=True)
class GenerationTask:
    """What an answer is written from: ``articles`` are those that the question cites.

    ``user_text`` is all that the user said, and what is to be said of cited articles that are not there: figures in it may
    be repeated.
    """

    question: str
    parts: tuple[SubQuery, ...]
    documents: tuple[Hit, ...]
    actions: tuple[ActionItem, ...]
    profile: str
    facts: dict[str, Scalar]
    user_text: str
    articles: ArticleLookup = NOTHING_CITED

    @classmethod
    def of(cls, state: RouterState, documents: tuple[Hit, ...], actions: tuple[ActionItem, ...]) -> Self:
        """The task of a state after retrieval."""
        return cls(
            question=state["understanding"].question,
            parts=state["sub_queries"],
            documents=documents,
            actions=actions,
            profile=describe(state.get("user_context")),
            facts=facts(state.get("user_context")),
            user_text=user_text_of(state),
            articles=state["articles"],
        )


def user_text_of(state: RouterState) -> str:
    """All that the user said and is known to be, history included, and what the service says of cited articles."""
    said = [turn.content for turn in state["history"] if turn.role == "user"]
    notes = CitedArticles(state["articles"], state["documents"]).notes()
    return "\n".join([*said, state["query"], describe(state.get("user_context")), *notes])


class PromptBuilder:
    """Builds the messages: one domain speaks with its agent's prompt, several with the synthesis prompt."""

    def __init__(self, chain: RAGChain, agents: Mapping[str, BaseAgent]) -> None:
        self._chain = chain
        self._agents = agents

    def messages(self, task: GenerationTask) -> list[BaseMessage]:
        """System and user message."""
        single = len(task.parts) == 1
        max_chars = common.MAX_CHARS_SINGLE if single else common.MAX_CHARS_MULTI
        expert = self._agents[task.parts[0].domain].get_system_prompt() if single else synthesis.SYSTEM_PROMPT
        system = f"{expert}\n\n{common.ANSWER_RULES.format(max_chars=max_chars)}"
        user = common.USER_TEMPLATE.format(
            context=self._chain.format_context(task.documents),
            articles=CitedArticles(task.articles, task.documents).prompt_block(),
            profile=common.PROFILE_TEMPLATE.format(profile=task.profile) if task.profile else "",
            actions=_actions_hint(task.actions),
            question=task.question if single else f"{task.question}\n\n{self._parts(task.parts)}",
        )
        structured = {TASK_KEY: self._extractive_task(task, max_chars)}
        return [SystemMessage(system), HumanMessage(user, additional_kwargs=structured)]

    def _parts(self, parts: Sequence[SubQuery]) -> str:
        lines = [f"- {self._agents[part.domain].pack.label}: {part.query}" for part in parts]
        return synthesis.PARTS_TEMPLATE.format(parts="\n".join(lines))

    def _extractive_task(self, task: GenerationTask, max_chars: int) -> ExtractiveTask:
        cited = CitedArticles(task.articles, task.documents)
        return ExtractiveTask(
            question=task.question,
            parts=tuple(
                ExtractivePart(domain=part.domain, label=self._agents[part.domain].pack.label, question=part.query)
                for part in task.parts
            ),
            documents=extractive_documents(task.documents),
            max_chars=max_chars,
            facts=task.facts,
            notes=cited.notes(),
            quotations=cited.quotations(),
            is_citation=cited.is_answer,
        )


def _document_terms(chunk: Chunk) -> DocumentTerms | None:
    terms = chunk.load_terms()
    if terms is None:
        return None
    return DocumentTerms(terms.title, tuple(terms.text.within(start, end) for start, end in chunk.sentences))


def extractive_documents(hits: Sequence[Hit]) -> tuple[ExtractiveDocument, ...]:
    """The numbered documents of a task."""
    return tuple(
        ExtractiveDocument(
            index=number,
            title=hit.chunk.title,
            source=hit.chunk.source_name,
            effective_date=hit.chunk.effective_date,
            sentences=tuple(hit.chunk.sentence_texts()),
            domain=hit.chunk.domain,
            relevance=max(0.0, min(1.0, hit.relevance)),
            is_article=hit.chunk.label is not None,
            load_terms=partial(_document_terms, hit.chunk),
        )
        for number, hit in enumerate(hits, start=1)
    )


def _actions_hint(actions: Sequence[ActionItem]) -> str:
    if not actions:
        return ""
    lines = "\n".join(f"- {action.label}: {action.description}" for action in actions)
    return f"\n{common.ACTIONS_HINT}\n{lines}\n"
