"""Understanding a question: one structured model call where a model is configured, rules otherwise or when it fails."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

import numpy as np
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import AfterValidator, BaseModel, Field, create_model

from agents.routing import Routing
from agents.state import RunContext, Understanding, WordedQuery
from chains.models.errors import ModelUnavailable
from chains.models.usage import ModelPurpose
from chains.rag_chain import RAGChain
from schemas.chat import Component, Degradation, Turn
from utils.config.settings import Settings
from utils.documents import on_one_line
from utils.domain_classifier import DomainClassificationResult
from utils.english.reading import in_korean
from utils.law.question_references import last_cited
from utils.prompts import understanding as prompt
from utils.prompts.data import as_data
from utils.prompts.messages import without_english_lead
from utils.question_decomposer import SubQuery
from utils.resilience.shared_results import SharedResults
from utils.routing.domain_pack import DEFAULT_REJECTION
from utils.routing.evidence import logit
from utils.routing.follow_up import told_by_user
from vectorstores.units.search import FoundUnit

_HISTORY_TURNS = 6
_MODEL_CONFIDENCE = 0.9
# Of the questions that were turned away, those for this service lie above with three exceptions of 21, and those of private life below
# (owners' questions learned from, out_of_scope.jsonl).
_OUTWEIGHS = -2.4
_MAX_LISTED = 10  # sub-questions or variants of one reply


_Item = TypeVar("_Item")


def _first(items: list[_Item]) -> list[_Item]:
    """A model that does not stop is searched for no longer than one that does."""
    return items[:_MAX_LISTED]


_Variants = Annotated[list[Annotated[str, Field(max_length=2000)]], AfterValidator(_first)]


class _SubQueryReply(BaseModel):
    domain: str
    query: str = Field(min_length=1, max_length=2000)
    variants: _Variants = Field(default_factory=list)


class _WordedReply(BaseModel):
    korean: str = Field(min_length=1, max_length=2000)
    english: str = Field("", max_length=2000)
    tags: Annotated[list[Annotated[str, Field(max_length=100)]], AfterValidator(_first)] = Field(default_factory=list)


class UnderstandingReply(BaseModel):
    """The reply that the model is asked for; see `utils.prompts.understanding`.

    ``variants`` are of the whole question: some models give them beside the sub-questions instead of within. ``queries`` come
    where an ability asks for them (`ReadingOrders`).
    """

    kind: str
    domains: list[str] = Field(default_factory=list)
    question: str = Field(min_length=1, max_length=2000)
    sub_queries: Annotated[list[_SubQueryReply], AfterValidator(_first)] = Field(default_factory=list)
    variants: _Variants = Field(default_factory=list)
    queries: Annotated[list[_WordedReply], AfterValidator(_first)] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ReadingOrders:
    """Orders of an ability to the model that reads questions, in place of those for domains; ``history`` messages are read with it.

    ``system`` has ``{kinds}`` in it, for the kinds of questions, and asks for `UnderstandingReply` with ``queries``.
    """

    system: str
    history: int


def _reply_of(kinds: Sequence[str]) -> type[UnderstandingReply]:
    """Return the type of a reply of which the kind is one of ``kinds``."""
    kind = Field(pattern=f"^({'|'.join(kinds)})$")
    return create_model("UnderstandingReply", __base__=UnderstandingReply, kind=(str, kind))


@dataclass(frozen=True, slots=True)
class UnderstoodQuestion:
    """The outcome of the classify stage; ``spelling`` is, for the trace, what was read differently from how it was typed.

    ``query`` and ``history`` are the conversation in Korean.
    """

    understanding: Understanding
    classification: DomainClassificationResult
    spelling: Mapping[str, str]
    query: str
    history: tuple[Turn, ...]
    degraded: tuple[Degradation, ...] = ()


class QuestionUnderstanding:
    """Domains, standalone rewrite, sub-questions and query variants of a question, by one state of the domain data."""

    def __init__(
        self,
        settings: Settings,
        routing: Routing,
        chain: RAGChain,
        orders: ReadingOrders | None = None,
    ) -> None:
        """``orders``: those of an ability of the assistant, where one has any."""
        self._settings = settings
        self._orders = orders
        self._routing = routing
        self._chain = chain
        self._model = chain.model
        self._packs = {pack.key: pack for pack in routing.packs.domains}
        rejections = [pack.kind for pack in routing.packs.rejections]
        self._kinds = tuple(dict.fromkeys(("consult", *rejections, DEFAULT_REJECTION, "unintelligible")))
        self._schema = _reply_of(self._kinds)
        self._replies = (
            SharedResults[UnderstandingReply](settings.cache_size, settings.cache_ttl)
            if settings.enable_understanding_cache
            else None
        )

    async def understand(self, question: str, history: Sequence[Turn], run: RunContext) -> UnderstoodQuestion:
        """Never raises for a model that fails: the rules answer then, and the failure is named."""
        if not self._model.supports(ModelPurpose.UNDERSTANDING):
            return await self._chain.in_pool(self.by_rule, question, history)
        try:
            reply, awaited = await self._reply(self._messages(question, history), run)
        except ModelUnavailable as error:
            failed = Degradation(component=Component.LLM, reason=f"understanding: {error.reason}")
            return await self._chain.in_pool(self.by_rule, question, history, (failed,))
        return await self._chain.in_pool(self._from_reply, reply, question, history, awaited)

    async def _reply(self, messages: list[BaseMessage], run: RunContext) -> tuple[UnderstandingReply, bool]:
        """The model's reply, kept for equal messages, and whether it had to be waited for.

        The messages hold the prompt, the domains, the question and its history.

        What is made of a reply is not kept, for it also rests on the index and the domain data.

        Raises:
            ModelUnavailable: no valid reply; the next equal question is asked anew.
        """

        async def ask() -> UnderstandingReply:
            return await self._model.complete_json(
                ModelPurpose.UNDERSTANDING, messages, self._schema, run.deadline, run.usage
            )

        if self._replies is None:
            return await ask(), True
        key = _digest(messages)
        if (kept := self._replies.kept(key)) is not None:
            return kept, False
        return await self._replies.made(key, ask), True

    def by_rule(
        self, asked: str, history: Sequence[Turn] = (), degraded: tuple[Degradation, ...] = ()
    ) -> UnderstoodQuestion:
        """Understand a question without a model; blocking, milliseconds."""
        reads_english = self._settings.enable_english_reading
        told = tuple(map(_turn_in_korean, history)) if reads_english else tuple(history)
        korean = in_korean(asked, follows_up=bool(history)) if reads_english else None
        query = asked if korean is None else korean
        read = self._chain.correct_spelling(query)
        standalone = self._spelled_out(read.text, told)
        if standalone is None:
            standalone = self._routing.decomposer.resolve_follow_up(read.text, told)
        understanding = Understanding(standalone, follows_up=standalone != read.text, from_english=korean is not None)
        trace = read.trace if korean is None else {"english": korean, **read.trace}
        return UnderstoodQuestion(understanding, self._classified(standalone), trace, query, told, degraded)

    def _spelled_out(self, question: str, history: Sequence[Turn]) -> str | None:
        """The question with the articles it cites in full, which stands alone then; None when it cites none."""
        finder = self._chain.searcher.law_names
        spelled = finder.spelled_out(question, last_cited(told_by_user(history), finder))
        return spelled if finder.articles(spelled) else None

    def _classified(self, question: str) -> DomainClassificationResult:
        """The domains by rule. A question that cites an article, or that an answer unit answers, is one for us."""
        result = self._routing.classifier.classify(question)
        if result.is_relevant:
            return result
        cited = self._chain.searcher.law_names.articles(question)
        law = next((key for key, pack in self._packs.items() if pack.is_law), None)
        if cited and law is not None:
            laws = tuple(dict.fromkeys(reference.law for reference in cited))
            return DomainClassificationResult((law,), 1.0, True, "keyword", laws)
        unit = self._chain.searcher.units.nearest(question) if result.confidence < 1 else None
        if unit is not None and unit.chunk.domain in self._packs and _is_for_us_by(unit, result):
            return DomainClassificationResult((unit.chunk.domain,), unit.answers, True, "vector")
        return result

    def _from_reply(
        self, reply: UnderstandingReply, asked: str, history: Sequence[Turn], awaited: bool
    ) -> UnderstoodQuestion:
        """The reply made valid; its rewrite counts only if it keeps every article that was ``asked`` for."""
        finder = self._chain.searcher.law_names
        read = self._chain.correct_spelling(asked)
        spelled = self._spelled_out(read.text, history)
        kept = spelled is None or set(finder.articles(spelled)).issubset(finder.articles(reply.question))
        question = reply.question if spelled is None or kept else spelled
        domains = tuple(dict.fromkeys(name for name in reply.domains if name in self._packs))
        sub_queries = tuple(
            SubQuery(part.domain, part.query, tuple(part.variants))
            for part in reply.sub_queries
            if part.domain in domains
        )
        follows_up = self._routing.decomposer.resolve_follow_up(read.text, history) != read.text
        queries = tuple(WordedQuery(each.korean, each.english, tuple(each.tags)) for each in reply.queries)
        understanding = Understanding(
            question, sub_queries, tuple(reply.variants), awaited, follows_up, queries=queries
        )
        # A model that says "consult" and names no domain we know has not classified: the rules do.
        undecided = reply.kind == "consult" and not domains
        overruled = reply.kind != "consult" and (spelled is not None or not self._settings.enable_domain_rejection)
        told = tuple(history)
        if not self._settings.llm_classifies_domains or undecided or overruled:
            return UnderstoodQuestion(understanding, self._classified(question), read.trace, asked, told)
        relevant = reply.kind == "consult"
        classification = DomainClassificationResult(
            domains=domains if relevant else (),
            confidence=_MODEL_CONFIDENCE,
            is_relevant=relevant,
            method="llm",
            matched_keywords=(),
            kind=reply.kind,
        )
        return UnderstoodQuestion(understanding, classification, read.trace, asked, told)

    def _messages(self, question: str, history: Sequence[Turn]) -> list[BaseMessage]:
        kinds, read = " | ".join(self._kinds), history[-_HISTORY_TURNS:]
        if self._orders is None:
            domains = "\n".join(f"- {key}: {pack.label}. {pack.description}" for key, pack in self._packs.items())
            variants = self._settings.multi_query_count
            system = prompt.SYSTEM_PROMPT.format(domains=domains, kinds=kinds, variants=variants)
        else:
            system = self._orders.system.replace("{kinds}", kinds)
            read = history[-self._orders.history :] if self._orders.history else ()
        # a turn is a line, so that none can hold another
        turns = "\n".join(f"- {turn.role}: {on_one_line(as_data(turn.content))}" for turn in read)
        user = prompt.USER_TEMPLATE.format(history=turns, question=as_data(question))
        return [SystemMessage(system), HumanMessage(user)]


def _turn_in_korean(turn: Turn) -> Turn:
    """A message before: a user's as it is read where it was in English, an answer without its English line."""
    if turn.role == "user":
        return turn.model_copy(update={"content": in_korean(turn.content, follows_up=True) or turn.content})
    return turn.model_copy(update={"content": without_english_lead(turn.content)})


def _is_for_us_by(unit: FoundUnit, turned_away: DomainClassificationResult) -> bool:
    """The evidence of the best answer unit outweighs that of the routing, added as log odds."""
    for_us = np.array([unit.answers, 1 - turned_away.confidence])
    return float(logit(for_us).sum()) >= _OUTWEIGHS


def _digest(messages: Sequence[BaseMessage]) -> str:
    """Equal for equal messages; it shows nothing of the question."""
    return hashlib.sha256("\x1e".join(str(message.content) for message in messages).encode()).hexdigest()
