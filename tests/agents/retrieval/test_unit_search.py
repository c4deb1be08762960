"""Which things asked the answer units answer, which they only come near to, and how sure a yes or no must be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from agents.engine import Engine
from agents.retrieval import unit_search
from agents.state import AskedUnits, RouterState
from schemas.chat import ChatRequest

Ask = Callable[[str], RouterState]


def units_of(asked: Ask, question: str) -> AskedUnits:
    [found] = asked(question)["units"]
    return found


def test_what_tells_of_the_matter_but_not_the_amount_asked_for_is_offered(asked: Ask) -> None:
    amount = units_of(asked, "카페에서 멜론 틀면 저작권료 한달에 얼마 내요?")
    duty = units_of(asked, "카페에서 멜론 틀면 저작권료 내야 하나요?")
    assert (amount.is_answered, amount.is_offered) == (False, True)
    assert (duty.is_answered, duty.is_offered) == (True, False)


@pytest.mark.parametrize(
    "question", ["세무사 사무실 전화번호 알려주세요", "수원 영통에 김밥집 내면 한달 매출 얼마나 나올까요"]
)
def test_what_no_unit_comes_near_to_is_neither_answered_nor_offered(asked: Ask, question: str) -> None:
    found = units_of(asked, question)
    assert (found.is_answered, found.is_offered) == (False, False)
    assert found.verdict is None


def test_a_yes_or_no_is_said_of_a_unit_that_surely_answers_only(
    asked: Ask, starter_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "직원한테 유니폼값 받아도 되나요?"
    sure = units_of(asked, question)
    assert sure.verdict is False
    monkeypatch.setattr(unit_search, "_VERDICT_FROM", sure.units[0].answers + 0.01)
    executor = starter_engine.executor
    [unsure] = asyncio.run(executor.last_state(ChatRequest(message=question), executor.context("1")))["units"]
    assert unsure.is_answered
    assert unsure.verdict is None


def test_a_yes_or_no_is_said_once_the_deciding_fact_is_told(asked: Ask) -> None:
    """Of a shop of four or fewer the answer is another one."""
    assert units_of(asked, "수습기간에 해고해도 되나요?").verdict is None
    assert units_of(asked, "직원 10명인데 수습기간에 해고해도 되나요?").verdict is False
