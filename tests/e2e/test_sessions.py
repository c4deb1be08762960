"""Conversations with the real graph: the follow-up of a session is answered as the one that sends the history along."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import httpx

from schemas.events import DoneEvent
from tests.contract.wire import parse_frames
from tests.e2e.conftest import serving
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

DISMISSAL = "직원을 해고하려면 며칠 전에 알려야 하나요?"
FOLLOW_UP = "그럼 다섯 명이 안 되면 달라지나요?"
OF_THE_RUN = {"timing_metrics", "request_id", "session_id"}


def ask(service: httpx.Client, message: str, **more: Any) -> dict[str, Any]:
    response = service.post("/api/chat", json={"message": message, **more})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def told(service: httpx.Client, message: str, **more: Any) -> tuple[str, DoneEvent]:
    """The text that a stream ends up with, and its last event."""
    frames = parse_frames(service.post("/api/chat/stream", json={"message": message, **more}).text)
    text = ""
    for frame in frames:
        text = frame.data.content if frame.event == "replace" else text
        text += frame.data.content if frame.event == "token" else ""
    done = frames[-1].data
    assert isinstance(done, DoneEvent)
    return text, done


def _what_matters(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in OF_THE_RUN}


def _is_answered_as_with_its_history(service: httpx.Client) -> dict[str, Any]:
    """Ask a follow-up by session, whole and as a stream, and return its answer."""
    first = ask(service, DISMISSAL, session_id="json")
    history = [{"role": "user", "content": DISMISSAL}, {"role": "assistant", "content": first["content"]}]
    by_session = ask(service, FOLLOW_UP, session_id="json")
    by_history = ask(service, FOLLOW_UP, history=history)
    assert _what_matters(by_session) == _what_matters(by_history)
    assert by_session["content"] != ask(service, FOLLOW_UP)["content"], "alone it does not say what it is about"
    assert by_session["domains"] == ["hr_labor"]

    streamed, _ = told(service, DISMISSAL, session_id="stream")
    assert streamed == first["content"]
    follow_up, done = told(service, FOLLOW_UP, session_id="stream")
    assert follow_up == by_session["content"]
    assert _what_matters(done.model_dump(mode="json", exclude={"type"})) == {
        name: value for name, value in _what_matters(by_session).items() if name != "content"
    }
    assert (done.session_id, done.degraded) == ("stream", [])
    return by_session


def test_a_follow_up_by_session_equals_one_by_history_also_after_a_restart(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path: Path
) -> None:
    # an embedded store has one owner, so this service gets a copy
    shutil.copytree(starter_settings.data_dir, tmp_path / "var", symlinks=True)
    settings = starter_settings.model_copy(update={"data_dir": tmp_path / "var", "enable_sessions": True})
    with serving(settings, tokenizer) as service:
        expected = _is_answered_as_with_its_history(service)
        ask(service, DISMISSAL, session_id="restart")
    with serving(settings, tokenizer) as service:
        assert service.get("/health").json()["capabilities"]["sessions"]["state"] == "available"
        assert ask(service, FOLLOW_UP, session_id="restart")["content"] == expected["content"]
        assert len(service.get("/api/sessions/restart").json()["turns"]) == 2
