"""Drafts of the narrative sections of a document, from the user's facts and the knowledge base; nothing ungrounded stays."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import aclosing

from langchain_core.messages import HumanMessage, SystemMessage

from agents.paperwork.generation import DocumentGeneration
from agents.retrieval.budget import DocumentBudget
from agents.retrieval.plan import SearchPlanner
from chains.models.errors import ModelUnavailable
from chains.models.usage import ModelPurpose, UsageMeter
from chains.rag_chain import RAGChain
from schemas.chat import ActionType
from utils.config.settings import Settings
from utils.documents import Hit
from utils.grounding.answer_sentences import CITATION
from utils.grounding.check import AnswerChecker
from utils.grounding.sources import grounding_sources
from utils.korean.glossary import load_glossary
from utils.paperwork.templates.field_types import FieldsModel, FieldSpec
from utils.paperwork.templates.template import Template
from utils.prompts import paperwork as prompt
from utils.prompts.data import as_data
from utils.question_decomposer import SubQuery
from utils.resilience.deadline import Deadline
from utils.routing.domain_pack import DomainPack, PackSet
from vectorstores.errors import VectorStoreUnavailable

_SOURCES = 4
_LONGEST_FACTS = 6_000
_LONGEST_CONTEXT = 6_000
_SPACES = re.compile(r"[ \t]{2,}")


class SectionDrafter:
    """Writes sections by the model. ``packs`` gives the domain packs in force; ``seconds`` bound all sections of a document."""

    def __init__(
        self,
        chain: RAGChain,
        planner: SearchPlanner,
        packs: Callable[[], PackSet],
        checker: AnswerChecker,
        seconds: float,
    ) -> None:
        self._chain = chain
        self._planner = planner
        self._packs = packs
        self._checker = checker
        self._seconds = seconds

    async def drafts(self, template: Template, values: FieldsModel) -> dict[str, str]:
        """Return the texts of the empty sections that a model may draft, by field; those that failed are left out."""
        empty = [field for field in template.drafted_fields if getattr(values, field.name) is None]
        facts = _facts(template, values)
        if not empty or not facts:
            return {}  # without a fact there is nothing to write from
        deadline = Deadline.after(self._seconds)
        texts = await asyncio.gather(*(self._draft(template, field, facts, deadline) for field in empty))
        return {field.name: text for field, text in zip(empty, texts, strict=True) if text}

    async def _draft(self, template: Template, field: FieldSpec, facts: str, deadline: Deadline) -> str:
        hits = await self._found(template, f"{template.label} {field.label} {facts[:200]}")
        user = prompt.USER_TEMPLATE.format(
            section=as_data(f"{template.label}의 '{field.label}': {field.draft}"),
            facts=as_data(facts),
            documents=self._chain.format_context(hits, _LONGEST_CONTEXT),
        )
        messages = [SystemMessage(prompt.SYSTEM_PROMPT), HumanMessage(user)]
        pieces: list[str] = []
        try:
            stream = self._chain.model.stream(ModelPurpose.GENERATION, messages, deadline, UsageMeter())
            async with aclosing(stream):
                async for piece in stream:
                    pieces.append(piece)  # noqa: PERF401  # a comprehension would not close the stream
        except ModelUnavailable:
            return ""  # half a section is none
        return await self._chain.in_pool(self._grounded, "".join(pieces), hits, facts)

    async def _found(self, template: Template, query: str) -> Sequence[Hit]:
        """Return documents of the domain that offers the type; none where no domain does, or nothing can be searched."""
        pack = next((pack for pack in self._packs().domains if _offers(pack, template.key)), None)
        if pack is None:
            return ()
        try:
            with self._chain.lease():
                return (await self._chain.in_pool(self._search, pack, query))[:_SOURCES]
        except VectorStoreUnavailable:
            return ()

    def _search(self, pack: DomainPack, query: str) -> tuple[Hit, ...]:
        searcher, budget = self._chain.searcher, DocumentBudget(_SOURCES, _SOURCES, _SOURCES)
        plan = self._planner.plan(searcher, SubQuery(pack.key, query), pack.collection, budget)
        return searcher.search(pack.collection, plan.request).hits

    def _grounded(self, text: str, hits: Sequence[Hit], facts: str) -> str:
        """Return the sentences whose claims stand in the sources or in what the user told, and the titles they cite."""
        report = self._checker.check(text, grounding_sources(hits), facts)
        kept = [check for check in report.sentences if not check.unsupported_claims and not check.is_blank]
        if not kept:
            return ""
        written = " ".join(CITATION.sub("", text[check.start : check.end]).strip() for check in kept)
        cited = dict.fromkeys(hits[number - 1].chunk.title for check in kept for number in check.sources)
        sources = f"\n참고 자료: {'; '.join(cited)}" if cited else ""
        return _SPACES.sub(" ", written).strip() + sources


def build_generation(
    settings: Settings, chain: RAGChain, planner: SearchPlanner, packs: Callable[[], PackSet], pool: Executor
) -> DocumentGeneration:
    """Return what writes documents; where a model is configured, with drafts that take at most half of a request's time."""
    if not settings.model_configured:
        return DocumentGeneration(pool)
    checker = AnswerChecker(load_glossary().law_aliases)
    return DocumentGeneration(pool, SectionDrafter(chain, planner, packs, checker, settings.request_timeout / 2))


def _offers(pack: DomainPack, key: str) -> bool:
    return any(
        action.type is ActionType.DOCUMENT_GENERATION and action.params.get("type") == key for action in pack.actions
    )


def _facts(template: Template, values: FieldsModel) -> str:
    """Return what the user filled in, a line for each field."""
    lines = []
    for field in template.fields:
        value = getattr(values, field.name)
        if field.columns:
            rows = [", ".join(str(cell) for cell in row.model_dump().values() if cell is not None) for row in value]
            lines += [f"{field.label}: {row}" for row in rows if row]
        elif value is not None and not isinstance(value, bool):
            lines.append(f"{field.label}: {field.choices.get(str(value), value)}")
    return "\n".join(lines)[:_LONGEST_FACTS]
