"""Chat models of any OpenAI-compatible server, one a purpose over one pool of connections."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from chains.llm import LanguageModel, ModelServer
from chains.model_errors import AttemptFailed
from utils.breaker import CircuitBreaker
from utils.config.settings import Settings
from utils.model_calls import ModelFailureReason, ModelPurpose
from utils.retry_after import parse_retry_after

PURPOSE_HEADER = "X-Model-Purpose"

_NO_TEMPERATURE = re.compile(r"(?:^|[/:])(?:gpt-5|gpt-4\.1|o\d+(?:-|$))", re.IGNORECASE)
# What a call raises: the client's own errors, the transport's, which it lets through while a body is read, and those of
# langchain-openai for answers off the protocol.
_FAILURES = (openai.APIError, httpx2.TransportError, ValueError, TypeError, KeyError)


class OpenAIChatModel(ChatOpenAI):
    """`ChatOpenAI` whose failures are all `AttemptFailed`, including a stream that ends before its finish reason."""

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        try:
            result = await super()._agenerate(messages, *args, **kwargs)
        except _FAILURES as error:
            raise _as_failure(error, ModelFailureReason.UNREACHABLE) from error
        if not result.generations:
            raise AttemptFailed(ModelFailureReason.GARBAGE)
        return result

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        finished = False
        connection_lost = ModelFailureReason.UNREACHABLE
        try:
            async for chunk in super()._astream(messages, *args, **kwargs):
                connection_lost = ModelFailureReason.CUT
                finished = finished or bool((chunk.generation_info or {}).get("finish_reason"))
                yield chunk
        except _FAILURES as error:
            raise _as_failure(error, connection_lost) from error
        if not finished:
            raise AttemptFailed(ModelFailureReason.CUT)


def build_openai_model(settings: Settings) -> LanguageModel:
    """The configured model server as a `LanguageModel` for every purpose. Nothing is sent yet."""
    connections = openai.DefaultAsyncHttpxClient(timeout=settings.llm_timeout)
    understanding = settings.openai_understanding_model or settings.openai_model
    names = {
        ModelPurpose.UNDERSTANDING: understanding,
        ModelPurpose.GENERATION: settings.openai_model,
        ModelPurpose.EVALUATION: settings.openai_evaluation_model or settings.openai_model,
        ModelPurpose.ALTERNATIVES: understanding,
    }
    server = ModelServer(
        breaker=CircuitBreaker("model server"),
        timeout=settings.llm_timeout,
        max_attempts=settings.llm_max_attempts,
        close=connections.aclose,
    )
    models = {purpose: _chat_model(settings, name, purpose, connections) for purpose, name in names.items()}
    return LanguageModel(settings.openai_model, models, server)


def takes_temperature(model: str) -> bool:
    """Whether the model family accepts a sampling temperature (GPT-5, GPT-4.1 and the o-series do not)."""
    return _NO_TEMPERATURE.search(model) is None


def _chat_model(
    settings: Settings, name: str, purpose: ModelPurpose, connections: openai.DefaultAsyncHttpxClient
) -> OpenAIChatModel:
    tempered = takes_temperature(name)
    return OpenAIChatModel(
        model=name,
        # explicit None, or langchain-openai gives the o-series a temperature of its own
        temperature=settings.openai_temperature if tempered else None,
        # the older name of the limit is the one that every compatible server knows; langchain-openai renames it
        max_completion_tokens=None if tempered else settings.generation_max_tokens,
        extra_body={"max_tokens": settings.generation_max_tokens} if tempered else None,
        api_key=settings.openai_api_key or SecretStr("none"),  # local servers need no key, the client does
        base_url=settings.openai_base_url,
        default_headers={PURPOSE_HEADER: purpose.value},
        http_async_client=connections,
        timeout=settings.llm_timeout,
        max_retries=0,  # `LanguageModel` owns the retry
        stream_usage=True,
        stream_chunk_timeout=None,  # `LanguageModel` owns the pause
        use_responses_api=False,
    )


def _as_failure(error: Exception, connection_lost: ModelFailureReason) -> AttemptFailed:
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return AttemptFailed(ModelFailureReason.TIMEOUT)
    if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
        return AttemptFailed(connection_lost)
    if isinstance(error, openai.APIStatusError):
        retry_after = parse_retry_after(error.response.headers.get("retry-after"))
        if error.status_code == 429:
            return AttemptFailed(ModelFailureReason.RATE_LIMITED, retry_after)
        if error.status_code >= 500:
            return AttemptFailed(ModelFailureReason.SERVER_ERROR, retry_after)
        return AttemptFailed(ModelFailureReason.REJECTED)
    if isinstance(error, openai.APIError):  # an error event within a stream
        return AttemptFailed(ModelFailureReason.SERVER_ERROR)
    return AttemptFailed(ModelFailureReason.GARBAGE)
