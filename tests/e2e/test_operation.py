"""The whole service as it is operated: an exchanged key of the model server, and a user's data that are asked back."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.e2e.conftest import serving_with_model
from tests.support.scripted_openai import ScriptedOpenAI
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

DISMISSAL = "직원을 해고하려면 며칠 전에 알려야 하나요?"


def test_a_key_is_exchanged_and_a_user_forgotten_in_the_running_service(
    starter_settings: Settings, tokenizer: KiwiTokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "openai_api_key"
    file.write_text("sk-old", encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(file))
    kept = {
        "enable_sessions": True,
        "enable_question_log": True,
        "enable_chat_log": True,
        "enable_response_cache": True,
    }
    own = {"openai_api_key": SecretStr("sk-old"), "log_dir": tmp_path / "logs", **kept}
    with (
        ScriptedOpenAI({}) as server,
        serving_with_model(starter_settings, tokenizer, server, tmp_path / "var", **own) as service,
    ):
        asked = {"message": DISMISSAL, "session_id": "s", "user_context": {"user_id": "u1"}}

        def keys_sent() -> set[str]:
            server.calls.clear()
            answer = service.client.post("/api/chat", json={"message": f"{DISMISSAL} {time.monotonic()}"})
            assert answer.status_code == 200
            return {call.headers["authorization"] for call in server.calls}

        assert keys_sent() == {"Bearer sk-old"}
        file.write_text("sk-new", encoding="utf-8")
        until = time.monotonic() + 30
        while keys_sent() != {"Bearer sk-new"}:
            assert time.monotonic() < until
            time.sleep(0.2)

        service.client.post("/api/chat", json=asked)
        whose = {"user_id": "u1"}
        exported = service.client.get("/api/user-data/export", params=whose).json()
        assert [len(exported[name]) for name in ("sessions", "question_log", "chat_log")] == [1, 1, 1]
        gone = service.client.delete("/api/user-data", params=whose).json()
        assert gone == {"sessions": 1, "question_log": 1, "chat_log": 1}
        again = service.client.post("/api/chat", json=asked | {"session_id": None}).json()
        assert again["cached"] is False, "the answer kept for the user is forgotten, too"
