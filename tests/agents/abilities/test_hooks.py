"""Abilities are asked in their order, each seeing what those before it changed; the stream is told an answer that changes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from agents.abilities.base import Ability
from agents.abilities.hooks import AbilityHooks
from agents.state import RouterState
from schemas.chat import Component, Degradation

RUNTIME = cast("Any", SimpleNamespace())
LACK = Degradation(component=Component.LLM, reason="x")


class Adding(Ability):
    """Adds a letter to the question."""

    name: ClassVar[str] = "adding"

    def __init__(self, letter: str) -> None:
        self.letter = letter

    async def before_classify(self, state: RouterState, runtime: Any) -> RouterState:
        return {"query": state["query"] + self.letter, "degraded": (LACK,), "trace": {self.letter: True}}


class Claiming(Ability):
    """Takes over questions on weather."""

    name: ClassVar[str] = "claiming"

    def __init__(self) -> None:
        pass

    async def claims(self, state: RouterState, runtime: Any) -> RouterState | None:
        return {"domains": ()} if "날씨" in state["query"] else None

    async def answer(self, state: RouterState, runtime: Any) -> RouterState:
        return {"retry_count": 7}


@pytest.mark.asyncio
async def test_each_ability_sees_the_changes_before_it_and_what_grows_is_kept() -> None:
    hooks = AbilityHooks([Adding("가"), Claiming(), Adding("나")])
    state: RouterState = {"query": "질문", "degraded": (), "trace": {}}
    update = await hooks.after("before_classify", state, {}, RUNTIME)
    assert update["query"] == "질문가나"
    assert update["degraded"] == (LACK, LACK)
    assert update["trace"] == {"가": True, "나": True}


@pytest.mark.asyncio
async def test_the_ability_that_takes_a_question_over_answers_it() -> None:
    hooks = AbilityHooks([Adding("가"), Claiming()])
    assert await hooks.claimed({"query": "퇴직금"}, RUNTIME) is None
    claimed = await hooks.claimed({"query": "날씨"}, RUNTIME)
    assert claimed == {"domains": (), "claimed_by": "claiming"}
    assert await hooks.answer(claimed, RUNTIME) == {"retry_count": 7}
