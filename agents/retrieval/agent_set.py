"""The agents of one state of the domain packs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agents.base import BaseAgent
from agents.finance_tax import FinanceTaxAgent
from agents.hr_labor import HRLaborAgent
from agents.legal import LegalAgent
from agents.startup_funding import StartupFundingAgent
from chains.rag_chain import RAGChain
from utils.routing.domain_pack import PackSet

_OWN_CLASSES: Mapping[str, type[BaseAgent]] = {
    agent.domain: agent for agent in (StartupFundingAgent, FinanceTaxAgent, HRLaborAgent, LegalAgent)
}


class AgentSet(Mapping[str, BaseAgent]):
    """The agents, one for each domain, in the order of the packs; a pack without a class of its own gets a `BaseAgent`.

    Immutable: other packs make another set.
    """

    def __init__(self, packs: PackSet, chain: RAGChain) -> None:
        self.packs = packs
        self._agents = {pack.key: _OWN_CLASSES.get(pack.key, BaseAgent)(pack, chain) for pack in packs.domains}
        self.law = self._agents[packs.law.key] if packs.law is not None else None
        """The agent of the law, if there is one."""

    def __getitem__(self, domain: str) -> BaseAgent:
        return self._agents[domain]

    def __iter__(self) -> Iterator[str]:
        return iter(self._agents)

    def __len__(self) -> int:
        return len(self._agents)
