"""Puts the agents together: from the shared parts to the router. The one place that knows all constructors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.base import BaseAgent
from agents.evaluator import EvaluatorAgent
from agents.finance_tax import FinanceTaxAgent
from agents.generator import ResponseGeneratorAgent
from agents.hr_labor import HRLaborAgent
from agents.legal import LegalAgent
from agents.retrieval.multi_query import MultiQueryExpander
from agents.retrieval.plan import SearchPlanner
from agents.retrieval.strategy import SearchMode, SearchStrategySelector
from agents.retrieval_agent import RetrievalAgent
from agents.retry import AlternativeSearch
from agents.router import MainRouter
from agents.stages import Stages
from agents.startup_funding import StartupFundingAgent
from agents.understanding import QuestionUnderstanding
from chains.llm import LanguageModel
from chains.rag_chain import RAGChain
from utils.answer_evaluation import RuleEvaluator
from utils.config.settings import Settings
from utils.domain_pack import PackSet
from utils.glossary import Glossary
from utils.grounding import AnswerChecker
from utils.protocols import Analyzer
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator
from utils.routing import Routing

AGENT_TYPES: tuple[type[BaseAgent], ...] = (StartupFundingAgent, FinanceTaxAgent, HRLaborAgent, LegalAgent)


@dataclass(frozen=True, slots=True)
class SharedParts:
    """What is built once at start and shared by all agents. ``routing`` gives the one for the current domain data."""

    settings: Settings
    chain: RAGChain
    analyzer: Analyzer
    embedder_id: str
    reranker_id: str
    packs: PackSet
    routing: Callable[[], Routing]
    glossary: Glossary
    extractive: LanguageModel


def build_agents(parts: SharedParts) -> dict[str, BaseAgent]:
    """One agent a domain, in the order of the packs."""
    types = {agent.domain: agent for agent in AGENT_TYPES}
    packs = [pack for pack in parts.packs.domains if pack.key in types]
    return {pack.key: types[pack.key](pack, parts.chain) for pack in packs}


def build_retrieval(parts: SharedParts, agents: dict[str, BaseAgent], mode: SearchMode | None = None) -> RetrievalAgent:
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
    )


def build_router(parts: SharedParts) -> MainRouter:
    """The whole graph."""
    settings, chain = parts.settings, parts.chain
    agents = build_agents(parts)
    checker = AnswerChecker(parts.glossary.law_aliases)
    stages = Stages(
        settings=settings,
        chain=chain,
        agents=agents,
        understanding=QuestionUnderstanding(settings, parts.routing, chain, {k: a.pack for k, a in agents.items()}),
        routing=parts.routing,
        retrieval=build_retrieval(parts, agents),
        generator=ResponseGeneratorAgent(chain, agents, parts.extractive, checker),
        evaluator=EvaluatorAgent(
            settings,
            chain,
            RuleEvaluator(parts.analyzer, settings.evaluation_threshold, parts.glossary.wordings),
            checker,
        ),
        alternatives=AlternativeSearch(chain.model, parts.glossary, tuple(agents)),
    )
    return MainRouter(stages)
