"""What all domain agents share. An agent is a pack's voice: its prompt, its next steps, its collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chains.rag_chain import RAGChain
from schemas.chat import ActionItem
from utils.domain_pack import DomainPack
from vectorstores.search_request import SearchOutcome, SearchRequest


@dataclass(frozen=True, slots=True)
class ActionRule:
    """Offer ``action`` when a question holds all terms of one of the ``keywords`` entries."""

    keywords: tuple[frozenset[str], ...]
    action: ActionItem

    def matches(self, terms: frozenset[str]) -> bool:
        return any(entry <= terms for entry in self.keywords)


def any_of(*words: str) -> tuple[frozenset[str], ...]:
    """Keyword entries for single words; words joined by ``+`` must occur together."""
    return tuple(frozenset(word.split("+")) for word in words)


class BaseAgent:
    """One domain. Subclasses say only what differs: the domain's key, its prompt, its action rules."""

    domain: ClassVar[str]
    system_prompt: ClassVar[str]
    ACTION_RULES: ClassVar[tuple[ActionRule, ...]] = ()

    def __init__(self, pack: DomainPack, chain: RAGChain) -> None:
        self.pack = pack
        self._chain = chain

    def get_system_prompt(self) -> str:
        """The expert prompt of this domain, without the rules common to all."""
        return self.system_prompt

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
        """Next steps for a question, given as its content terms, in the order of the rules."""
        return [rule.action for rule in self.ACTION_RULES if rule.matches(terms)]
