"""Every setting of the service, from the environment or ``.env``.

One class a group of concerns, combined by inheritance into `Settings`, so that a name is unique and a group readable.
The table in ``docs/settings.md`` is generated from here (``python -m utils.config.settings_table``).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PROJECT_ROOT = Path(__file__).resolve().parents[2]
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


class LLMProvider(StrEnum):
    """Who writes answers."""

    EXTRACTIVE = "extractive"
    OPENAI = "openai"


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


class RetrievalSettings(BaseSettings):
    """How many documents are looked for, and how."""

    retrieval_k: int = Field(4, ge=1, le=50, description="Documents kept for a question of one domain.")
    max_retrieval_docs: int = Field(15, ge=1, le=100, description="Upper bound of documents over all domains.")
    min_domain_k: int = Field(3, ge=1, le=50, description="Documents every domain gets at least.")
    vector_search_weight: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Weight of the vector side in HYBRID mode; empty: the measured one of the embedder.",
    )
    fusion: Literal["rrf", "score", "auto"] = Field(
        "auto",
        description="Fusion of lexical and vector hits: reciprocal rank, score, or the embedder's measured best.",
    )
    candidate_pool: int = Field(360, ge=6, le=3000, description="Candidates of one question, both sides together.")
    rerank_pool: int = Field(40, ge=1, le=1000, description="Candidates that the reranker reads.")
    multi_query_count: int = Field(3, ge=0, le=10, description="Query variants searched beside the question.")
    mmr_lambda_mult: float = Field(0.6, ge=0, le=1, description="Relevance against diversity in MMR_DIVERSE mode.")
    mmr_fetch_k_multiplier: int = Field(4, ge=1, le=50, description="Candidates of MMR: this times k.")
    legal_supplement_k: int = Field(
        4, ge=0, le=50, description="law_common documents added to a question with a legal side."
    )
    rerank_top_k: int = Field(3, ge=1, le=50, description="Documents one query variant contributes at least.")
    cross_domain_rerank_ratio: float = Field(0.7, gt=0, le=1, description="Share kept after the cross-domain rerank.")
    retrieval_min_docs: int = Field(3, ge=1, description="Retrieval evaluator: documents above the relevance floor.")
    retrieval_min_keyword_ratio: float = Field(
        0.4, ge=0, le=1, description="Retrieval evaluator: question terms found."
    )
    retrieval_min_similarity: float | None = Field(
        None,
        ge=-1,
        le=1,
        description="Retrieval evaluator: mean similarity; empty: the measured floor of the embedder.",
    )


class GenerationSettings(BaseSettings):
    """How the answer is written and checked."""

    llm_provider: LLMProvider | None = Field(
        None, description="extractive or openai; empty: openai when OPENAI_API_KEY or OPENAI_BASE_URL is set."
    )
    openai_api_key: SecretStr | None = Field(None, description="Key of the model server.")
    openai_base_url: str | None = Field(
        None, description="Any OpenAI-compatible server, e.g. http://localhost:8000/v1."
    )
    openai_model: str = Field("gpt-4o-mini", min_length=1, description="Model that writes answers.")
    openai_understanding_model: str | None = Field(
        None, description="Model that understands questions; empty: OPENAI_MODEL."
    )
    openai_evaluation_model: str | None = Field(None, description="Model that evaluates answers; empty: OPENAI_MODEL.")
    openai_temperature: float = Field(0.1, ge=0, le=2, description="Sampling temperature, where the model takes one.")
    generation_max_tokens: int = Field(2048, ge=16, description="Upper bound of tokens of one answer.")
    llm_timeout: float = Field(20.0, gt=0, description="Seconds one model call may take, and may pause between tokens.")
    llm_max_attempts: int = Field(2, ge=1, le=5, description="Tries of one model call within the request's deadline.")
    format_context_length: int = Field(4000, ge=200, description="Characters of one document in the prompt.")
    context_max_length: int = Field(24000, ge=500, description="Characters of all documents in the prompt.")
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
    runpod_api_key: SecretStr | None = Field(None, description="Key of the RunPod endpoints.")
    runpod_embedding_endpoint: str | None = Field(None, description="Address of the RunPod embedding endpoint.")
    runpod_rerank_endpoint: str | None = Field(None, description="Address of the RunPod rerank endpoint.")
    provider_timeout: float = Field(10.0, gt=0, description="Seconds an embedding or rerank call may take.")
    chroma_host: str | None = Field(None, description="Chroma server; empty: embedded, in DATA_DIR.")
    chroma_port: int = Field(8000, ge=1, le=65535, description="Port of the Chroma server.")
    chroma_timeout: float = Field(2.0, gt=0, description="Seconds a call to the Chroma server may take.")
    database_url: str | None = Field(None, description="SQL database of the domain tables; empty: SQLite in DATA_DIR.")
    redis_url: str | None = Field(None, description="Redis for the shared cache and rate limits; empty: in process.")

    @field_validator("redis_url")
    @classmethod
    def _names_a_redis(cls, value: str | None) -> str | None:
        if value and not value.startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("expected redis://host:port/number, rediss:// for TLS or unix:// for a socket")
        return value


class ServiceSettings(BaseSettings):
    """The HTTP service."""

    host: str = Field("127.0.0.1", description="Address to listen on; other than loopback needs API_KEYS.")
    port: int = Field(8001, ge=1, le=65535, description="Port to listen on.")
    root_path: str = Field("", description="Prefix of a proxy in front, e.g. /rag.")
    data_dir: Path = Field(PROJECT_ROOT / "var", description="Index, uploads, jobs, caches and databases.")
    api_keys: Annotated[dict[str, SecretStr], NoDecode] = Field(
        default_factory=dict,
        description="Client keys as name=key:scope|scope, separated by commas (chat, documents, admin).",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        ("http://localhost:5173",), description="Browser origins, separated by commas."
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Proxies whose forwarded headers count."
    )
    max_body_bytes: int = Field(262_144, ge=1024, description="Largest request body of JSON routes.")
    max_upload_bytes: int = Field(67_108_864, ge=1024, description="Largest upload of documents, all files together.")
    ingest_timeout: float = Field(3600.0, gt=0, description="Seconds one job of the index may take.")
    request_timeout: float = Field(60.0, gt=0, description="Seconds one request may take in all.")
    rate_limit_per_minute: int | None = Field(
        None, ge=1, description="Requests a minute for one client; empty: 60, and no limit without API keys."
    )
    rate_limit_burst: int = Field(20, ge=1, description="Requests at once for one client.")
    cache_size: int = Field(500, ge=1, description="Answers kept in the response cache.")
    cache_ttl: float = Field(3600.0, gt=0, description="Seconds an answer is kept.")
    session_max_turns: int = Field(20, ge=1, description="Turns kept of a conversation.")
    session_max_age: float = Field(86_400.0, gt=0, description="Seconds a conversation is kept.")
    search_threads: int = Field(4, ge=1, le=64, description="Threads for search work, which stays off the event loop.")
    log_dir: Path = Field(PROJECT_ROOT / "logs", description="Folder of ragas.log.")
    log_format: Literal["auto", "json", "text"] = Field("auto", description="auto: readable in a terminal, else JSON.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least severe entries logged.")

    @field_validator("cors_origins", "trusted_proxies", mode="before")
    @classmethod
    def _split_commas(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("cors_origins")
    @classmethod
    def _no_wildcard(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if "*" in value:
            raise ValueError("a wildcard would open the service to every page; name the origins")
        return value

    @field_validator("api_keys", mode="before")
    @classmethod
    def _parse_keys(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [part.strip().partition("=") for part in value.split(",") if part.strip()]
        if any(not name or not key for name, _, key in pairs):
            raise ValueError("expected name=key:scope|scope, separated by commas")
        return {name: key for name, _, key in pairs}


class FeatureFlags(BaseSettings):
    """Parts that can be switched off."""

    enable_hybrid_search: bool = Field(True, description="Lexical and vector search together; off: vector only.")
    enable_spelling: bool = Field(True, description="Put typing errors and misplaced spaces of questions right.")
    enable_reranking: bool = Field(True, description="Rerank candidates; off: fused order.")
    enable_learned_ranking: bool = Field(
        True, description="Order candidates as learned for the embedder and reranker; off: fusion and reranker alone."
    )
    enable_fixed_doc_limit: bool = Field(
        True, description="Budget table of documents; off: RETRIEVAL_K for every domain."
    )
    enable_cross_domain_rerank: bool = Field(True, description="One ranking over the documents of several domains.")
    enable_llm_evaluation: bool = Field(
        True, description="The model scores answers, beside the rules, when configured."
    )
    enable_domain_rejection: bool = Field(True, description="Turn away what no domain covers; off: best domain.")
    enable_legal_supplement: bool = Field(True, description="Add statutes to questions with a legal side.")
    enable_post_eval_retry: bool = Field(
        True, description="One retry with alternative queries after a failed evaluation."
    )
    enable_graduated_retry: bool = Field(True, description="Relax, expand, then neighbours after failed retrieval.")
    enable_adaptive_search: bool = Field(True, description="Choose the search mode by question; off: always HYBRID.")
    enable_action_aware_generation: bool = Field(True, description="Propose next steps and weave them into the prompt.")
    enable_response_cache: bool = Field(True, description="Answer an equal question from the cache.")
    enable_rate_limit: bool = Field(True, description="Limit requests for one client.")
    enable_ragas_evaluation: bool = Field(False, description="Log RAGAS scores of answers (needs the eval extra).")
    enable_llm_domain_classification: bool | None = Field(
        None, description="The model chooses the domains; empty: when a model is configured."
    )


class Settings(RetrievalSettings, GenerationSettings, ProviderSettings, ServiceSettings, FeatureFlags):
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
        if self.enable_ragas_evaluation and not self.model_configured:
            raise ValueError("ENABLE_RAGAS_EVALUATION is true, so OPENAI_API_KEY or OPENAI_BASE_URL must be set")
        if self.llm_provider is LLMProvider.OPENAI and not (self.openai_api_key or self.openai_base_url):
            raise ValueError("LLM_PROVIDER is openai, so OPENAI_API_KEY or OPENAI_BASE_URL must be set")
        return self

    @property
    def effective_llm_provider(self) -> LLMProvider:
        """The provider in effect: the one set, else openai when a key or an address is there."""
        if self.llm_provider is not None:
            return self.llm_provider
        return LLMProvider.OPENAI if self.openai_api_key or self.openai_base_url else LLMProvider.EXTRACTIVE

    @property
    def model_configured(self) -> bool:
        return self.effective_llm_provider is LLMProvider.OPENAI

    @property
    def llm_classifies_domains(self) -> bool:
        """Whether the understanding call also decides the domains."""
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
    except ValidationError as error:
        raise SettingsError(describe_errors(error)) from error


def describe_errors(error: ValidationError) -> str:
    """One sentence a wrong setting, naming the environment variable."""
    lines = []
    for item in error.errors(include_url=False, include_input=False):
        name = str(item["loc"][0]).upper() if item["loc"] else ""
        message = item["msg"].removeprefix("Value error, ")
        lines.append(f"{name}: {message}" if name else message)
    return "; ".join(lines)
