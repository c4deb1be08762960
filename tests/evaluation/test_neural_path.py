"""From an empty folder to a comparison with local models, as docs/neural.md says; the models are tiny and on disk."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from agents.engine import build_engine
from evaluation.__main__ import main as evaluate
from services import providers_in_effect
from tests.support.tiny_models import save_tiny_cross_encoder, save_tiny_encoder
from utils.config.settings import PROJECT_ROOT, Settings, load_settings
from utils.linear_models import LearnedWith
from vectorstores.cli import main as vectorstores
from vectorstores.ranking.combiner import ORDER_WEIGHTS
from vectorstores.rerankers.kiwi import RERANKER_ID

QUESTIONS = PROJECT_ROOT / "evaluation" / "datasets" / "starter_law_common.jsonl"


@pytest.fixture
def local_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = QUESTIONS.read_text(encoding="utf-8").splitlines()
    monkeypatch.setenv("EMBEDDING_PROVIDER", "local")
    monkeypatch.setenv("EMBEDDING_MODEL", str(save_tiny_encoder(tmp_path / "encoder", texts)))
    monkeypatch.setenv("RERANK_PROVIDER", "local")
    monkeypatch.setenv("RERANK_MODEL", str(save_tiny_cross_encoder(tmp_path / "cross", texts)))
    monkeypatch.setenv("NEURAL_THREADS", "1")


def providers(settings: Settings) -> dict[str, str]:
    engine = build_engine(settings)
    try:
        return providers_in_effect(engine)
    finally:
        asyncio.run(engine.aclose())


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("local_models")
def test_the_documented_commands(
    starter_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    neural, out = tmp_path / "var-neural", tmp_path / "mine.json"
    assert vectorstores(["ingest", "--data-dir", str(neural)]) == 0
    settings = load_settings({"DATA_DIR": str(neural)})
    assert providers(settings)["ranking"] == "fusion"

    learn = ["train-ranking", "--data-dir", str(neural), "--questions", str(QUESTIONS), "--measure-fusion"]
    assert evaluate([*learn, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "| learned order + reranker |" in printed
    assert "as configured" in printed
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["learned_with"]["embedder"].startswith("local-")
    assert written["learned_with"]["reranker"].startswith("local-")
    assert written["fusion"]["kind"] in ("rrf", "score")

    monkeypatch.setenv("RANKING_WEIGHTS", str(out))
    assert providers(load_settings({"DATA_DIR": str(neural)}))["ranking"] == "mine.json"
    compare = ["compare", "--dataset", str(QUESTIONS), "--b", str(neural), "--a", str(starter_settings.data_dir)]
    kiwi = ("EMBEDDING_PROVIDER=kiwi", "RERANK_PROVIDER=kiwi", "RANKING_WEIGHTS=")
    assert evaluate([*compare, *(word for pair in kiwi for word in ("--a-set", pair))]) == 0
    first, *_ = capsys.readouterr().out.splitlines()
    assert first == f"a: {starter_settings_embedder(starter_settings)}, {RERANKER_ID}, weights.json"


def starter_settings_embedder(settings: Settings) -> str:
    pointer = json.loads((settings.data_dir / "index" / "current.json").read_text(encoding="utf-8"))
    manifest = settings.data_dir / "index" / pointer["current"] / "manifest.json"
    embedder: str = json.loads(manifest.read_text(encoding="utf-8"))["identity"]["embedder"]
    return embedder


def test_each_pair_has_a_file_of_its_own() -> None:
    embedded = LearnedWith(tokenizer="t", embedder="kiwi-static-v1+kiwi-0.24.1-v2", reranker="kiwi-maxsim-v2")
    assert ORDER_WEIGHTS.learned_for(embedded) == ORDER_WEIGHTS
    neural = LearnedWith(tokenizer="t", embedder="local-BAAI/bge-m3", reranker="local-BAAI/bge-reranker-v2-m3")
    file = ORDER_WEIGHTS.learned_for(neural).path
    assert file == ORDER_WEIGHTS.path.with_name("local-BAAI-bge-m3_local-BAAI-bge-reranker-v2-m3.json")
