"""Settings as an operator meets them: through the environment, with sentences that name what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from utils.config.settings import (
    PROJECT_ROOT,
    LLMProvider,
    Settings,
    SettingsError,
    load_settings,
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RETRIEVAL_K", "0"),
        ("RETRIEVAL_K", "many"),
        ("PORT", "70000"),
        ("OPENAI_TEMPERATURE", "3"),
        ("EVALUATION_THRESHOLD", "101"),
        ("MMR_LAMBDA_MULT", "1.5"),
        ("LLM_PROVIDER", "gemini"),
        ("EMBEDDING_PROVIDER", "word2vec"),
        ("RERANK_PROVIDER", "bm25"),
        ("LOG_LEVEL", "loud"),
        ("REQUEST_TIMEOUT", "-1"),
        ("ENABLE_RERANKING", "perhaps"),
        ("CORS_ORIGINS", "https://a.example,*"),
        ("CORS_ORIGINS", "null"),
        ("CORS_ORIGINS", "https://a.example/"),
        ("CORS_ORIGINS", "a.example"),
        ("CORS_ORIGINS", "https://*.a.example"),
        ("ALLOWED_HOSTS", "https://a.example"),
        ("ALLOWED_HOSTS", "a.example:443"),
        ("ALLOWED_HOSTS", "*"),
        ("API_KEYS", "just-a-key"),
    ],
)
def test_a_wrong_value_is_a_sentence_that_names_the_setting(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=rf"^{name}: \w"):
        load_settings()


def test_every_wrong_value_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "http")
    monkeypatch.setenv("RETRIEVAL_K", "-1")
    with pytest.raises(SettingsError) as raised:
        load_settings()
    assert {sentence.partition(":")[0] for sentence in str(raised.value).split("; ")} == {"PORT", "RETRIEVAL_K"}


def test_a_wrong_secret_is_not_repeated_in_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEYS", "hunter2-hunter2")
    with pytest.raises(SettingsError) as raised:
        load_settings()
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("environment", "missing"),
    [
        ({"HOST": "0.0.0.0"}, "API_KEYS"),
        ({"RERANK_PROVIDER": "http"}, "RERANK_URL"),
        ({"RERANK_PROVIDER": "runpod"}, "RUNPOD_RERANK_ENDPOINT"),
        ({"EMBEDDING_PROVIDER": "runpod"}, "RUNPOD_EMBEDDING_ENDPOINT"),
        ({"LLM_PROVIDER": "openai"}, "OPENAI_API_KEY"),
    ],
)
def test_settings_that_need_another_one_say_which(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], missing: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=missing):
        load_settings()


def test_with_keys_the_service_may_listen_on_any_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "0.0.0.0")
    monkeypatch.setenv("API_KEYS", "web=0123456789abcdef:chat")
    assert load_settings().host == "0.0.0.0"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, LLMProvider.EXTRACTIVE),
        ({"OPENAI_API_KEY": "key"}, LLMProvider.OPENAI),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, LLMProvider.OPENAI),
        ({"OPENAI_API_KEY": "key", "LLM_PROVIDER": "extractive"}, LLMProvider.EXTRACTIVE),
        ({"OPENAI_API_KEY": ""}, LLMProvider.EXTRACTIVE),
    ],
)
def test_a_key_or_an_address_switches_the_model_on(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: LLMProvider
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.effective_llm_provider is expected
    assert settings.model_configured is (expected is LLMProvider.OPENAI)


@pytest.mark.parametrize(
    ("flag", "key", "expected"),
    [(None, None, False), (None, "key", True), ("true", None, False), ("true", "key", True), ("false", "key", False)],
)
def test_the_model_classifies_when_there_is_one_and_nobody_forbids_it(
    monkeypatch: pytest.MonkeyPatch, flag: str | None, key: str | None, expected: bool
) -> None:
    for name, value in (("ENABLE_LLM_DOMAIN_CLASSIFICATION", flag), ("OPENAI_API_KEY", key)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert load_settings().llm_classifies_domains is expected


def test_keys_are_read_by_client_and_kept_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEYS", "web=0123456789abcdef:chat, ops=fedcba=9876543210:admin|documents,")
    settings = load_settings()
    assert {name: key.get_secret_value() for name, key in settings.api_keys.items()} == {
        "web": "0123456789abcdef:chat",
        "ops": "fedcba=9876543210:admin|documents",
    }
    assert "0123456789abcdef" not in repr(settings)


def test_lists_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORS_ORIGINS", "https://a.example, https://b.example")
    monkeypatch.setenv("TRUSTED_PROXIES", "10.0.0.1")
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example, 192.0.2.1, fd00::1, [::1]")
    settings = load_settings()
    assert settings.allowed_hosts == ("a.example", "192.0.2.1", "fd00::1", "[::1]")
    assert settings.cors_origins == ("https://a.example", "https://b.example")
    assert settings.trusted_proxies == ("10.0.0.1",)


def test_the_env_file_is_read_and_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ".env"
    file.write_text("RETRIEVAL_K=7\nPORT=9000\nSOMETHING_ELSE=1\n", encoding="utf-8")
    monkeypatch.setenv("PORT", "9001")
    settings = Settings(_env_file=file)
    assert (settings.retrieval_k, settings.port) == (7, 9001)


def test_empty_values_count_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRIEVAL_K", "")
    assert load_settings().retrieval_k == 4


def test_the_data_folder_does_not_depend_on_where_the_service_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings().data_dir == PROJECT_ROOT / "var"


def test_overrides_stand_in_for_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRIEVAL_K", "7")
    monkeypatch.setenv("RANKING_WEIGHTS", "mine.json")
    settings = load_settings({"RETRIEVAL_K": "9", "CORS_ORIGINS": "http://a,http://b", "RANKING_WEIGHTS": ""})
    assert (settings.retrieval_k, settings.ranking_weights) == (9, None)
    assert settings.cors_origins == ("http://a", "http://b")
    assert load_settings().retrieval_k == 7
    with pytest.raises(SettingsError, match="RETRIEVAL_KK"):
        load_settings({"RETRIEVAL_KK": "9"})
    with pytest.raises(SettingsError, match="RETRIEVAL_K"):
        load_settings({"RETRIEVAL_K": "many"})
