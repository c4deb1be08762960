"""The graph as LangGraph Studio opens it: ``make studio`` serves `graph` as langgraph.json names it.

Studio speaks JSON and knows neither deadlines nor request ids. So the real graph, whose steps it shows, is called by the one node of a graph
that takes the body of ``POST /api/chat`` and gives back its answer.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypedDict, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.graph import Graph as DrawnGraph
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agents.engine import build_engine
from agents.router import Graph as RouterGraph
from agents.serving.answer_shape import to_response
from agents.serving.chat_runner import initial_state
from agents.state import RouterState
from schemas.chat import ChatRequest
from utils.config.settings import load_settings


class StudioState(TypedDict, total=False):
    """The fields of a chat request that Studio fills in, and ``response``, the answer as JSON."""

    message: str
    history: list[dict[str, str]]
    user_context: dict[str, Any] | None
    response: dict[str, Any]


_ERROR_HANDLER = "__error_handler__"  # how LangGraph begins the names of nodes that handle errors
StudioGraph = CompiledStateGraph[StudioState, None, StudioState, StudioState]


@asynccontextmanager
async def graph() -> AsyncIterator[StudioGraph]:
    """The graph over the index in ``DATA_DIR``; its parts are given back with the server that opened it.

    Raises:
        vectorstores.errors.KnowledgeIndexError: there is no index, or one that cannot be used.
    """
    settings = load_settings()
    engine = await asyncio.to_thread(build_engine, settings)
    router = engine.router().graph
    _draw_without_error_handlers(router)

    async def advise(state: StudioState) -> StudioState:
        fields = {name: state[name] for name in ("message", "history", "user_context") if name in state}
        request = ChatRequest.model_validate(fields)
        run = engine.executor.context(uuid.uuid4().hex)
        async with asyncio.timeout(settings.request_timeout):
            end = cast(RouterState, await router.ainvoke(initial_state(request), context=run))
        answer = await asyncio.to_thread(to_response, end, request, run)  # the first reads the prompts
        return {"response": answer.model_dump(mode="json")}

    builder = StateGraph(StudioState)
    builder.add_node("advise", advise)
    builder.add_edge(START, "advise")
    builder.add_edge("advise", END)
    try:
        yield builder.compile()
    finally:
        await engine.aclose()


def _draw_without_error_handlers(router: RouterGraph) -> None:
    """Have a graph drawn without its error handlers: no edge leads to them, and a graph with two beginnings is drawn as one node."""
    draw = router.aget_graph

    async def drawn(config: RunnableConfig | None = None, *, xray: int | bool = False) -> DrawnGraph:
        whole = await draw(config, xray=xray)
        whole.nodes = {name: node for name, node in whole.nodes.items() if not name.startswith(_ERROR_HANDLER)}
        return whole

    router.aget_graph = drawn  # type: ignore[method-assign]
