"""Puts the agents together: from the shared parts to the router. The one place that knows all constructors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.abilities.base import AbilityTools
from agents.abilities.hooks import AbilityHooks
from agents.abilities.registry import build_abilities
from agents.evaluator import EvaluatorAgent
from agents.generator import ResponseGeneratorAgent
from agents.nodes import Stages
from agents.notices.dialogue import NoticeDialogue
from agents.retrieval.agent_set import AgentSet
from agents.retrieval.alternatives import AlternativeSearch
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from agents.retrieval.search_mode import SearchMode, SearchStrategySelector
from agents.retrieval.unit_search import UnitSearch
from agents.retrieval_agent import RetrievalAgent
from agents.router import MainRouter
from agents.routing import Routing
from agents.understanding import QuestionUnderstanding
from chains.models.language_model import LanguageModel
from chains.rag_chain import RAGChain
from utils.assistants.pack import AssistantPack
from utils.conclusions.verdict_model import VerdictModel
from utils.config.settings import Settings
from utils.grounding.check import AnswerChecker
from utils.grounding.rule_evaluator import RuleEvaluator
from utils.korean.coverage import QuestionReader
from utils.korean.glossary import Glossary
from utils.protocols import Analyzer
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from utils.routing.domain_pack import PackSet
from utils.usage.ledger import UsageLedger


@dataclass(frozen=True, slots=True)
class SharedParts:
    """The parts of an assistant that are built once at start and shared by all runs. ``routing`` gives the routing by the current domain data."""

    assistant: AssistantPack
    settings: Settings
    chain: RAGChain
    analyzer: Analyzer
    embedder_id: str
    reranker_id: str
    routing: Callable[[], Routing]
    glossary: Glossary
    reader: QuestionReader
    extractive: LanguageModel
    verdicts: VerdictModel
    evaluator: RuleEvaluator
    notices: NoticeDialogue
    usage: UsageLedger

    def packs_in_force(self) -> PackSet:
        """Return the domain packs now in force."""
        return self.routing().packs


def build_agents(parts: SharedParts) -> AgentSet:
    """Build the agents of the domain packs now in force."""
    return AgentSet(parts.packs_in_force(), parts.chain)


def build_retrieval(parts: SharedParts, agents: AgentSet, mode: SearchMode | None = None) -> RetrievalAgent:
    """The retrieve stage alone: also what the retrieval evaluation runs. ``mode`` is searched in whatever the question."""
    settings = parts.settings
    expander = MultiQueryExpander(parts.glossary, parts.analyzer, settings.multi_query_count)
    return RetrievalAgent(
        settings,
        parts.chain,
        agents,
        parts.analyzer,
        SearchPlanner(settings, expander, SearchStrategySelector(settings.enable_adaptive_search, mode)),
        RuleBasedRetrievalEvaluator(settings, parts.embedder_id, parts.reranker_id),
        UnitSearch(parts.analyzer, parts.verdicts),
    )


class RouterInForce:
    """Gives the graph for the routing in force: what a run reads of the domain data is all of one state.

    ``RouterInForce(parts)()`` is the same graph until an operator's edit brings another routing.
    """

    def __init__(self, parts: SharedParts) -> None:
        self._parts = parts
        self._built: tuple[tuple[Routing, MainRouter], ...] = ()  # the newest first, and the one before it

    def __call__(self) -> MainRouter:
        routing = self._parts.routing()
        found = (router for known, router in self._built if known is routing)
        return next(found, None) or self.build(routing)

    def build(self, routing: Routing) -> MainRouter:
        """Build the graph for a routing that is about to be in force; tens of milliseconds."""
        router = build_router(self._parts, routing)
        self._built = ((routing, router), *self._built[:1])
        return router


def build_router(parts: SharedParts, routing: Routing | None = None) -> MainRouter:
    """Build the whole graph for one state of the domain data; None: for that in force now.

    Raises:
        AssistantDataError: the pack asks for an ability that there is not, or gives it wrong parameters.
    """
    settings, chain = parts.settings, parts.chain
    pinned = routing or parts.routing()
    agents = AgentSet(pinned.packs, chain)
    checker = AnswerChecker(parts.glossary.law_aliases)
    retrieval = build_retrieval(parts, agents)
    generator = ResponseGeneratorAgent(chain, agents, parts.extractive, checker)
    evaluator = EvaluatorAgent(settings, chain, parts.evaluator, checker)
    tools = AbilityTools(
        settings=settings,
        parameters={},
        folder=parts.assistant.folder,
        chain=chain,
        routing=pinned,
        retrieval=retrieval,
        generator=generator,
        evaluator=evaluator,
        glossary=parts.glossary,
        analyzer=parts.analyzer,
        notices=parts.notices,
        usage=parts.usage,
    )
    abilities = AbilityHooks(build_abilities(parts.assistant.abilities, tools))
    stages = Stages(
        settings=settings,
        chain=chain,
        agents=agents,
        understanding=QuestionUnderstanding(settings, pinned, chain, abilities.reading_orders),
        routing=pinned,
        retrieval=retrieval,
        generator=generator,
        evaluator=evaluator,
        alternatives=AlternativeSearch(chain.model, parts.glossary, parts.analyzer, tuple(agents)),
        notices=parts.notices,
        abilities=abilities,
    )
    return MainRouter(stages)
