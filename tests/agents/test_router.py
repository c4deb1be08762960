"""Which stages run, in what order, what a stream hears of them, and what each leaves behind for the next."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import date
from typing import Any, cast

import pytest
from langgraph.errors import NodeError
from langgraph.graph import END
from langgraph.types import Command

from agents.abilities.hooks import AbilityHooks
from agents.router import MainRouter
from agents.state import RouterState, RunContext
from schemas.chat import Component, Degradation
from schemas.events import STAGE_LABELS, Stage, StatusEvent, TokenEvent
from utils.resilience.deadline import Deadline

SEARCHED = ["classify", "decompose", "retrieve", "generate", "evaluate"]


@dataclass
class WrittenStages:
    """Stages that do as a test says: what they decide, and which of them breaks."""

    is_ours: bool = True
    fails_evaluation: bool = False
    is_taken_over: bool = False
    broken: str = ""
    endless: str = ""
    ran: list[str] = field(default_factory=list)
    seen: dict[str, RouterState] = field(default_factory=dict)

    @property
    def abilities(self) -> AbilityHooks:
        return AbilityHooks(())

    def __getattr__(self, name: str) -> Any:
        async def stage(state: RouterState, runtime: Any) -> RouterState:
            if name == self.broken:
                raise RuntimeError(name)
            if name == self.endless:
                await asyncio.sleep(60)
            self.ran.append(name)
            self.seen[name] = state
            runtime.stream_writer(TokenEvent(content=name))
            return {
                "query": name,
                "degraded": (Degradation(component=Component.LLM, reason=name),),
                "trace": {name: True},
            }

        return stage

    async def keep_first_answer(self, state: RouterState, error: NodeError, runtime: Any) -> Command[str]:
        self.ran.append(f"kept after {type(error.error).__name__}")
        runtime.stream_writer(TokenEvent(content="kept"))
        return Command(update={"query": "kept"}, goto=END)

    def way(self, _: RouterState) -> str:
        if self.is_taken_over:
            return "ability"
        return "consult" if self.is_ours else "direct"

    def needs_retry(self, _: RouterState) -> bool:
        return self.fails_evaluation


async def run(stages: WrittenStages, seconds: float = 10) -> tuple[RouterState, list[str]]:
    """The last state, and what the stream heard: a stage's name where it is announced, with brackets where it ran."""
    heard: list[str] = []
    state: Any = {"query": "질문", "history": (), "degraded": (), "timings": {}, "trace": {}}
    context = RunContext("1", Deadline.after(seconds), date(2026, 1, 1), streaming=True)
    graph = MainRouter(cast("Any", stages)).graph
    async for mode, payload in graph.astream(state, context=context, stream_mode=["custom", "values"]):
        if mode == "values":
            state = payload
        elif isinstance(payload, StatusEvent):
            assert payload.label == STAGE_LABELS[payload.stage]
            heard.append(payload.stage.value)
        else:
            heard.append(f"[{cast('TokenEvent', payload).content}]")
    return state, heard


@pytest.mark.parametrize(
    ("stages", "order"),
    [
        (WrittenStages(), SEARCHED),
        (WrittenStages(fails_evaluation=True), [*SEARCHED, "retry_with_alternatives"]),
        (WrittenStages(is_ours=False), ["classify", "respond_directly"]),
        (WrittenStages(is_ours=False, fails_evaluation=True), ["classify", "respond_directly"]),
        (WrittenStages(is_taken_over=True), ["classify", "ability"]),
    ],
    ids=["answered", "retried once and no more", "turned away", "turned away without an evaluation", "about notices"],
)
async def test_the_order_of_the_stages(stages: WrittenStages, order: list[str]) -> None:
    await run(stages)
    assert stages.ran == order


async def test_a_stage_is_announced_before_it_says_anything() -> None:
    _, heard = await run(WrittenStages(fails_evaluation=True))
    names = [*SEARCHED, "retry_with_alternatives"]
    announced = [*SEARCHED, Stage.RETRY.value]
    assert heard == [text for stage, name in zip(announced, names, strict=True) for text in (stage, f"[{name}]")]


async def test_who_is_turned_away_hears_of_no_search() -> None:
    _, heard = await run(WrittenStages(is_ours=False))
    assert heard == ["classify", "[classify]", "[respond_directly]"]


async def test_every_stage_that_ran_has_its_time() -> None:
    state, _ = await run(WrittenStages(fails_evaluation=True))
    assert list(state["timings"]) == [stage.value for stage in Stage]
    assert all(milliseconds >= 0 for milliseconds in state["timings"].values())
    state, _ = await run(WrittenStages(is_ours=False))
    assert list(state["timings"]) == ["classify", "respond_directly"]


async def test_degradations_and_trace_grow_and_all_else_is_replaced() -> None:
    stages = WrittenStages()
    state, _ = await run(stages)
    assert [lack.reason for lack in state["degraded"]] == SEARCHED
    assert list(state["trace"]) == SEARCHED
    assert state["query"] == "evaluate"
    assert [stages.seen[name]["query"] for name in SEARCHED] == ["질문", *SEARCHED[:-1]]


async def test_a_stage_that_breaks_ends_the_run() -> None:
    stages = WrittenStages(broken="retrieve")
    with pytest.raises(RuntimeError, match="retrieve"):
        await run(stages)
    assert stages.ran == ["classify", "decompose"]


@pytest.mark.parametrize(
    ("stages", "why"),
    [
        (WrittenStages(fails_evaluation=True, broken="retry_with_alternatives"), "RuntimeError"),
        (WrittenStages(fails_evaluation=True, endless="retry_with_alternatives"), "TimeoutError"),
    ],
    ids=["breaks", "takes too long"],
)
async def test_a_retry_that_does_not_come_to_an_end_leaves_the_first_answer(stages: WrittenStages, why: str) -> None:
    state, heard = await run(stages, seconds=0.5)
    assert stages.ran == [*SEARCHED, f"kept after {why}"]
    assert state["query"] == "kept"
    assert heard[-2:] == [Stage.RETRY.value, "[kept]"]
