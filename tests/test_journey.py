"""docs/journey.md tells what happens: its question is asked, and what ran is compared with the document."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agents.engine import Engine
from agents.router import Graph
from agents.state import Answer, RetrievalResult, RouterState, RunContext, Understanding
from evaluation.commands.trace import PACKAGES, Function, Tracer
from schemas.chat import ActionItem
from tests.e2e.conftest import serving
from utils.config.settings import PROJECT_ROOT, Settings
from utils.documents import Hit
from utils.domain_classifier import DomainClassificationResult
from utils.question_decomposer import SubQuery
from vectorstores.tokenizer import KiwiTokenizer

DOCUMENT = PROJECT_ROOT / "docs" / "journey.md"
QUESTION = "부가가치세 신고 기한이 언제인가요?"
START, END = "Request", "Response"
NOT_RUN = frozenset({"agents/state.py", "agents/retrieval/graduated_retry.py", "tests/test_journey.py"})
"""Files that the document names beside the main line: a type, a step that is not needed here, and this test."""

_SPAN = re.compile(r"`([^`\n]+)`")
_HOP = re.compile(r"^\| `([\w/]+\.py)` \| `([\w.]+)` \| .+ \|$", re.MULTILINE)
_KEY = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the document: file and function of each hop, and the keys of the state with their values."""

    title: str
    hops: list[tuple[str, str]]
    state: dict[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """A node that ran, what it set, and all keys after it."""

    node: str
    update: RouterState
    keys: frozenset[str]


@dataclass(slots=True)
class Journey:
    """Everything that was seen of one question; ``functions`` stand in the order in which they began."""

    steps: list[Step] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)

    def place(self, file: str, name: str) -> int | None:
        """Return how many functions had begun before this one did; None if it never ran."""
        found = (place for place, known in enumerate(self.functions) if (known.file, known.name) == (file, name))
        return next(found, None)


class WatchedGraph:
    """The graph of the service, which also notes each of its steps."""

    def __init__(self, graph: Graph, steps: list[Step]) -> None:
        self._graph = graph
        self._steps = steps

    async def ainvoke(self, initial: RouterState, context: RunContext) -> RouterState:
        state, node, update = initial, START, initial
        both = self._graph.astream(initial, context=context, stream_mode=["updates", "values"])
        async for mode, payload in both:
            if mode == "updates":
                ((node, update),) = cast(Mapping[str, RouterState], payload).items()
            else:
                state = cast(RouterState, payload)
                self._steps.append(Step(node, update, frozenset(state)))
        return state


@cache
def sections() -> list[Section]:
    _, *parts = DOCUMENT.read_text(encoding="utf-8").split("\n## ")
    return [
        Section(part.partition("\n")[0], _HOP.findall(part), {key: value.strip() for key, value in _KEY.findall(part)})
        for part in parts
    ]


@pytest.fixture(scope="module")
def journey(starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory) -> Journey:
    """The question over HTTP, on a copy of the starter index, with every setting as it comes."""
    data_dir = tmp_path_factory.mktemp("journey") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    seen = Journey()

    def watch(engine: Engine) -> None:
        router = engine.executor._router
        watched: Any = engine.executor
        watched._router = lambda: SimpleNamespace(graph=WatchedGraph(router().graph, seen.steps))

    tracer = Tracer(packages=(*PACKAGES, "routes"))
    with tracer.installed(), serving(Settings(data_dir=data_dir), tokenizer, watch) as client:
        seen.steps.clear()  # of the question that the service asks itself at its start
        with tracer.recording():
            response = client.post("/api/chat", json={"message": QUESTION})
    assert response.status_code == 200, response.text
    seen.functions += dict.fromkeys(call.function for call in tracer.calls)
    return seen


def shown(value: object) -> str:
    """Return the short form in which the document shows a value of the state."""
    match value:
        case None | ():
            return "none"
        case dict() if not value:
            return "none"
        case Understanding():
            return f"question: {value.question}"
        case DomainClassificationResult():
            return f"{value.kind}, by {value.method}"
        case Answer():
            verdict = "not evaluated"
            if value.evaluation is not None:
                verdict = "passed" if value.evaluation.passed else "failed"
            return f"{value.model}, {len(value.sources)} sources, {verdict}"
        case SubQuery():
            return f"{value.domain}: {value.query}"
        case RetrievalResult():
            return f"{value.domain}: {value.mode}, {len(value.hits)} hits, {'passed' if value.passed else 'failed'}"
        case ActionItem():
            return value.type.value
        case (Hit(), *_):
            return f"{len(value)} hits"
        case tuple():
            return ", ".join(map(shown, value))
        case dict():
            return ", ".join(
                name if isinstance(item, float) else f"{name}={item}" for name, item in value.items()
            )  # times and probabilities are others each time
        case str() | int():
            return str(value)
    return type(value).__name__


def test_the_document_asks_the_question() -> None:
    assert f'"{QUESTION}"' in DOCUMENT.read_text(encoding="utf-8")
    assert (PROJECT_ROOT / "README.md").read_text(encoding="utf-8").count("](docs/journey.md)") == 2


def test_nodes_stand_in_the_order_in_which_they_ran(journey: Journey) -> None:
    assert [section.title for section in sections()] == [*(step.node for step in journey.steps), END]


def test_the_state_after_each_node_is_as_told(journey: Journey) -> None:
    told = {section.title: section.state for section in sections()}
    for step in journey.steps:
        assert told[step.node] == {key: shown(value) for key, value in step.update.items()}, step.node
    assert told[END] == {}


def test_no_key_comes_or_goes_but_by_a_node(journey: Journey) -> None:
    keys: set[str] = set()
    for section, step in zip(sections(), journey.steps, strict=False):
        keys |= section.state.keys()
        assert step.keys == keys, step.node


def test_every_function_named_was_run_in_this_order(journey: Journey) -> None:
    hops = [hop for section in sections() for hop in section.hops]
    assert all(section.hops for section in sections())
    places = {hop: journey.place(*hop) for hop in hops}
    assert [hop for hop, place in places.items() if place is None] == [], "named, but not run"
    assert len(places) == len(hops), "a function is named twice"
    assert hops == sorted(hops, key=lambda hop: cast(int, places[hop]))


def test_nothing_is_named_that_was_not_compared(journey: Journey) -> None:
    """Every span is a hop or a key of the state, a file that ran, or one of the few others."""
    compared = {name for section in sections() for hop in section.hops for name in hop}
    compared |= {key for section in sections() for key in section.state}
    ran = {function.file for function in journey.functions}
    named = set(_SPAN.findall(DOCUMENT.read_text(encoding="utf-8"))) - compared - ran - NOT_RUN
    assert named == {"POST /api/chat", "python -m evaluation trace"}
