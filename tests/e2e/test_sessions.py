"""Conversations with the real graph: the follow-up of a session is answered as the one that sends the history along."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas.chat import AnswerMeta
from tests.contract.wire import parse_frames
from tests.e2e.conftest import serving
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

DISMISSAL = "직원을 해고하려면 며칠 전에 알려야 하나요?"
FOLLOW_UP = "그럼 다섯 명이 안 되면 달라지나요?"
OF_THE_RUN = {"timing_metrics", "request_id", "session_id"}


@pytest.fixture(scope="module")
def kept(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    # an embedded store has one owner, so this service gets a copy
    data_dir = tmp_path_factory.mktemp("sessions") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    with serving(_keeping(starter_settings, data_dir), tokenizer) as client:
        yield client


def _keeping(settings: Settings, data_dir: Path) -> Settings:
    return settings.model_copy(update={"data_dir": data_dir, "enable_sessions": True})


def ask(service: httpx.Client, message: str, **more: Any) -> dict[str, Any]:
    response = service.post("/api/chat", json={"message": message, **more})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def told(service: httpx.Client, message: str, **more: Any) -> tuple[str, AnswerMeta]:
    """The text that a stream ends up with, and its last event."""
    frames = parse_frames(service.post("/api/chat/stream", json={"message": message, **more}).text)
    text = ""
    for frame in frames:
        text = frame.data.content if frame.event == "replace" else text
        text += frame.data.content if frame.event == "token" else ""
    return text, frames[-1].data


def _what_matters(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in OF_THE_RUN}


def test_a_follow_up_by_session_equals_one_by_history(kept: httpx.Client) -> None:
    first = ask(kept, DISMISSAL, session_id="json")
    history = [{"role": "user", "content": DISMISSAL}, {"role": "assistant", "content": first["content"]}]
    by_session = ask(kept, FOLLOW_UP, session_id="json")
    by_history = ask(kept, FOLLOW_UP, history=history)
    alone = ask(kept, FOLLOW_UP)
    assert _what_matters(by_session) == _what_matters(by_history)
    assert by_session["content"] != alone["content"], "the question alone does not say what it is about"
    assert by_session["domains"] == ["hr_labor"]

    streamed, done = told(kept, DISMISSAL, session_id="stream")
    assert streamed == first["content"]
    follow_up, last = told(kept, FOLLOW_UP, session_id="stream")
    assert follow_up == by_session["content"]
    assert _what_matters(last.model_dump(mode="json", exclude={"type"})) == {
        name: value for name, value in _what_matters(by_session).items() if name != "content"
    }
    assert (done.session_id, last.degraded) == ("stream", [])


def test_a_restart_keeps_conversations_and_health_looks_at_them(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path: Path
) -> None:
    shutil.copytree(starter_settings.data_dir, tmp_path / "var", symlinks=True)
    settings = _keeping(starter_settings, tmp_path / "var")
    with serving(settings, tokenizer) as service:
        before = ask(service, DISMISSAL, session_id="s")
        expected = ask(
            service,
            FOLLOW_UP,
            history=[{"role": "user", "content": DISMISSAL}, {"role": "assistant", "content": before["content"]}],
        )
    with serving(settings, tokenizer) as service:
        assert service.get("/health").json()["capabilities"]["sessions"]["state"] == "available"
        assert ask(service, FOLLOW_UP, session_id="s")["content"] == expected["content"]
        assert len(service.get("/api/sessions/s").json()["turns"]) == 2
