"""The whole graph.

classify ─► decompose ─► retrieve ─► generate ─► evaluate ─┬─ PASS ─► END
   │                                                       └─ FAIL ─► retry_with_alternatives (once) ─► END
   ├─ taken over by an ability of the assistant, as by that for notices ─► ability ─► END
   └─ chitchat / out of scope / unintelligible ─► respond_directly ─► END

retry_with_alternatives has an error handler: whatever fails in it, or the end of the time for calls, leaves the first answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.nodes import Stages
from agents.state import RouterState, RunContext
from schemas.events import STAGE_LABELS, Stage, StatusEvent
from utils.observability.telemetry import stage_span

ErrorHandler = Callable[[RouterState, NodeError, Runtime[RunContext]], Awaitable[Command[str]]]
Node = Callable[[RouterState, Runtime[RunContext]], Awaitable[RouterState]]
Choice = TypeVar("Choice")
Graph = CompiledStateGraph[RouterState, RunContext, RouterState, RouterState]


class MainRouter:
    """Wires the stages; what a stage does stands in `agents.nodes` and the agents it calls."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self.abilities = stages.abilities.all
        self.graph = self._build()

    def _build(self) -> Graph:
        stages = self._stages
        graph: StateGraph[RouterState, RunContext, RouterState, RouterState] = StateGraph(
            RouterState, context_schema=RunContext
        )
        _add(graph, "classify", Stage.CLASSIFY, stages.classify)
        _add(graph, "decompose", Stage.DECOMPOSE, stages.decompose)
        _add(graph, "retrieve", Stage.RETRIEVE, stages.retrieve)
        _add(graph, "generate", Stage.GENERATE, stages.generate)
        _add(graph, "evaluate", Stage.EVALUATE, stages.evaluate)
        _add(graph, "ability", Stage.RETRIEVE, stages.ability)
        retry = _in_time(stages.retry_with_alternatives)
        _add(graph, "retry_with_alternatives", Stage.RETRY, retry, stages.keep_first_answer)
        _add(graph, "respond_directly", None, stages.respond_directly)

        graph.add_edge(START, "classify")
        graph.add_conditional_edges(
            "classify",
            _decided(stages.way),
            {"ability": "ability", "consult": "decompose", "direct": "respond_directly"},
        )
        graph.add_edge("decompose", "retrieve")
        graph.add_edge("retrieve", "generate")
        graph.add_edge("generate", "evaluate")
        graph.add_conditional_edges(
            "evaluate", _decided(stages.needs_retry), {True: "retry_with_alternatives", False: END}
        )
        graph.add_edge("retry_with_alternatives", END)
        graph.add_edge("ability", END)
        graph.add_edge("respond_directly", END)
        return graph.compile()


def _in_time(node: Node) -> Node:
    """The node, ended with TimeoutError at the deadline of the run's calls, before the request itself ends without an answer."""

    async def run(state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        async with asyncio.timeout(runtime.context.deadline.remaining()):
            return await node(state, runtime)

    return run


def _add(
    graph: StateGraph[Any, Any, Any, Any],
    name: str,
    stage: Stage | None,
    node: Node,
    error_handler: ErrorHandler | None = None,
) -> None:
    """A node that announces its stage to the stream, is a span, and reports how many milliseconds it took."""

    async def run(state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        started = time.perf_counter()
        if stage is not None:
            runtime.stream_writer(StatusEvent(stage=stage, label=STAGE_LABELS[stage]))
        with stage_span(runtime.context.tracer, name):
            update = await node(state, runtime)
        update["timings"] = {stage.value if stage else name: round((time.perf_counter() - started) * 1000, 2)}
        return update

    graph.add_node(name, run, error_handler=error_handler)


def _decided(condition: Callable[[RouterState], Choice]) -> Callable[[RouterState], Awaitable[Choice]]:
    """The condition as the graph asks for it on the event loop; a plain function would be run in a thread."""

    async def decide(state: RouterState) -> Choice:
        return condition(state)

    return decide
