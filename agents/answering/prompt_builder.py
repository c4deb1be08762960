"""The messages of one generation: the same for every model, with the structured task beside them for the extractive one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from agents.answering.asked_sources import numbered_asks
from agents.answering.case_words import fact_words
from agents.answering.cited_articles import CitedArticles
from agents.answering.company_profile import describe, facts
from agents.answering.prompt_context import PromptContext
from agents.base import BaseAgent
from agents.state import NO_SUMS, RouterState
from chains.context import PromptDocument
from chains.extractive_task import (
    DocumentTerms,
    ExtractiveAsk,
    ExtractiveDocument,
    ExtractivePart,
    ExtractiveTask,
)
from schemas.chat import ActionItem, Scalar
from utils.documents import Chunk, Hit, on_one_line
from utils.prompts import asks as asks_wording
from utils.prompts import common, synthesis
from utils.prompts.data import as_data
from utils.question_decomposer import SubQuery
from vectorstores.search.articles import NOTHING_CITED, ArticleLookup


@dataclass(frozen=True, slots=True)
class GenerationTask:
    """The task that an answer is written from; ``articles`` are those that the question cites.

    ``packed`` are the documents that a model gets to read, with as much of each as has room. ``user_text`` is all that the user said, and ``notes`` what the service says of cited articles that are not there.
    ``asks`` are the things asked with what answers them, ``requests`` ask for what a sum lacks, and ``case`` is what is known of
    the asker's case, in words. ``from_english``: the question was asked in English, so that the answer begins with an English line.
    """

    question: str
    parts: tuple[SubQuery, ...]
    packed: tuple[PromptDocument, ...]
    actions: tuple[ActionItem, ...]
    profile: str
    facts: dict[str, Scalar]
    user_text: str
    notes: str
    articles: ArticleLookup = NOTHING_CITED
    asks: tuple[ExtractiveAsk, ...] = ()
    requests: tuple[str, ...] = ()
    case: tuple[str, ...] = ()
    from_english: bool = False

    @property
    def documents(self) -> tuple[Hit, ...]:
        """The documents of ``packed``."""
        return tuple(document.hit for document in self.packed)

    @classmethod
    def of(cls, state: RouterState, documents: Sequence[PromptDocument], actions: tuple[ActionItem, ...]) -> Self:
        """The task of a state after retrieval."""
        units = state.get("units", ())
        return cls(
            question=state["understanding"].question,
            parts=state["sub_queries"],
            packed=tuple(documents),
            actions=actions,
            profile=describe(state.get("user_context")),
            facts=facts(state.get("user_context")),
            user_text=user_text_of(state),
            notes=notes_of(state),
            articles=state["articles"],
            asks=asks_of(state, [document.hit for document in documents]),
            requests=state.get("sums", NO_SUMS).requests,
            case=fact_words(units[0].case) if units else (),
            from_english=state["understanding"].from_english,
        )


def asks_of(state: RouterState, documents: Sequence[Hit]) -> tuple[ExtractiveAsk, ...]:
    """The things asked with what answers them among ``documents``; none where the question only wants to see articles."""
    if state["articles"].is_answer:
        return ()
    return numbered_asks(state.get("units", ()), state.get("sums", NO_SUMS), documents)


def user_text_of(state: RouterState) -> str:
    """All that the user said and is known to be, history included."""
    said = [turn.content for turn in state["history"] if turn.role == "user"]
    return "\n".join([*said, state["query"], describe(state.get("user_context"))])


def notes_of(state: RouterState) -> str:
    """Return what the service says itself, on cited articles and of figures that a sum lacks, a line each; empty where there is nothing."""
    notes = CitedArticles(state["articles"], state["documents"]).notes()
    return "\n".join((*notes, *state.get("sums", NO_SUMS).requests))


class PromptBuilder:
    """Builds the messages: one domain speaks with its agent's prompt, several with the synthesis prompt."""

    def __init__(self, agents: Mapping[str, BaseAgent]) -> None:
        self._agents = agents

    def messages(self, task: GenerationTask) -> list[BaseMessage]:
        """System and user message."""
        single = len(task.parts) == 1
        expert = self._agents[task.parts[0].domain].get_system_prompt() if single else self._synthesis(task.parts)
        system = f"{expert}\n\n{common.ANSWER_RULES.format(max_chars=_max_chars(task))}"
        user = common.USER_TEMPLATE.format(
            context="\n".join([*_case(task), *self._context(task).lines()]),
            articles=CitedArticles(task.articles, task.documents).prompt_block(),
            profile=common.PROFILE_TEMPLATE.format(profile=as_data(task.profile)) if task.profile else "",
            actions=_actions_hint(task.actions) + _requests_hint(task.requests),
            question=as_data(task.question),
        )
        return [SystemMessage(system), HumanMessage(user)]

    def _synthesis(self, parts: Sequence[SubQuery]) -> str:
        labels = dict.fromkeys(self._agents[part.domain].pack.label for part in parts)
        return synthesis.SYSTEM_PROMPT.format(domains=", ".join(labels))

    def _context(self, task: GenerationTask) -> PromptContext:
        labels = {domain: agent.pack.label for domain, agent in self._agents.items()}
        blocks = [document.block for document in task.packed]
        return PromptContext(task.parts, task.asks, task.documents, blocks, labels)

    def extractive_task(self, task: GenerationTask) -> ExtractiveTask:
        """Return the same for the extractive model."""
        cited = CitedArticles(task.articles, task.documents)
        return ExtractiveTask(
            question=task.question,
            parts=tuple(
                ExtractivePart(
                    domain=part.domain,
                    label=self._agents[part.domain].pack.label,
                    question=part.query,
                    other_words=part.terms,
                )
                for part in task.parts
            ),
            documents=extractive_documents(task.documents),
            asks=task.asks,
            requests=task.requests,
            max_chars=_max_chars(task),
            facts=task.facts,
            notes=cited.notes(),
            quotations=cited.quotations(),
            is_citation=cited.is_answer,
        )


def _max_chars(task: GenerationTask) -> int:
    return common.MAX_CHARS_SINGLE if len(task.parts) == 1 else common.MAX_CHARS_MULTI


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
            text=hit.chunk.text,
            domain=hit.chunk.domain,
            relevance=max(0.0, min(1.0, hit.relevance)),
            is_article=hit.chunk.label is not None,
            has_units=hit.chunk.has_units,
            load_terms=partial(_document_terms, hit.chunk),
        )
        for number, hit in enumerate(hits, start=1)
    )


def _actions_hint(actions: Sequence[ActionItem]) -> str:
    if not actions:
        return ""
    lines = "\n".join(f"- {action.label}: {action.description}" for action in actions)
    return f"\n{common.ACTIONS_HINT}\n{lines}\n"


def _requests_hint(requests: Sequence[str]) -> str:
    return f"\n{asks_wording.REQUESTS.format(requests=' '.join(requests))}\n" if requests else ""


def _case(task: GenerationTask) -> list[str]:
    return [asks_wording.CASE.format(facts=on_one_line(as_data(", ".join(task.case))))] if task.case else []
