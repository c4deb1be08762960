"""The service logs its settings at start: all of them, and no secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from utils.config.settings import PROJECT_ROOT, Settings, load_settings
from utils.config.settings_record import masked_address, settings_record

PASSWORD = "pw-5ecret/with@signs"
SECRETS = {
    "API_KEYS": "web=key-5ecret-0123456789:chat",
    "OPENAI_API_KEY": "sk-5ecret",
    "RUNPOD_API_KEY": "rp-5ecret",
    "DATABASE_URL": f"mysql+pymysql://bizi:{PASSWORD}@mysql/bizi?ssl_key=5ecret",
    "REDIS_URL": "redis://:pw-5ecret@redis:6379/0",
    "OPENAI_BASE_URL": "https://user:pw-5ecret@models.example/v1",
    "RERANK_URL": "https://rerank.example/rerank?token=t-5ecret&top=3",
    "RUNPOD_EMBEDDING_ENDPOINT": "https://k-5ecret@api.runpod.example/v2/x",
    "CORS_ORIGINS": "https://bizi.example",
}


def test_every_setting_is_there_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    record = settings_record(load_settings())
    assert set(record) - {"effective"} == {name.upper() for name in Settings.model_fields}
    assert "5ecret" not in json.dumps(record)
    assert (record["API_KEYS"], record["OPENAI_API_KEY"]) == ({"web": "***"}, "***")
    assert record["DATABASE_URL"] == "mysql+pymysql://***@mysql/bizi?ssl_key=***"
    assert record["REDIS_URL"] == "redis://***@redis:6379/0"
    assert record["RERANK_URL"] == "https://rerank.example/rerank?token=***&top=***"
    assert record["CORS_ORIGINS"] == ["https://bizi.example"]
    assert (record["RETRIEVAL_K"], record["ENABLE_RERANKING"], record["FUSION"]) == (4, True, "auto")


def test_what_is_not_set_is_empty_and_what_follows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert settings_record(Settings(openai_api_key=None))["OPENAI_API_KEY"] is None
    record = settings_record(Settings.model_validate({"openai_base_url": "http://localhost:8000/v1"}))
    assert record["LLM_PROVIDER"] is None
    assert record["effective"] == {
        "LLM_PROVIDER": "openai",
        "ENABLE_LLM_DOMAIN_CLASSIFICATION": True,
        "ALLOWED_HOSTS": ["127.0.0.1", "::1", "localhost"],
    }


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("redis://redis:6379/0", "redis://redis:6379/0"),
        ("unix:///run/redis.sock?password=pw&db=0", "unix:///run/redis.sock?password=***&db=***"),
        ("http://db/?next=a?token=pw", "http://db/?next=***"),
        ("http://db/?a?token=pw", "http://db/?a?token=***"),
        ("postgresql://u:p@ss:w@rd@db:5432/x", "postgresql://***@db:5432/x"),
        ("sqlite:////data/domains.db", "sqlite:////data/domains.db"),
    ],
)
def test_addresses_stay_readable_without_what_is_secret(address: str, shown: str) -> None:
    assert masked_address(address) == shown


@pytest.mark.whole
def test_the_start_logs_them_as_one_record(tmp_path: Path) -> None:
    """There is no index, so the service starts, logs and stops."""
    environment = {**os.environ, **SECRETS, "DATA_DIR": str(tmp_path / "var"), "LOG_FORMAT": "json"}
    environment |= {"DATABASE_URL": f"sqlite:///{tmp_path}/domains.db?key=5ecret", "PORT": "1"}
    done = subprocess.run(
        [sys.executable, "main.py"], cwd=PROJECT_ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "5ecret" not in done.stdout + done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    (record,) = [line["settings"] for line in lines if "settings" in line]
    assert {name.upper() for name in Settings.model_fields} <= set(record)
    assert record["REDIS_URL"].endswith("@redis:6379/0")
