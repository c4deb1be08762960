"""Providers of a build: what a paid embedder costs is written down while documents are embedded."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from schemas.usage import UsageGroup, UsagePurpose
from tests.support.scripted_openai import ScriptedOpenAI
from utils.config.settings import Settings
from utils.protocols import AnalyzedText
from utils.usage.records import SERVICE
from utils.usage.sink import NO_USAGE
from utils.usage.store import UsageStore
from vectorstores.build import providers
from vectorstores.build.providers import build_providers, usage_of_build


def test_embeddings_of_a_build_are_the_service_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "KiwiTokenizer", lambda: None)  # seconds, and no passage is analysed here
    with ScriptedOpenAI() as server:
        values: dict[str, Any] = {"openai_base_url": server.base_url, "embedding_provider": "openai"}
        settings = Settings.model_validate({"data_dir": tmp_path, **values})
        _, embedder = build_providers(settings).load()
        embedder.embed_passages([AnalyzedText("부가가치세 신고", ()), AnalyzedText("퇴직금", ())])
    sums = UsageStore.from_settings(settings).sums(date.min, date.max, None, tuple(UsageGroup))
    ((key, counts),) = sums.items()
    assert (key.client, key.purpose, key.model) == (SERVICE, UsagePurpose.EMBEDDING, settings.openai_embedding_model)
    assert counts.calls == 2, "the probe and the passages"


def test_what_is_embedded_here_is_not_counted(tmp_path: Path) -> None:
    assert usage_of_build(Settings(data_dir=tmp_path)) is NO_USAGE
    assert list(tmp_path.iterdir()) == []
