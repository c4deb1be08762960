"""Every setting of the service, from the environment or ``.env``.

One class a group of concerns, combined by inheritance into `Settings`, so that a name is unique and a group readable.
The table in ``docs/settings.md`` is generated from here (``python -m utils.config.settings_table``).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from utils.config.connection_settings import ConnectionSettings
from utils.config.feature_flags import FeatureFlags
from utils.config.notice_settings import NoticeSettings
from utils.config.observability_settings import ObservabilitySettings
from utils.config.provider_settings import (
    LawApiSettings,
    MediaSettings,
    ModelSettings,
    VectorSettings,
    WarmthSettings,
    WebSearchSettings,
)
from utils.config.question_log_settings import QuestionLogSettings
from utils.config.retrieval_settings import RetrievalSettings
from utils.config.secret_files import FromSecretFiles, SecretFileError
from utils.config.session_settings import SessionSettings
from utils.config.usage_settings import UsageSettings
from utils.config.values import ClientKeys, HostNames, Origins, Words, describe_errors
from utils.config.worker_settings import WorkerSettings

PROJECT_ROOT = Path(__file__).resolve().parents[2]
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


class LLMProvider(StrEnum):
    """Who writes answers."""

    EXTRACTIVE = "extractive"
    OPENAI = "openai"
    LOCAL = "local"


class EmbeddingProvider(StrEnum):
    """Who turns text into vectors."""

    KIWI = "kiwi"
    LOCAL = "local"
    OPENAI = "openai"
    RUNPOD = "runpod"


class RerankProvider(StrEnum):
    """Who orders the candidates."""

    KIWI = "kiwi"
    LOCAL = "local"
    RUNPOD = "runpod"
    HTTP = "http"


class SettingsError(ValueError):
    """A wrong setting; the message is one sentence a setting and names it."""


class GenerationSettings(BaseSettings):
    """Settings of writing and checking the answer."""

    llm_provider: LLMProvider | None = Field(
        None,
        description="extractive, openai, or local (LOCAL_LLM in this process); empty: openai when OPENAI_API_KEY or OPENAI_BASE_URL is set.",
    )
    openai_api_key: SecretStr | None = Field(None, repr=False, description="Key of the model server.")
    openai_base_url: str | None = Field(None, description="Any OpenAI-compatible server: http://localhost:8000/v1.")
    answer_form: Literal["sentences", "items"] = Field(
        "sentences",
        description="What an answer without a model quotes: sentences, or items of lists and rows of tables, each as a bullet.",
    )
    answer_items_from: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Share of a question's words, by their rarity, that a document must have for its items to answer.",
    )
    generation_max_tokens: int = Field(2048, ge=16, description="Upper bound of tokens of one answer.")
    llm_timeout: float = Field(
        20.0,
        gt=0,
        description="Seconds until a model call, with its tries, has its reply or its first token; and for each pause after.",
    )
    llm_evaluation_timeout: float = Field(
        8.0,
        gt=0,
        description="The same for scoring an answer, which is finished by then and waits; never more than LLM_TIMEOUT.",
    )
    llm_max_attempts: int = Field(2, ge=1, le=5, description="Tries of one model call within the request's deadline.")
    format_context_length: int = Field(4000, ge=200, description="Characters of one document in the prompt.")
    context_max_length: int = Field(24000, ge=500, description="Characters of all documents in the prompt.")
    context_shows_place: bool = Field(False, description="The prompt tells page, chunk id and score of each document.")
    evaluator_context_length: int = Field(4000, ge=200, description="Characters of context the evaluating model sees.")
    evaluation_threshold: int = Field(70, ge=0, le=100, description="Score from which an answer passes.")


class ProviderSettings(BaseSettings):
    """Embedding and reranking providers and the stores."""

    embedding_provider: EmbeddingProvider = Field(EmbeddingProvider.KIWI, description="kiwi, local, openai or runpod.")
    rerank_provider: RerankProvider = Field(RerankProvider.KIWI, description="kiwi, local, runpod or http.")
    embedding_model: str = Field("BAAI/bge-m3", description="Model of the local provider, a name or a folder.")
    openai_embedding_model: str = Field("text-embedding-3-small", description="Model of the openai embedding provider.")
    rerank_model: str = Field("BAAI/bge-reranker-v2-m3", description="Cross-encoder of the local and http providers.")
    rerank_url: str | None = Field(None, description="Address of the http rerank server (its /rerank route).")
    embedding_max_tokens: int = Field(
        8192, ge=8, description="Tokens of a text that the local embedder reads, where its model takes as many."
    )
    rerank_max_tokens: int = Field(
        8192, ge=16, description="The same of the local cross-encoder, question and passage together."
    )
    embedding_batch_size: int | None = Field(
        None, ge=1, description="Texts embedded at once; empty: 16 in this process, 32 in a request."
    )
    rerank_batch_size: int | None = Field(
        None, ge=1, description="Passages reranked at once; empty: 16 in this process, 32 (runpod: 64) in a request."
    )
    embedding_query_prefix: str = Field(
        "", description="Put before every question, where the embedding model asks for it (E5: `query: `, in quotes)."
    )
    embedding_passage_prefix: str = Field(
        "", description="Put before every passage (E5: `passage: `, in quotes). Another one is another index."
    )
    neural_device: str | None = Field(
        None, description="Device of the local models, e.g. cpu, cuda, cuda:1, mps; empty: the best there is."
    )
    neural_dtype: Literal["float32", "float16", "bfloat16"] = Field(
        "float32", description="Numbers the local models calculate with; halves are for a GPU."
    )
    neural_threads: int | None = Field(
        None, ge=1, description="Threads of the local models on the CPU; empty: one a core."
    )
    ranking_weights: Path | None = Field(
        None,
        description="Learned order of candidates; empty: the file in data/ranking for the embedder and reranker in use.",
    )
    runpod_api_key: SecretStr | None = Field(None, repr=False, description="Key of the RunPod endpoints.")
    runpod_embedding_endpoint: str | None = Field(None, description="Address of the RunPod embedding endpoint.")
    runpod_rerank_endpoint: str | None = Field(None, description="Address of the RunPod rerank endpoint.")
    runpod_start_timeout: float = Field(
        180.0,
        gt=0,
        description="Seconds that a RunPod worker may take that is switched on first. A build waits for it; the service starts meanwhile.",
    )
    provider_timeout: float = Field(
        10.0,
        gt=0,
        description="Seconds an embedding or rerank call may take; a question waits once for a server that hangs.",
    )
    database_url: str | None = Field(
        None, repr=False, description="SQL database of the domain tables; empty: SQLite in DATA_DIR."
    )
    assistant_dir: Path | None = Field(
        None, description="Packs of the assistants, a folder each, read at the start; empty: data/assistants."
    )
    domain_dir: Path | None = Field(
        None,
        description="Files of the domains, one a domain, which the tables follow while the service runs; empty: data/domains.",
    )
    redis_url: str | None = Field(
        None, repr=False, description="Redis for the shared cache and rate limits; empty: in process."
    )

    @field_validator("redis_url")
    @classmethod
    def _names_a_redis(cls, value: str | None) -> str | None:
        if value and not value.startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("expected redis://host:port/number, rediss:// for TLS or unix:// for a socket")
        try:
            urlsplit(value or "").port  # noqa: B018 - raises for what is none
        except ValueError:
            raise ValueError("the port is not a number from 0 to 65535") from None
        return value


class ServiceSettings(BaseSettings):
    """The HTTP service."""

    host: str = Field("127.0.0.1", description="Address to listen on; other than loopback needs API_KEYS.")
    port: int = Field(8001, ge=1, le=65535, description="Port to listen on.")
    root_path: str = Field("", description="Prefix of a proxy in front, e.g. /rag.")
    data_dir: Path = Field(
        PROJECT_ROOT / "var", description="Index, uploads, jobs, caches, databases, conversations and the question log."
    )
    api_keys: ClientKeys = Field(
        default_factory=dict,
        repr=False,
        description="Client keys as name=key:scope|scope, separated by commas (chat, documents, admin); "
        "name=new-key old-key:scope while a client exchanges its key.",
    )
    cors_origins: Origins = Field(("http://localhost:5173",), description="Browser origins, separated by commas.")
    allowed_hosts: HostNames = Field(
        (),
        description="Host names served beside the loopback ones, separated by commas; "
        "empty: the loopback names without API_KEYS, every name with them.",
    )
    trusted_proxies: Words = Field((), description="Proxies whose forwarded headers count.")
    max_body_bytes: int = Field(262_144, ge=1024, description="Largest request body of JSON routes.")
    max_upload_bytes: int = Field(67_108_864, ge=1024, description="Largest upload of documents, all files together.")
    ingest_timeout: float = Field(3600.0, gt=0, description="Seconds one job of the index may take.")
    ingest_file_seconds: float = Field(
        120.0, gt=0, description="Seconds a job may read one file: what was read until then is taken in."
    )
    ingest_memory_bytes: int = Field(
        4_294_967_296, ge=268_435_456, description="Memory of a job of the index; one that needs more fails."
    )
    upload_retention_days: float = Field(
        0.0, ge=0, description="Days an uploaded file is kept beyond its job; 0: until the job has ended."
    )
    disk_reserve_bytes: int = Field(
        67_108_864,
        ge=0,
        description="Room that uploads leave on the disk of DATA_DIR, so that documents can be deleted; with less no upload is taken.",
    )
    disk_warn_bytes: int = Field(
        268_435_456,
        ge=0,
        description="Room on the disks of DATA_DIR and LOG_DIR below which /health is degraded.",
    )
    request_timeout: float = Field(60.0, gt=0, description="Seconds one request may take in all.")
    rate_limit_per_minute: int | None = Field(
        None, ge=1, description="Requests a minute for one client; empty: 60, and no limit without API keys."
    )
    rate_limit_burst: int = Field(20, ge=1, description="Requests at once for one client.")
    cache_size: int = Field(500, ge=1, description="Answers kept in the response cache; as many understood questions.")
    cache_ttl: float = Field(3600.0, gt=0, description="Seconds an answer or an understood question is kept.")
    search_threads: int = Field(4, ge=1, le=64, description="Threads for search work, which stays off the event loop.")
    log_dir: Path = Field(PROJECT_ROOT / "logs", description="Folder of chat.log and ragas.log.")
    log_format: Literal["auto", "json", "text"] = Field("auto", description="auto: readable in a terminal, else JSON.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least severe entries logged.")


class Settings(
    FromSecretFiles,
    RetrievalSettings,
    GenerationSettings,
    ModelSettings,
    ProviderSettings,
    WarmthSettings,
    LawApiSettings,
    VectorSettings,
    WebSearchSettings,
    MediaSettings,
    ServiceSettings,
    WorkerSettings,
    ConnectionSettings,
    ObservabilitySettings,
    SessionSettings,
    NoticeSettings,
    UsageSettings,
    QuestionLogSettings,
    FeatureFlags,
):
    """All settings. Empty values count as not set."""

    model_config = SettingsConfigDict(
        env_file=PROJECT_ROOT / ".env", env_file_encoding="utf-8", env_ignore_empty=True, extra="ignore", frozen=True
    )

    @model_validator(mode="after")
    def _check_combinations(self) -> Self:
        if self.host not in LOOPBACK_HOSTS and not self.api_keys:
            raise ValueError("HOST is not a loopback address, so API_KEYS must be set")
        if self.rerank_provider is RerankProvider.HTTP and not self.rerank_url:
            raise ValueError("RERANK_PROVIDER is http, so RERANK_URL must be set")
        if self.embedding_provider is EmbeddingProvider.RUNPOD and not self.runpod_embedding_endpoint:
            raise ValueError("EMBEDDING_PROVIDER is runpod, so RUNPOD_EMBEDDING_ENDPOINT must be set")
        if self.rerank_provider is RerankProvider.RUNPOD and not self.runpod_rerank_endpoint:
            raise ValueError("RERANK_PROVIDER is runpod, so RUNPOD_RERANK_ENDPOINT must be set")
        if self.enable_ragas_evaluation and not self.model_server_configured:
            raise ValueError("ENABLE_RAGAS_EVALUATION is true, so OPENAI_API_KEY or OPENAI_BASE_URL must be set")
        if self.client_budgets and not self.enable_usage:
            raise ValueError("CLIENT_BUDGETS is set, so ENABLE_USAGE must be true")
        if self.llm_provider is LLMProvider.OPENAI and not (self.openai_api_key or self.openai_base_url):
            raise ValueError("LLM_PROVIDER is openai, so OPENAI_API_KEY or OPENAI_BASE_URL must be set")
        if self.llm_provider is LLMProvider.LOCAL and not self.local_llm:
            raise ValueError("LLM_PROVIDER is local, so LOCAL_LLM must be set")
        return self

    @property
    def effective_llm_provider(self) -> LLMProvider:
        """The provider in effect: the one set, else openai when a key or an address is there."""
        if self.llm_provider is not None:
            return self.llm_provider
        return LLMProvider.OPENAI if self.openai_api_key or self.openai_base_url else LLMProvider.EXTRACTIVE

    @property
    def served_hosts(self) -> frozenset[str]:
        """Host names that requests may carry; empty: any."""
        return LOOPBACK_HOSTS.union(self.allowed_hosts) if self.allowed_hosts or not self.api_keys else frozenset()

    @property
    def model_configured(self) -> bool:
        return self.effective_llm_provider is not LLMProvider.EXTRACTIVE

    @property
    def model_server_configured(self) -> bool:
        """True for a model that is reached over HTTP, as RAGAS does."""
        return self.effective_llm_provider is LLMProvider.OPENAI

    @property
    def llm_classifies_domains(self) -> bool:
        """True if the understanding call also decides the domains."""
        return self.model_configured and self.enable_llm_domain_classification is not False


def load_settings(overrides: Mapping[str, str] | None = None) -> Settings:
    """Settings from the environment; ``overrides`` stand in for variables of it, and an empty one for the default.

    Raises:
        SettingsError: a value is wrong; the message names each setting at fault. Or an override names no setting.
    """
    values: dict[str, Any] = {}
    for name, value in (overrides or {}).items():
        field = Settings.model_fields.get(name.lower())
        if field is None:
            raise SettingsError(f"{name.upper()}: there is no such setting")
        values[name.lower()] = value or field.get_default(call_default_factory=True)
    try:
        return Settings(**values)
    except SecretFileError as error:
        raise SettingsError(str(error)) from error
    except ValidationError as error:
        raise SettingsError(describe_errors(error)) from error


def settings_with(settings: Settings, own: Mapping[str, Any]) -> Settings:
    """Return ``settings`` with other values for the fields of ``own``, checked like those of the environment.

    Raises:
        SettingsError: a value is wrong.
    """
    values = {name: getattr(settings, name) for name in Settings.model_fields}
    try:
        return Settings(**{**values, **own})
    except ValidationError as error:
        raise SettingsError(describe_errors(error)) from error
