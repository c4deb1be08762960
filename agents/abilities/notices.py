"""Turns about notices: read in place of the question's understanding, and answered in place of a search."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, ClassVar

from langgraph.runtime import Runtime

from agents.abilities.base import Ability, AbilityTools
from agents.abilities.notice_wording import NoticeWording
from agents.notices.reading import Focus
from agents.state import Answer, RouterState, RunContext, Understanding
from schemas.assistants import Need
from schemas.chat import SessionState
from schemas.events import ActionEvent, SourceEvent, TokenEvent
from schemas.notice_state import DebugInfo, NoticeIntent
from utils.domain_classifier import DomainClassificationResult

_KIND = "notice"
_MISSING = "‘{key}’ 공고가 없습니다. python -m vectorstores notices import <JSONL> --pack {key}"


class NoticeAbility(Ability):
    """Lists, references to them and questions on a selected notice (`agents.notices`).

    Parameters: ``packs``, the kinds of notices that it talks about (all where there is none), and ``leads``: they are what the assistant is for, so
    that a list needs no word for notices.
    """

    name: ClassVar[str] = "notices"

    def __init__(self, tools: AbilityTools) -> None:
        super().__init__(tools)
        self._dialogue = tools.notices
        self._wording = NoticeWording(tools)
        self._focus = _focus(tools.parameters, tools.notices.library.data.packs)

    def needs(self) -> tuple[Need, ...]:
        """Return its notices, where it is for some in particular."""
        shelf = self._dialogue.library.shelf
        return tuple(
            Need(name=f"notices:{key}", is_met=is_met, remedy="" if is_met else _MISSING.format(key=key))
            for key in self._focus.packs
            for is_met in (not shelf.of((key,)).is_empty,)
        )

    async def claims(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState | None:
        """Take over a turn about notices."""
        library, routing = self._dialogue.library, self.tools.routing
        if library.shelf.of(self._focus.packs).is_empty:
            return None
        query, kept, today = state["query"], state.get("session_state"), runtime.context.today
        classify = routing.classifier.classify
        reading = await self.tools.chain.in_pool(
            self._dialogue.read, query, state["history"], kept, today, classify, self._focus
        )
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

    async def after_classify(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Give a turn that is none of its own a state to go on from, and an intent, where notices are what the assistant is for."""
        if not self._focus.leads:
            return {}
        debug = DebugInfo(intent=NoticeIntent.GENERAL_CHAT.value)
        return {"session_state": state.get("session_state") or SessionState(), "debug_info": debug}

    async def answer(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Answer with a list, a notice of it, or what that one says (in the model's words where there is one), with the notices as sources."""
        found = await self.tools.chain.in_pool(
            self._dialogue.answer,
            state["notice"],
            state.get("session_state"),
            state.get("user_context"),
            runtime.context.today,
        )
        worded = await self._wording.worded(found, runtime.context)
        told = worded.told
        for source in told.sources:
            runtime.stream_writer(SourceEvent(source=source))
        runtime.stream_writer(TokenEvent(content=told.content))
        for action in told.actions:
            runtime.stream_writer(ActionEvent(action=action))
        return {
            "answer": Answer(told.content, (), told.sources, worded.model),
            "actions": told.actions,
            "session_state": told.state,
            "debug_info": told.debug,
            "degraded": told.degraded,
            "sub_queries": (),
            "retry_count": 0,
        }


def _focus(parameters: Mapping[str, Any], known: Container[str]) -> Focus:
    """Read the parameters. Raises ``ValueError`` for those that there are not."""
    packs, leads = parameters.get("packs", []), parameters.get("leads", False)
    if unknown := sorted(set(parameters) - {"packs", "leads"}):
        raise ValueError(f"unknown parameters {unknown}")
    if not isinstance(packs, list) or not all(isinstance(key, str) and key in known for key in packs):
        raise ValueError(f"packs: {packs!r}: no list of kinds of notices that there are")
    if not isinstance(leads, bool):
        raise ValueError(f"leads: {leads!r}: neither true nor false")  # noqa: TRY004 - as every wrong parameter
    return Focus(tuple(packs), leads)
