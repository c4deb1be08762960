"""Turns about notices: read in place of the question's understanding, and answered in place of a search."""

from __future__ import annotations

from typing import ClassVar

from langgraph.runtime import Runtime

from agents.abilities.base import Ability, AbilityTools
from agents.state import Answer, RouterState, RunContext, Understanding
from schemas.events import ActionEvent, SourceEvent, TokenEvent
from utils.domain_classifier import DomainClassificationResult

_KIND = "notice"


class NoticeAbility(Ability):
    """Lists, references to them and questions on a selected notice (`agents.notices`)."""

    name: ClassVar[str] = "notices"

    def __init__(self, tools: AbilityTools) -> None:
        super().__init__(tools)
        if tools.parameters:
            raise ValueError(f"unknown parameters {sorted(tools.parameters)}")
        self._dialogue = tools.notices

    async def claims(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState | None:
        """Take over a turn about notices."""
        library, routing = self._dialogue.library, self.tools.routing
        if library.shelf.is_empty:
            return None
        query, kept, today = state["query"], state.get("session_state"), runtime.context.today
        classify = routing.classifier.classify
        reading = await self.tools.chain.in_pool(self._dialogue.read, query, state["history"], kept, today, classify)
        if reading is None:
            return None
        domain = library.data.packs[reading.pack].domain
        domains = (domain,) if domain in routing.packs.keys() else ()  # noqa: SIM118 - a method
        degradation = routing.degradation
        return {
            "notice": reading,
            "understanding": Understanding(query),
            "classification_result": DomainClassificationResult(domains, 1.0, True, "keyword", kind=_KIND),
            "domains": domains,
            "degraded": (degradation,) if degradation else (),
            "trace": {"method": "keyword", "confidence": 1.0, "intent": str(reading.intent), "pack": reading.pack},
        }

    async def answer(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Answer with a list, a notice of it, or what that one says, with the notices as sources."""
        told = await self.tools.chain.in_pool(
            self._dialogue.answer,
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
