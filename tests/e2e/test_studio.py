"""LangGraph's own server, as ``make studio`` starts it, runs a question through the graph and tells Studio what to draw."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.own_server import program
from utils.config.settings import PROJECT_ROOT, Settings

pytestmark = [pytest.mark.slow, pytest.mark.services]

SERVER = PROJECT_ROOT / "build" / "studio" / "bin" / "langgraph"
STAGES = {"classify", "decompose", "retrieve", "generate", "evaluate"}


@pytest.fixture(scope="module")
def studio(starter_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """The server, where ``make install-studio`` has installed it."""
    program("langgraph", str(SERVER.parent))
    folder = tmp_path_factory.mktemp("studio")
    shutil.copytree(starter_settings.data_dir, folder / "var", symlinks=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(SERVER), "dev", "--no-browser", "--no-reload", "--port", str(port)]
    environment = {**os.environ, "DATA_DIR": str(folder / "var"), "LANGSMITH_TRACING": "false"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=PROJECT_ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120, trust_env=False) as client:
            _wait_for(client, process, folder / "log")
            yield client
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def _wait_for(client: httpx.Client, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            if client.get("/ok").is_success:
                return
        except httpx.TransportError:
            goes_on = process.poll() is None and time.monotonic() < until
            assert goes_on, log.read_text(encoding="utf-8")[-3000:]
            time.sleep(0.5)


def test_a_question_is_answered_with_its_sources(studio: httpx.Client) -> None:
    body = {"assistant_id": "bizi", "input": {"message": "퇴직금은 언제까지 줘야 하나요?"}}
    answer: dict[str, Any] = studio.post("/runs/wait", json=body).raise_for_status().json()["response"]
    assert "14일" in answer["content"]
    assert answer["sources"]


def test_studio_is_told_of_every_stage(studio: httpx.Client) -> None:
    (assistant,) = studio.post("/assistants/search", json={}).raise_for_status().json()
    drawn = studio.get(f"/assistants/{assistant['assistant_id']}/graph", params={"xray": "true"}).json()
    assert {f"advise:{stage}" for stage in STAGES} <= {node["id"] for node in drawn["nodes"]}
