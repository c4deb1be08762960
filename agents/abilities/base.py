"""The interface of an ability: hooks that the stages of the graph call, and what an ability may use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from langgraph.runtime import Runtime
from pydantic import BaseModel, ValidationError

from agents.evaluator import EvaluatorAgent
from agents.generator import ResponseGeneratorAgent
from agents.notices.dialogue import NoticeDialogue
from agents.retrieval_agent import RetrievalAgent
from agents.routing import Routing
from agents.state import Answer, RouterState, RunContext
from agents.understanding import ReadingOrders
from chains.models.language_model import LanguageModel
from chains.rag_chain import RAGChain
from schemas.assistants import Medium, Need
from schemas.chat import ChatRequest, Degradation
from utils.config.settings import Settings
from utils.documents import Hit
from utils.korean.glossary import Glossary
from utils.protocols import Analyzer
from utils.routing.domain_pack import first_message
from utils.usage.ledger import UsageLedger

Parameters = TypeVar("Parameters", bound=BaseModel)
Write = Callable[[RouterState, tuple[Hit, ...]], Awaitable[tuple[Answer, tuple[Degradation, ...]]]]
"""Writes an answer from these documents and evaluates it; with what was unavailable meanwhile."""


@dataclass(frozen=True, slots=True)
class AbilityTools:
    """The parts of its assistant that an ability may use, for one state of the domain data.

    ``parameters`` are those of the pack, ``folder`` is where it lies.
    """

    settings: Settings
    parameters: Mapping[str, Any]
    folder: Path
    chain: RAGChain
    routing: Routing
    retrieval: RetrievalAgent
    generator: ResponseGeneratorAgent
    evaluator: EvaluatorAgent
    glossary: Glossary
    analyzer: Analyzer
    notices: NoticeDialogue
    usage: UsageLedger

    @property
    def model(self) -> LanguageModel:
        """The model of the assistant; the extractive one where none is configured."""
        return self.chain.model

    def parameters_as(self, kind: type[Parameters]) -> Parameters:
        """Return the parameters of the pack, validated; raises ``ValueError`` that names the first wrong one."""
        try:
            return kind.model_validate(self.parameters)
        except ValidationError as error:
            raise ValueError(first_message(error)) from error


class Ability:
    """Hooks that the stages call in the order of the pack. Each returns changes to the state, as a node does; each default none.

    ``name`` is that in packs, ``takes`` what a request may carry for it besides text. A subclass reads its parameters from the tools when it is
    built and raises ``ValueError`` for those it does not know. A hook never raises for a model or a server that fails: it names that in ``degraded``.
    """

    name: ClassVar[str]
    takes: ClassVar[frozenset[Medium]] = frozenset()

    def __init__(self, tools: AbilityTools) -> None:
        self.tools = tools

    def needs(self) -> tuple[Need, ...]:
        """Return what it needs besides the index, and whether that is there; blocking, and no server is asked."""
        return ()

    def reading_orders(self) -> ReadingOrders | None:
        """Return what the model that reads questions is told in place of the usual; the first ability that says anything counts."""
        return None

    def check(self, request: ChatRequest) -> None:
        """Refuse what a request carries for it: raises ``ValueError`` with a Korean sentence; blocking, milliseconds."""
        return

    async def before_classify(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Change the question before anything reads it, as by the description of an image."""
        return {}

    async def claims(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState | None:
        """Take the question over from routing: the changes then stand in for those of the classify stage. None: not this one."""
        return None

    async def answer(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Answer a question that the ability took over; it tells the stream itself."""
        raise NotImplementedError(f"{self.name} takes over no question")

    async def after_classify(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Change the reading of the question or its domains; ``claimed_by`` takes it over here as well."""
        return {}

    async def after_decompose(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Change what is searched for."""
        return {}

    async def after_retrieve(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Change what was found."""
        return {}

    async def after_generate(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Change the answer; the stage tells the stream the new one."""
        return {}

    async def after_evaluate(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Change the evaluation of the answer; one that failed is tried again."""
        return {}

    async def try_again(self, state: RouterState, runtime: Runtime[RunContext], write: Write) -> RouterState | None:
        """Search and write once more, in place of the usual second attempt. None: the usual one. The stage tells the stream."""
        return None

    async def before_end(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Change the final answer, as by a part from elsewhere under a heading of its own; the stage tells the stream."""
        return {}
