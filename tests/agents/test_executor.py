"""Actions are executed by their kind."""

from __future__ import annotations

from datetime import date

import pytest
from pydantic import ValidationError

from agents.executor import ActionExecutor, ActionNotExecutable, CalendarFile, build_executor
from agents.paperwork.generation import DocumentGeneration, GeneratedDocument
from schemas.chat import ActionType

TODAY = date(2026, 11, 23)


@pytest.fixture
def executor() -> ActionExecutor:
    return build_executor(DocumentGeneration())


async def test_a_document_is_generated_from_the_params(executor: ActionExecutor) -> None:
    params = {"type": "nda", "fields": {"discloser_name": "다온랩"}, "dry_run": True}
    made = await executor.execute(ActionType.DOCUMENT_GENERATION, params, TODAY)
    assert isinstance(made, GeneratedDocument)
    assert made.check.title == "비밀유지계약서"
    assert made.file is None
    with pytest.raises(ValidationError):
        await executor.execute(ActionType.DOCUMENT_GENERATION, {"type": "nda", "colour": "red"}, TODAY)


async def test_deadlines_come_as_a_calendar(executor: ActionExecutor) -> None:
    every = await executor.execute(ActionType.TAX_CALENDAR, {}, TODAY)
    named = await executor.execute(ActionType.TAX_CALENDAR, {"name": "부가가치세 확정신고·납부"}, TODAY)
    assert isinstance(every, CalendarFile)
    assert isinstance(named, CalendarFile)
    assert named.content.count("BEGIN:VEVENT") == 2  # January and July
    assert every.content.count("BEGIN:VEVENT") > 20


async def test_what_only_tells_where_to_turn_is_not_executed(executor: ActionExecutor) -> None:
    assert not executor.can_execute(ActionType.LEGAL_CONSULTATION)
    with pytest.raises(ActionNotExecutable):
        await executor.execute(ActionType.LEGAL_CONSULTATION, {"phone": "132"}, TODAY)
