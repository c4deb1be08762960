"""Chat models of any OpenAI-compatible server, one a purpose over one pool of connections."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any, cast

import httpx2
import openai
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai.types.chat import ChatCompletionChunk
from pydantic import PrivateAttr, SecretStr

from chains.models.call_telemetry import CallTelemetry
from chains.models.errors import AttemptFailed
from chains.models.health import ModelHealth
from chains.models.language_model import LanguageModel, ModelServer
from chains.models.usage import ModelFailureReason, ModelPurpose, model_names
from utils.config.settings import Settings
from utils.http.retry_after import parse_retry_after
from utils.media.recordings import Recording
from utils.observability.request_context import NO_REQUEST, REQUEST_ID_HEADER, current_request_id
from utils.observability.telemetry import Telemetry
from utils.resilience.breaker import CircuitBreaker
from utils.resilience.pace import Pace
from utils.usage.sink import NO_USAGE, UsageSink

PURPOSE_HEADER = "X-Model-Purpose"
_THRESHOLD = 3  # a hanging server costs each of these calls its whole timeout
_CHECK_TIMEOUT = 2.0  # seconds
_TOGETHER = 0.005  # seconds between pieces that were read together
_SPOKEN = "ko"
_CHARS_PER_TOKEN = 4  # of English, the longest; of Korean it is one or two

_NO_TEMPERATURE = re.compile(r"(?:^|[/:])(?:gpt-5|gpt-4\.1|o\d+(?:-|$))", re.IGNORECASE)
# Errors of a call: the client's own errors, the transport's, which it lets through while a body is read, and those of
# langchain-openai for answers off the protocol.
_FAILURES = (openai.APIError, httpx2.TransportError, ValueError, TypeError, KeyError)


_REFUSED = {
    401: ModelFailureReason.UNAUTHORIZED,
    403: ModelFailureReason.UNAUTHORIZED,
    404: ModelFailureReason.UNKNOWN_MODEL,
}
# Why a text ended other than by its own end; "length" and "content_filter" are OpenAI's, the others those of compatible servers.
_UNFINISHED = {
    "length": ModelFailureReason.TRUNCATED,
    "max_tokens": ModelFailureReason.TRUNCATED,
    "content_filter": ModelFailureReason.FILTERED,
    "abort": ModelFailureReason.CUT,
    "error": ModelFailureReason.CUT,
}


class _PlainChunks(openai.AsyncOpenAI):
    """The client whose pieces of a stream stay the mappings that they come as.

    Making a model of each and a mapping of that again, which is what langchain-openai reads, took a fifth of the time of a stream.
    """

    def _process_response_data(self, *, data: object, cast_to: Any, response: httpx2.Response) -> Any:
        if cast_to is ChatCompletionChunk and isinstance(data, dict):
            return data
        return super()._process_response_data(data=data, cast_to=cast_to, response=response)


class OpenAIChatModel(ChatOpenAI):
    """`ChatOpenAI` whose failures are all `AttemptFailed`, including a text that does not come to its own end.

    Of many texts at once each is read in turns.
    """

    _pace: Pace = PrivateAttr(default_factory=Pace)

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        try:
            result = await super()._agenerate(messages, *args, **kwargs)
        except _FAILURES as error:
            raise _as_failure(error, ModelFailureReason.UNREACHABLE) from error
        if not result.generations:
            raise AttemptFailed(ModelFailureReason.GARBAGE)
        message = result.generations[0].message
        usage = message.usage_metadata if isinstance(message, AIMessage) else None
        _require_end((result.generations[0].generation_info or {}).get("finish_reason"), usage)
        return result

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        finish_reason = None
        connection_lost = ModelFailureReason.UNREACHABLE
        read_at = 0.0
        pieces = super()._astream(messages, *args, **kwargs)
        try:
            # closed here and now, and not by the garbage collector, when the text is not read to its end
            async with aclosing(cast("AsyncGenerator[ChatGenerationChunk, None]", pieces)) as chunks:
                with self._pace.joined():
                    async for chunk in chunks:
                        connection_lost = ModelFailureReason.CUT
                        finish_reason = finish_reason or (chunk.generation_info or {}).get("finish_reason")
                        yield chunk
                        if time.monotonic() - read_at > _TOGETHER and chunk.text:
                            await self._pace.turn()  # what comes meanwhile is read at once
                            read_at = time.monotonic()
        except _FAILURES as error:
            raise _as_failure(error, connection_lost) from error
        if not finish_reason:
            raise AttemptFailed(ModelFailureReason.CUT)
        _require_end(finish_reason)


def build_openai_model(
    settings: Settings, telemetry: Telemetry | None = None, usage: UsageSink = NO_USAGE
) -> LanguageModel:
    """The configured model server as a `LanguageModel` for every purpose. Nothing is sent yet."""
    key = _Key(settings.openai_api_key)
    connections = openai.DefaultAsyncHttpxClient(
        timeout=settings.llm_timeout, event_hooks={"request": [_name_the_request, key.sign]}
    )
    names = model_names(settings)
    patience = dict.fromkeys(ModelPurpose, settings.llm_timeout)
    patience[ModelPurpose.EVALUATION] = min(settings.llm_timeout, settings.llm_evaluation_timeout)
    # one breaker a purpose: a purpose that works says nothing of one that hangs
    breakers = {purpose: CircuitBreaker(f"model server, {purpose}", threshold=_THRESHOLD) for purpose in ModelPurpose}
    patience[ModelPurpose.VOICE] = settings.transcription_timeout
    server = ModelServer(
        breakers=breakers,
        timeouts=patience,
        max_attempts=settings.llm_max_attempts,
        max_chars=_CHARS_PER_TOKEN * settings.generation_max_tokens,
        health=ModelHealth(breakers, partial(_ask_for_models, settings, connections)),
        close=connections.aclose,
        telemetry=CallTelemetry(telemetry or Telemetry(), names, usage),
        use_key=key.use,
        masks=settings.enable_model_masking,
        transcribe=partial(_transcribed, settings, connections),
    )
    written = names.keys() - {ModelPurpose.VOICE}
    models = {purpose: _chat_model(settings, names[purpose], purpose, connections) for purpose in written}
    return LanguageModel(settings.openai_model, models, server)


def takes_temperature(model: str) -> bool:
    """Return whether the model family accepts a sampling temperature (GPT-5, GPT-4.1 and the o-series do not)."""
    return _NO_TEMPERATURE.search(model) is None


def _chat_model(
    settings: Settings, name: str, purpose: ModelPurpose, connections: openai.DefaultAsyncHttpxClient
) -> OpenAIChatModel:
    tempered = takes_temperature(name)
    client = _PlainChunks(
        api_key=_key(settings).get_secret_value(),
        base_url=settings.openai_base_url,
        default_headers={PURPOSE_HEADER: purpose.value},
        http_client=connections,
        timeout=settings.llm_timeout,
        max_retries=0,  # `LanguageModel` owns the retry
    )
    is_talk, is_image = purpose is ModelPurpose.TALK, purpose is ModelPurpose.IMAGE
    temperature = settings.openai_talk_temperature if is_talk else settings.openai_temperature
    limit = settings.image_max_tokens if is_image else settings.generation_max_tokens
    return OpenAIChatModel(
        root_async_client=client,
        async_client=client.chat.completions,
        model=name,
        # explicit None, or langchain-openai gives the o-series a temperature of its own
        temperature=temperature if tempered else None,
        # the older name of the limit is the one that every compatible server knows; langchain-openai renames it
        max_completion_tokens=None if tempered else limit,
        extra_body={"max_tokens": limit} if tempered else None,
        api_key=_key(settings),
        base_url=settings.openai_base_url,
        stream_usage=True,
        stream_chunk_timeout=None,  # `LanguageModel` owns the pause
        use_responses_api=False,
    )


def _require_end(finish_reason: object, usage: UsageMetadata | None = None) -> None:
    if (unfinished := _UNFINISHED.get(str(finish_reason))) is not None:
        raise AttemptFailed(unfinished, usage=usage)


async def _transcribed(settings: Settings, connections: openai.DefaultAsyncHttpxClient, recording: Recording) -> str:
    """The Korean that is said in a recording, by the transcriptions of the server; raises `AttemptFailed`."""
    client = _client(settings, connections)
    try:
        reply = await client.audio.transcriptions.create(
            model=settings.openai_transcription_model,
            file=(recording.file_name, recording.data, recording.media_type),
            language=_SPOKEN,
            response_format="json",
            timeout=settings.transcription_timeout,
            extra_headers={PURPOSE_HEADER: ModelPurpose.VOICE.value},
        )
        return reply.text
    except (*_FAILURES, AttributeError) as error:
        raise _as_failure(error, ModelFailureReason.UNREACHABLE) from error


async def _ask_for_models(settings: Settings, connections: openai.DefaultAsyncHttpxClient) -> None:
    """Ask whether the server answers and takes the key, without a model call; raises `AttemptFailed`."""
    client = _client(settings, connections)
    try:
        async with client.models.with_streaming_response.list(timeout=_CHECK_TIMEOUT):
            return  # the list itself is of no interest
    except openai.NotFoundError:
        return  # a server without this route
    except _FAILURES as error:
        raise _as_failure(error, ModelFailureReason.UNREACHABLE) from error


def _client(settings: Settings, connections: openai.DefaultAsyncHttpxClient) -> openai.AsyncOpenAI:
    """A client for what LangChain has no model of; who calls it owns the retry."""
    key = _key(settings).get_secret_value()
    return openai.AsyncOpenAI(api_key=key, base_url=settings.openai_base_url, http_client=connections, max_retries=0)


async def _name_the_request(request: httpx2.Request) -> None:
    """Tell the server which of our requests it works for, so that its log can be found from ours."""
    if (name := current_request_id()) != NO_REQUEST:
        request.headers[REQUEST_ID_HEADER] = name


class _Key:
    """The key that requests are sent with, whatever the clients were made with: it may be exchanged."""

    def __init__(self, key: SecretStr | None) -> None:
        self._key = key

    def use(self, key: SecretStr | None) -> None:
        self._key = key

    async def sign(self, request: httpx2.Request) -> None:
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"


def _key(settings: Settings) -> SecretStr:
    return settings.openai_api_key or SecretStr("none")  # local servers need no key, the client does


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
        if error.code == "content_filter":
            return AttemptFailed(ModelFailureReason.FILTERED)
        return AttemptFailed(_REFUSED.get(error.status_code, ModelFailureReason.REJECTED))
    if isinstance(error, openai.APIError):  # an error event within a stream
        return AttemptFailed(ModelFailureReason.SERVER_ERROR)
    return AttemptFailed(ModelFailureReason.GARBAGE)
