"""The service with an embedding server that goes away while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.engine import build_engine
from schemas.chat import ChatRequest, Component
from tests.support.scripted_openai import Fail, ScriptedOpenAI
from utils.config.settings import LLMProvider, load_settings
from vectorstores.cli import main as vectorstores


@pytest.mark.slow
async def test_answers_go_on_and_say_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedOpenAI() as server:
        monkeypatch.setenv("EMBEDDING_PROVIDER", "openai")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("LLM_PROVIDER", LLMProvider.EXTRACTIVE)
        assert vectorstores(["ingest", "--data-dir", str(tmp_path)]) == 0
        engine = build_engine(load_settings({"DATA_DIR": str(tmp_path)}))
        try:
            asked_at_start = len(server.calls)
            whole = await engine.executor.answer(ChatRequest(message="주휴수당은 어떻게 계산하나요?"), "1")
            assert whole.sources
            assert Component.VECTOR not in [degradation.component for degradation in whole.degraded]
            texts = [text for call in server.calls[asked_at_start:] for text in call.body["input"]]
            assert len(texts) <= 4, "the question and its variants, once each; no sentence of a document"

            server.script["embeddings"] = Fail(500)
            cut = await engine.executor.answer(ChatRequest(message="부가가치세는 언제까지 신고해야 하나요?"), "2")
            assert cut.domains == ["finance_tax"]
            assert cut.sources
            assert Component.VECTOR in [degradation.component for degradation in cut.degraded]
        finally:
            await engine.aclose()
