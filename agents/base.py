"""The base of all domain agents. An agent is a pack's voice: its prompt, its next steps, its collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from chains.rag_chain import RAGChain
from schemas.chat import ActionItem
from utils.law.tax_calendar import TaxDeadline
from utils.prompts.domain import default_prompt
from utils.routing.domain_pack import ActionPack, DomainPack
from utils.routing.search_hints import SearchHint
from vectorstores.search.request import SearchOutcome, SearchRequest


@dataclass(frozen=True, slots=True)
class ActionRule:
    """Offer ``action`` when a question holds all terms of one of the ``keywords`` entries."""

    keywords: tuple[frozenset[str], ...]
    action: ActionItem

    @classmethod
    def of(cls, pack: ActionPack) -> ActionRule:
        """Read the rule as a pack writes it: words joined by ``+`` must occur together."""
        return cls(tuple(frozenset(entry.split("+")) for entry in pack.keywords), pack.item())

    def matches(self, terms: frozenset[str]) -> bool:
        return any(entry <= terms for entry in self.keywords)


class BaseAgent:
    """The agent of one domain, all of it out of the pack. Subclasses say only what cannot be data."""

    domain: ClassVar[str]

    def __init__(self, pack: DomainPack, chain: RAGChain) -> None:
        self.pack = pack
        self.ACTION_RULES = tuple(ActionRule.of(action) for action in pack.actions)
        self.search_hints = tuple(SearchHint.parse(text) for text in pack.search_hints)
        self._chain = chain

    def get_system_prompt(self) -> str:
        """Return the expert prompt of this domain, without the rules common to all."""
        pack = self.pack
        return pack.prompt or default_prompt(pack.label, pack.agent_label, pack.description)

    async def aretrieve_only(self, request: SearchRequest) -> SearchOutcome:
        """Search this domain's collection; no generation.

        Raises:
            vectorstores.errors.VectorStoreUnavailable: no side of the index could be searched.
        """
        return await self._chain.retrieve(self.pack.collection, request)

    def retrieve_only(self, request: SearchRequest) -> SearchOutcome:
        """`aretrieve_only` for callers without an event loop."""
        return self._chain.retrieve_blocking(self.pack.collection, request)

    def suggest_actions(self, terms: frozenset[str]) -> list[ActionItem]:
        """Return next steps for a question, given as its content terms, in the order of the rules."""
        return [rule.action for rule in self.ACTION_RULES if rule.matches(terms)]

    def deadlines(self, question: str, today: date) -> Sequence[TaxDeadline]:
        """Return the deadlines that a question asks for, computed; soonest first. No domain has any unless it says so."""
        return ()
