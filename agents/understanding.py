"""Understanding a question: one structured model call where a model is configured, rules otherwise or when it fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from agents.legal import LEGAL_DOMAIN
from agents.state import RunContext, Understanding
from chains.model_errors import ModelUnavailable
from chains.rag_chain import RAGChain
from schemas.chat import Component, Degradation, Turn
from utils.config.settings import Settings
from utils.domain_classifier import DomainClassificationResult
from utils.domain_pack import DomainPack
from utils.legal_reference import last_cited
from utils.model_calls import ModelPurpose
from utils.prompts import understanding as prompt
from utils.question_decomposer import SubQuery
from utils.routing import Routing

_HISTORY_TURNS = 6
_MODEL_CONFIDENCE = 0.9


class _SubQueryReply(BaseModel):
    domain: str
    query: str = Field(min_length=1, max_length=2000)


class UnderstandingReply(BaseModel):
    """What the model is asked for; see `utils.prompts.understanding`."""

    kind: Literal["consult", "chitchat", "out_of_scope", "unintelligible"]
    domains: list[str] = Field(default_factory=list)
    question: str = Field(min_length=1, max_length=2000)
    sub_queries: list[_SubQueryReply] = Field(default_factory=list)
    variants: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class UnderstoodQuestion:
    """What the classify stage hands on; ``spelling`` is, for the trace, what was read differently from how it was typed."""

    understanding: Understanding
    classification: DomainClassificationResult
    spelling: Mapping[str, str]
    degraded: tuple[Degradation, ...] = ()


class QuestionUnderstanding:
    """Domains, standalone rewrite, sub-questions and query variants of a question."""

    def __init__(
        self,
        settings: Settings,
        routing: Callable[[], Routing],
        chain: RAGChain,
        packs: Mapping[str, DomainPack],
    ) -> None:
        self._settings = settings
        self._routing = routing
        self._chain = chain
        self._model = chain.model
        self._packs = packs

    async def understand(self, question: str, history: Sequence[Turn], run: RunContext) -> UnderstoodQuestion:
        """Never raises for a model that fails: the rules answer then, and the failure is named."""
        if not self._model.supports(ModelPurpose.UNDERSTANDING):
            return await self._chain.in_pool(self._by_rule, question, history)
        try:
            reply = await self._model.complete_json(
                ModelPurpose.UNDERSTANDING,
                self._messages(question, history),
                UnderstandingReply,
                run.deadline,
                run.usage,
            )
        except ModelUnavailable as error:
            failed = Degradation(component=Component.LLM, reason=f"understanding: {error.reason}")
            return await self._chain.in_pool(self._by_rule, question, history, (failed,))
        return await self._chain.in_pool(self._from_reply, reply, question, history)

    def _by_rule(
        self, asked: str, history: Sequence[Turn], degraded: tuple[Degradation, ...] = ()
    ) -> UnderstoodQuestion:
        read = self._chain.as_meant(asked)
        standalone = self._spelled_out(read.text, history)
        if standalone is None:
            standalone = self._routing().decomposer.resolve_follow_up(read.text, history)
        return UnderstoodQuestion(Understanding(standalone), self._classified(standalone), read.trace, degraded)

    def _spelled_out(self, question: str, history: Sequence[Turn]) -> str | None:
        """The question with the articles it cites in full, which stands alone then; None when it cites none."""
        finder = self._chain.searcher.law_names
        said = [turn.content for turn in history[-_HISTORY_TURNS:] if turn.role == "user"]
        spelled = finder.spelled_out(question, last_cited(said, finder))
        return spelled if finder.articles(spelled) else None

    def _classified(self, question: str) -> DomainClassificationResult:
        """The domains by rule. A question that cites an article is one for us, whatever else it says."""
        result = self._routing().classifier.classify(question)
        cited = () if result.is_relevant else self._chain.searcher.law_names.articles(question)
        if not cited or LEGAL_DOMAIN not in self._packs:
            return result
        laws = tuple(dict.fromkeys(one.law for one in cited))
        return DomainClassificationResult((LEGAL_DOMAIN,), 1.0, True, "keyword", laws)

    def _from_reply(self, reply: UnderstandingReply, asked: str, history: Sequence[Turn]) -> UnderstoodQuestion:
        """The reply made valid; its rewrite counts only if it keeps every article that was ``asked`` for."""
        finder = self._chain.searcher.law_names
        read = self._chain.as_meant(asked)
        spelled = self._spelled_out(read.text, history)
        kept = spelled is None or set(finder.articles(spelled)).issubset(finder.articles(reply.question))
        question = reply.question if spelled is None or kept else spelled
        domains = tuple(dict.fromkeys(name for name in reply.domains if name in self._packs))
        sub_queries = tuple(SubQuery(one.domain, one.query) for one in reply.sub_queries if one.domain in domains)
        understanding = Understanding(question, sub_queries, tuple(reply.variants))
        # A model that says "consult" and names no domain we know has not classified: the rules do.
        undecided = reply.kind == "consult" and not domains
        overruled = reply.kind != "consult" and (spelled is not None or not self._settings.enable_domain_rejection)
        if not self._settings.llm_classifies_domains or undecided or overruled:
            return UnderstoodQuestion(understanding, self._classified(question), read.trace)
        relevant = reply.kind == "consult"
        classification = DomainClassificationResult(
            domains=domains if relevant else (),
            confidence=_MODEL_CONFIDENCE,
            is_relevant=relevant,
            method="llm",
            matched_keywords=(),
            kind=reply.kind,
        )
        return UnderstoodQuestion(understanding, classification, read.trace)

    def _messages(self, question: str, history: Sequence[Turn]) -> list[BaseMessage]:
        domains = "\n".join(f"- {key}: {pack.label}. {pack.description}" for key, pack in self._packs.items())
        system = prompt.SYSTEM_PROMPT.format(domains=domains, variants=self._settings.multi_query_count)
        turns = "\n".join(f"{turn.role}: {turn.content}" for turn in history[-_HISTORY_TURNS:])
        return [SystemMessage(system), HumanMessage(prompt.USER_TEMPLATE.format(history=turns, question=question))]
