"""The graph that LangGraph Studio opens answers with the real stages, and speaks JSON."""

from __future__ import annotations

import json

import pytest

from agents.assistants.studio import StudioState, graph
from evaluation.commands.documents.graph_picture import drawn
from utils.config.settings import PROJECT_ROOT, Settings

PICTURE = PROJECT_ROOT / "docs" / "images" / "graph.svg"
"""The picture of the graph in docs/programs.md."""


@pytest.fixture(autouse=True)
def of_the_starter_index(starter_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("data_dir", "enable_question_log", "enable_chat_log", "enable_sessions"):
        monkeypatch.setenv(name.upper(), str(getattr(starter_settings, name)))


async def test_a_question_runs_through_the_stages_of_the_real_graph() -> None:
    stages: list[str] = []
    response = None
    async with graph() as studio:
        question: StudioState = {"message": "퇴직금은 언제까지 줘야 하나요?", "history": []}
        async for path, update in studio.astream(question, stream_mode="updates", subgraphs=True):
            stages += [*update] if path else []
            response = update.get("advise", {}).get("response", response)
        shown = (await studio.aget_graph(xray=True)).to_json()
    assert stages == ["classify", "decompose", "retrieve", "generate", "evaluate"]
    assert {f"advise:{stage}" for stage in stages} < {node["id"] for node in shown["nodes"]}
    assert drawn(shown["edges"]) == PICTURE.read_text(encoding="utf-8"), "python -m evaluation graph-picture"
    assert response is not None
    assert "14일" in json.loads(json.dumps(response))["content"]
    assert response["sources"]
