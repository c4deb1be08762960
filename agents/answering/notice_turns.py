"""Turns about notices as stages of the graph: read in place of the question's understanding, and answered in place of a search."""

from __future__ import annotations

from langgraph.runtime import Runtime

from agents.notices.dialogue import NoticeDialogue
from agents.routing import Routing
from agents.state import Answer, RouterState, RunContext, Understanding
from chains.rag_chain import RAGChain
from schemas.events import ActionEvent, SourceEvent, TokenEvent
from utils.domain_classifier import DomainClassificationResult

_KIND = "notice"


class NoticeTurns:
    """The ability for notices, in the pool of the service."""

    def __init__(self, dialogue: NoticeDialogue, chain: RAGChain, routing: Routing) -> None:
        self.dialogue = dialogue
        self._chain = chain
        self._routing = routing

    async def read(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState | None:
        """Return the changes to the state for a turn about notices; None where it is none."""
        library = self.dialogue.library
        if library.shelf.is_empty:
            return None
        query, kept, today = state["query"], state.get("session_state"), runtime.context.today
        classify = self._routing.classifier.classify
        reading = await self._chain.in_pool(self.dialogue.read, query, state["history"], kept, today, classify)
        if reading is None:
            return None
        domain = library.data.packs[reading.pack].domain
        domains = (domain,) if domain in self._routing.packs.keys() else ()  # noqa: SIM118 - a method
        degradation = self._routing.degradation
        return {
            "notice": reading,
            "understanding": Understanding(query),
            "classification_result": DomainClassificationResult(domains, 1.0, True, "keyword", kind=_KIND),
            "domains": domains,
            "degraded": (degradation,) if degradation else (),
            "trace": {"method": "keyword", "confidence": 1.0, "intent": reading.intent.value, "pack": reading.pack},
        }

    async def answer(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Return the changes to the state with the answer to a turn that was read; the stream is told it."""
        told = await self._chain.in_pool(
            self.dialogue.answer,
            state["notice"],
            state.get("session_state"),
            state.get("user_context"),
            runtime.context.today,
        )
        for source in told.sources:
            runtime.stream_writer(SourceEvent(source=source))
        runtime.stream_writer(TokenEvent(content=told.content))
        for action in told.actions:
            runtime.stream_writer(ActionEvent(action=action))
        return {
            "answer": Answer(told.content, (), told.sources, "rule"),
            "actions": told.actions,
            "session_state": told.state,
            "debug_info": told.debug,
            "degraded": told.degraded,
            "sub_queries": (),
            "retry_count": 0,
        }
