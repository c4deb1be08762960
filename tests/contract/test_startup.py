"""Starting, and refusing to start, as an operator sees it."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
import uvicorn

from agents.sessions.service_store import kept_sessions, session_store
from main import create_app
from routes.dependencies import Services
from tests.contract.conftest import CHAT_KEY, make_settings, running
from tests.contract.stub_service import StubServices
from tests.support.redis_server import RedisServer
from utils.config.settings import PROJECT_ROOT, Settings
from utils.middleware.error_boundary import StartupError
from utils.observability.telemetry import Telemetry


def run_main(**environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "main.py"]
    return subprocess.run(
        command,
        cwd=PROJECT_ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_another_host_without_keys_is_refused_by_name() -> None:
    result = run_main(HOST="0.0.0.0", API_KEYS="", LOG_FORMAT="text")
    assert result.returncode == 2
    assert "HOST" in result.stderr
    assert "API_KEYS" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_key_that_cannot_be_used_is_refused_without_showing_it() -> None:
    result = run_main(API_KEYS=f"web={CHAT_KEY}")
    assert result.returncode == 2
    assert "API_KEYS" in result.stderr
    assert CHAT_KEY not in result.stderr


def test_a_folder_that_cannot_hold_the_counts_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run_main(METRICS_DIR=str(tmp_path / "file" / "counts"))
    assert result.returncode == 2
    assert "METRICS_DIR" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_port_of_the_metrics_that_is_taken_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = make_settings(metrics_port=taken.getsockname()[1])
        config = uvicorn.Config(create_app(settings, StubServices()), lifespan="on", log_config=None, port=0)
        with caplog.at_level(logging.INFO, logger="uvicorn.error"), pytest.raises(SystemExit):
            uvicorn.Server(config).run()
    assert "METRICS_PORT" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_known_reason_not_to_start_is_one_sentence(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Settings, _telemetry: Telemetry) -> AbstractAsyncContextManager[Services]:
        raise StartupError("색인이 없습니다.")

    config = uvicorn.Config(create_app(make_settings(), broken), lifespan="on", log_config=None, port=0)
    # another server of the same process may have silenced uvicorn's logger
    with caplog.at_level(logging.INFO, logger="uvicorn.error"), pytest.raises(SystemExit):
        uvicorn.Server(config).run()
    assert "색인이 없습니다." in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.services
def test_a_store_of_conversations_that_cannot_work_stops_the_start(caplog: pytest.LogCaptureFixture) -> None:
    """The Redis of the distributions has no search, which its saver needs."""

    @asynccontextmanager
    async def factory(settings: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
        async with kept_sessions(session_store(settings)), StubServices()(settings, telemetry) as services:
            yield services

    with RedisServer() as server:
        app = create_app(make_settings(session_url=server.url), factory)
        with caplog.at_level(logging.INFO, logger="uvicorn.error"), pytest.raises(SystemExit):
            uvicorn.Server(uvicorn.Config(app, lifespan="on", log_config=None, port=0)).run()
    assert "SESSION_URL" in caplog.text
    assert "Redis 8" in caplog.text
    assert "Traceback" not in caplog.text


def test_what_is_in_effect_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), running():
        pass
    assert "llm=extractive" in caplog.text
    assert "finance_tax 1건" in caplog.text
    assert "API 키가 없습니다" in caplog.text
