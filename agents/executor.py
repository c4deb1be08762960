"""Does what an action of an answer offers: the registry of handlers by kind of action."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from agents.paperwork.generation import DocumentGeneration, GeneratedDocument
from schemas.chat import ActionType
from schemas.funding.notices import FundingSearchRequest, FundingSearchResults
from schemas.paperwork import PaperRequest
from schemas.tax_calendar import TaxpayerKind
from utils.law.calendar_file import CALENDAR_MEDIA_TYPE, calendar_file
from utils.law.tax_calendar import deadlines_between

_CALENDAR_DAYS = 366


@dataclass(frozen=True, slots=True)
class CalendarFile:
    """Deadlines as a file to take into a calendar."""

    content: str
    media_type: str


ActionResult = GeneratedDocument | CalendarFile | FundingSearchResults
Handler = Callable[[Mapping[str, Any], date], Awaitable[ActionResult]]
"""Takes the params of an action and the day in Korea. What it raises is told by its own module."""


FundingSearch = Callable[[FundingSearchRequest, date], Awaitable[FundingSearchResults]]
"""Finds notices on a day in Korea."""


class ActionNotExecutable(LookupError):
    """Nothing is done for actions of this kind: they tell where to turn to."""


class ActionExecutor:
    """Executes actions by their kind.

    >>> executor = ActionExecutor({ActionType.TAX_CALENDAR: tax_calendar})
    >>> executor.can_execute(ActionType.LEGAL_CONSULTATION)
    False
    """

    def __init__(self, handlers: Mapping[ActionType, Handler]) -> None:
        self._handlers = dict(handlers)

    def can_execute(self, action: ActionType) -> bool:
        """Return whether there is a handler for actions of this kind."""
        return action in self._handlers

    async def execute(self, action: ActionType, params: Mapping[str, Any], today: date) -> ActionResult:
        """Do what an action with these params offers.

        Raises:
            ActionNotExecutable: there is no handler for its kind.
        """
        handler = self._handlers.get(action)
        if handler is None:
            raise ActionNotExecutable(action.value)
        return await handler(params, today)


def build_executor(documents: DocumentGeneration, find_notices: FundingSearch | None = None) -> ActionExecutor:
    """Return the executor of the service; without ``find_notices`` none searches for support programmes."""

    async def document_generation(params: Mapping[str, Any], today: date) -> ActionResult:
        return await documents.generate(PaperRequest.model_validate(dict(params)), today)

    handlers: dict[ActionType, Handler] = {
        ActionType.DOCUMENT_GENERATION: document_generation,
        ActionType.TAX_CALENDAR: tax_calendar,
    }
    if find_notices is not None:
        search = find_notices

        async def funding_search(params: Mapping[str, Any], today: date) -> ActionResult:
            return await search(FundingSearchRequest.model_validate(dict(params)), today)

        handlers[ActionType.FUNDING_SEARCH] = funding_search
    return ActionExecutor(handlers)


async def tax_calendar(params: Mapping[str, Any], today: date) -> ActionResult:
    """Return the deadlines of a year from today as a file; with ``name`` those of that name alone."""
    found = await asyncio.to_thread(
        deadlines_between, today, today + timedelta(days=_CALENDAR_DAYS), list(TaxpayerKind)
    )
    name = params.get("name")
    wanted = [upcoming for upcoming in found if name in (None, upcoming.deadline.name)]
    return CalendarFile(calendar_file(wanted, datetime.now(UTC)), CALENDAR_MEDIA_TYPE)
