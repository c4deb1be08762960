"""The messages of one generation: the same for every model, with the structured task beside them for the extractive one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from agents.answering.cited_articles import CitedArticles
from agents.answering.company_profile import describe, facts
from agents.base import BaseAgent
from agents.state import NO_SUMS, AskedUnits, ComputedSums, RouterState
from chains.context import PromptDocument
from chains.extractive_task import (
    DocumentTerms,
    ExtractiveAsk,
    ExtractiveDocument,
    ExtractivePart,
    ExtractiveTask,
    ExtractiveUnit,
)
from schemas.chat import ActionItem
from utils.documents import Chunk, Hit, Scalar, on_one_line
from utils.prompts import common, synthesis
from utils.prompts.data import as_data
from utils.question_decomposer import SubQuery
from vectorstores.search.articles import NOTHING_CITED, ArticleLookup


@dataclass(frozen=True, slots=True)
class GenerationTask:
    """What an answer is written from: ``articles`` are those that the question cites.

    ``documents`` are those that a model gets to read, and ``blocks`` how each of them stands in the prompt. ``user_text`` is all that the user said, and ``notes`` what the service says of cited articles that are not there.
    """

    question: str
    parts: tuple[SubQuery, ...]
    documents: tuple[Hit, ...]
    blocks: tuple[str, ...]
    actions: tuple[ActionItem, ...]
    profile: str
    facts: dict[str, Scalar]
    user_text: str
    notes: str
    articles: ArticleLookup = NOTHING_CITED
    units: tuple[AskedUnits, ...] = ()
    sums: ComputedSums = NO_SUMS

    @classmethod
    def of(cls, state: RouterState, documents: Sequence[PromptDocument], actions: tuple[ActionItem, ...]) -> Self:
        """The task of a state after retrieval."""
        return cls(
            question=state["understanding"].question,
            parts=state["sub_queries"],
            documents=tuple(one.hit for one in documents),
            blocks=tuple(one.block for one in documents),
            actions=actions,
            profile=describe(state.get("user_context")),
            facts=facts(state.get("user_context")),
            user_text=user_text_of(state),
            notes=notes_of(state),
            articles=state["articles"],
            units=state.get("units", ()),
            sums=state.get("sums", NO_SUMS),
        )


def user_text_of(state: RouterState) -> str:
    """All that the user said and is known to be, history included."""
    said = [turn.content for turn in state["history"] if turn.role == "user"]
    return "\n".join([*said, state["query"], describe(state.get("user_context"))])


def notes_of(state: RouterState) -> str:
    """What the service itself says of cited articles, a line each."""
    return "\n".join(CitedArticles(state["articles"], state["documents"]).notes())


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
            context="\n".join(task.blocks if single else self._by_domain(task)),
            articles=CitedArticles(task.articles, task.documents).prompt_block(),
            profile=common.PROFILE_TEMPLATE.format(profile=as_data(task.profile)) if task.profile else "",
            actions=_actions_hint(task.actions),
            question=as_data(task.question),
        )
        return [SystemMessage(system), HumanMessage(user)]

    def _synthesis(self, parts: Sequence[SubQuery]) -> str:
        labels = dict.fromkeys(self._agents[part.domain].pack.label for part in parts)
        return synthesis.SYSTEM_PROMPT.format(domains=", ".join(labels))

    def _by_domain(self, task: GenerationTask) -> Iterator[str]:
        """Each domain with its sub-question and its documents, which keep their numbers; at the end the domains not asked for."""
        asked = {part.domain: part.query for part in task.parts}
        blocks: dict[str, list[str]] = {domain: [] for domain in asked}
        for hit, block in zip(task.documents, task.blocks, strict=True):
            blocks.setdefault(hit.chunk.domain, []).append(block)
        for domain, own in blocks.items():
            template = synthesis.ASKED_TEMPLATE if domain in asked else synthesis.BESIDE_TEMPLATE
            question = on_one_line(as_data(asked.get(domain, "")))
            yield template.format(label=self._agents[domain].pack.label, question=question)
            yield from own or [synthesis.NO_DOCUMENT]

    def extractive_task(self, task: GenerationTask) -> ExtractiveTask:
        """Return the same for the extractive model."""
        cited = CitedArticles(task.articles, task.documents)
        return ExtractiveTask(
            question=task.question,
            parts=tuple(
                ExtractivePart(domain=part.domain, label=self._agents[part.domain].pack.label, question=part.query)
                for part in task.parts
            ),
            documents=extractive_documents(task.documents),
            asks=tuple(_extractive_asks(task)),
            requests=task.sums.requests,
            max_chars=_max_chars(task),
            facts=task.facts,
            notes=cited.notes(),
            quotations=cited.quotations(),
            is_citation=cited.is_answer,
        )


def _extractive_asks(task: GenerationTask) -> Iterator[ExtractiveAsk]:
    """The things asked with the units of the documents that a model gets to read."""
    numbers = {hit.chunk.doc_id: number for number, hit in reversed(list(enumerate(task.documents, start=1)))}
    for asked in task.units:
        units = tuple(
            ExtractiveUnit(
                document=numbers[found.chunk.doc_id],
                name=found.unit.name,
                sentences=tuple(sentence.text for sentence in found.unit.sentences),
                score=found.score,
                verdict=None if place else asked.verdict,
            )
            for place, found in enumerate(asked.units)
            if found.chunk.doc_id in numbers
        )
        sums = tuple(
            ExtractiveUnit(
                document=numbers[one.hit.chunk.doc_id], name=one.hit.chunk.title, sentences=(one.sentence,), score=0.0
            )
            for one in task.sums.conclusions
            if one.ask == asked.ask and one.hit.chunk.doc_id in numbers
        )
        yield ExtractiveAsk(
            ask=asked.ask,
            units=units,
            sums=sums,
            is_answered=asked.is_answered and asked.units[0].chunk.doc_id in numbers,
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
