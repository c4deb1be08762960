"""Secrets that lie in files, as an operator meets them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from utils.config.secret_files import secret_settings
from utils.config.settings import Settings, SettingsError, load_settings

KEYS = "web=0123456789abcdef:chat"
SECRETS = {
    "api_keys": KEYS,
    "milvus_token": "bizi:hunter2",
    "openai_api_key": "sk-openai",
    "runpod_api_key": "rp-runpod",
    "database_url": "postgresql+psycopg://bizi:hunter2@db/bizi",
    "law_api_key": "oc-operator",
    "redis_url": "redis://:hunter2@redis:6379/0",
    "trace_headers": "Authorization=Bearer hunter2",
    "langfuse_secret_key": "sk-lf-secret",
    "session_url": "postgresql://bizi:hunter2@db/bizi",
    "usage_url": "postgresql://bizi:hunter2@db/bizi",
    "notice_database_url": "postgresql+psycopg://bizi:hunter2@db/notices",
    "web_search_proxy": "http://bizi:hunter2@proxy:3128",
    "bizinfo_api_key": "bi-operator",
    "kstartup_api_key": "ks-operator",
}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return ",".join(f"{name}={_plain(key)}" for name, key in value.items())
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def test_every_secret_may_lie_in_a_file() -> None:
    assert secret_settings(Settings) == [name for name in Settings.model_fields if name in SECRETS]
    annotated = {name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)}
    assert annotated <= set(SECRETS)


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_is_read_from_the_file_that_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    file.write_text(SECRETS[name] + "\n", encoding="utf-8")
    monkeypatch.setenv(f"{name.upper()}_FILE", str(file))
    monkeypatch.setenv(name.upper(), "")  # as the compose file passes on what is not set
    settings = load_settings()
    assert _plain(getattr(settings, name)) == SECRETS[name]
    assert not [part for part in ("hunter2", "0123456789abcdef", "sk-openai", "rp-runpod") if part in repr(settings)]


def test_the_file_may_be_named_in_the_env_file_and_hold_one_key_a_line(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text(f"{KEYS}\nops=fedcba9876543210:admin\n", encoding="utf-8")
    env = tmp_path / ".env"
    env.write_text(f"API_KEYS_FILE={keys}\n", encoding="utf-8")
    assert set(Settings(_env_file=env).api_keys) == {"web", "ops"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\xff\xfe", "no UTF-8 text"),
        (b"a" * 70_000, "larger than 65,536 bytes"),
        (b"redis:/" * 3, "expected redis://"),
    ],
)
def test_a_file_that_cannot_be_used_stops_the_start_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None, reason: str
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("REDIS_URL_FILE", str(file))
    with pytest.raises(SettingsError, match=rf"^REDIS_URL(_FILE)?: .*{reason}"):
        load_settings()


def test_a_folder_is_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(tmp_path))
    with pytest.raises(SettingsError, match=r"OPENAI_API_KEY_FILE: .*directory"):
        load_settings()


def test_every_bad_file_is_named_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(tmp_path / "one"))
    monkeypatch.setenv("API_KEYS_FILE", str(tmp_path / "two"))
    with pytest.raises(SettingsError) as raised:
        load_settings()
    named = {sentence.partition(":")[0] for sentence in str(raised.value).split("; ")}
    assert named == {"OPENAI_API_KEY_FILE", "API_KEYS_FILE"}


def test_a_secret_given_twice_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("sk-of-the-file", encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("OPENAI_API_KEY_FILE", str(file))
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is set as well") as raised:
        load_settings()
    assert "sk-of" not in str(raised.value)


def test_what_a_program_says_counts_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("redis://file", encoding="utf-8")
    monkeypatch.setenv("REDIS_URL_FILE", str(file))
    assert load_settings({"REDIS_URL": "redis://program"}).redis_url == "redis://program"
    assert load_settings().redis_url == "redis://file"
