"""Answers kept for equal questions: in process, and in Redis when several workers share them.

The key holds everything an answer depends on, so nothing has to be dropped when something changes: after an ingest, an edit of
a prompt or of a domain, or at midnight, the old entries are simply never asked for again.
"""

from __future__ import annotations

import hashlib
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import orjson
from cachetools import TTLCache
from pydantic import ValidationError

from schemas.chat import ChatRequest, ChatResponse, Component
from utils.config.feature_flags import FeatureFlags
from utils.config.provider_settings import ModelSettings
from utils.config.retrieval_settings import RetrievalSettings
from utils.config.settings import GenerationSettings, ProviderSettings, Settings
from utils.resilience.redis_link import RedisLink, RedisUnavailable

_PREFIX = "bizi:answer:1:"
_SCANNED_AT_ONCE = 500
_ASKER = 16  # hexadecimal digits of a key that tell whose answer it is

# An answer that lacked one of these is not kept: it would be better tomorrow. Redis and the domain database change no answer.
REQUIRED_COMPONENTS = frozenset(
    {Component.LLM, Component.IMAGE, Component.INDEX, Component.VECTOR, Component.BM25, Component.RERANK}
)
_SHAPING = (RetrievalSettings, GenerationSettings, ModelSettings, ProviderSettings, FeatureFlags)
_NOT_SHAPING = frozenset(
    {"redis_url", "database_url"}
)  # what they hold has its version; workers may name them differently


@dataclass(frozen=True, slots=True)
class AnswerBasis:
    """State that all answers depend on; a change of any field makes cached answers stale. ``day`` is an ISO date.

    ``notices`` names the state of the notices of support programmes and housing, ``assistant`` who answers.
    """

    assistant: str
    service: str
    configuration: str
    model: str
    prompts: str
    index: str
    domains: str
    day: str
    notices: str = ""


def configuration_digest(settings: Settings) -> str:
    """Equal for settings that give equal answers; secrets play no part."""
    names = {name for group in _SHAPING for name in group.model_fields} - _NOT_SHAPING
    shown = {name: value for name, value in settings.model_dump(mode="json").items() if name in names}
    return hashlib.sha256(orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)).hexdigest()


def cache_key(request: ChatRequest, client: str, basis: AnswerBasis) -> str:
    """The key of a question with its conversation, asker and ``basis``. A digest: it shows nothing of the question.

    ``client`` is the API client; together with the user id it is the tenant. The history must be complete: a conversation
    known by its session has to be put into the request before. The key begins with `asker_of`.
    """
    context = request.user_context
    parts = {
        "question": normalized(request.message),
        "history": [(turn.role, turn.content) for turn in request.history],
        "asker": context.model_dump(mode="json") if context else None,  # user id and what filters by company
        "image": request.image,
        "client": client,
        "state": _state(request),
        "basis": basis,  # orjson writes its fields
    }
    asker = asker_of(client, (context.user_id if context else None) or "")
    return asker + hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def asker_of(client: str, user_id: str) -> str:
    """The beginning of the keys of a user's answers; it shows nothing of client and user."""
    return hashlib.sha256(orjson.dumps((client, user_id))).hexdigest()[:_ASKER]


def _state(request: ChatRequest) -> object:
    """The state that a turn about notices goes on from; the conversation in it is that of the history."""
    if request.session_state is None:
        return [request.debug]
    return [request.debug, request.session_state.model_dump(mode="json", exclude={"chat_history"})]


def normalized(question: str) -> str:
    """The question without differences that change no answer: composition, case, and runs of white space."""
    return " ".join(unicodedata.normalize("NFC", question).casefold().split())


def is_worth_keeping(response: ChatResponse) -> bool:
    """Return False for an empty answer, one that failed its evaluation, or one that lacked a required component."""
    if not response.content.strip():
        return False
    if response.evaluation is not None and not response.evaluation.passed:
        return False
    return not any(degradation.component in REQUIRED_COMPONENTS for degradation in response.degraded)


class ResponseCache:
    """The ``size`` answers used last, for ``ttl`` seconds. In Redis its own memory policy bounds the number."""

    def __init__(
        self, size: int, ttl: float, redis: RedisLink | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ttl = ttl
        self._redis = redis
        self._kept: TTLCache[str, ChatResponse] = TTLCache(size, ttl, clock)

    async def get(self, key: str) -> ChatResponse | None:
        """The kept answer; what Redis does not have may still be in process, from a time when Redis was away."""
        shared = await self._get_shared(self._redis, key) if self._redis else None
        return shared or self._kept.get(key)

    async def put(self, key: str, response: ChatResponse) -> None:
        """Keep an answer. It is kept in process, too, so that an outage of Redis does not find an empty cache."""
        self._kept[key] = response
        if self._redis:
            await self._put_shared(self._redis, key, response)

    async def clear(self, asker: str = "") -> bool:
        """Drop every kept answer, or those of an `asker_of`; False when some in Redis may have stayed, until their time is up."""
        for key in [key for key in self._kept if key.startswith(asker)]:
            self._kept.pop(key, None)
        return self._redis is None or await self._clear_shared(self._redis, asker)

    async def _clear_shared(self, redis: RedisLink, asker: str) -> bool:
        async def remove() -> None:
            async for key in redis.client.scan_iter(match=f"{_PREFIX}{asker}*", count=_SCANNED_AT_ONCE):
                await redis.client.unlink(key)

        try:
            await redis.run(remove)
        except RedisUnavailable:
            return False
        return True

    async def _get_shared(self, redis: RedisLink, key: str) -> ChatResponse | None:
        try:
            value = await redis.run(lambda: redis.client.get(_PREFIX + key), reads=True)
            return None if value is None else ChatResponse.model_validate_json(value)
        except (RedisUnavailable, ValidationError):
            return None

    async def _put_shared(self, redis: RedisLink, key: str, response: ChatResponse) -> None:
        value = response.model_dump_json()
        try:
            await redis.run(lambda: redis.client.set(_PREFIX + key, value, px=max(1, int(self._ttl * 1000))))
        except RedisUnavailable:
            return
