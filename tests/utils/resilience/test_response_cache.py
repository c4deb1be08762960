"""Answers are kept by key, in process and in Redis, for a limited time."""

from __future__ import annotations

import time
import unicodedata
import uuid
from collections.abc import AsyncIterator

import pytest

from schemas.chat import ChatRequest, ChatResponse, CompanyProfile, UserContext
from tests.support.redis_server import RedisServer
from tests.support.services import require_service
from utils.config.settings import Settings
from utils.resilience.breaker import BreakerState
from utils.resilience.redis_link import RedisLink
from utils.resilience.response_cache import AnswerBasis, ResponseCache, cache_key, configuration_digest, normalized

BASIS = AnswerBasis("bizi", "1.0", "settings", "extractive", "prompts", "index-1", "domains", "2026-11-20")


def answer(content: str = "25일 이내입니다. [1]") -> ChatResponse:
    return ChatResponse(
        content=content, domain=None, domains=[], kind="consult", model="extractive", request_id="first"
    )


@pytest.fixture
async def redis() -> AsyncIterator[RedisLink]:
    link = RedisLink(require_service("redis"))
    yield link
    await link.aclose()


@pytest.fixture
def key() -> str:
    """A key that nobody else uses."""
    return cache_key(ChatRequest(message=uuid.uuid4().hex), "web", BASIS)


async def test_the_answers_used_last_are_kept() -> None:
    cache = ResponseCache(2, 60)
    for name in ("a", "b"):
        await cache.put(name, answer(name))
    assert await cache.get("a")
    await cache.put("c", answer("c"))
    assert await cache.get("b") is None
    assert (await cache.get("a")).content == "a"


async def test_an_answer_is_kept_for_its_time() -> None:
    now = [0.0]
    cache = ResponseCache(2, 3600, clock=lambda: now[0])
    await cache.put("a", answer())
    now[0] = 3599
    assert await cache.get("a")
    now[0] = 3601
    assert await cache.get("a") is None


@pytest.mark.parametrize("same", ["부가세  언제 신고?", " 부가세 언제\n신고? ", "부가세 언제 신고?"])
def test_what_changes_no_answer_changes_no_key(same: str) -> None:
    assert normalized(same) == normalized("부가세 언제 신고?")


def test_composition_and_case_change_no_key() -> None:
    assert normalized("부가세 VAT") == normalized("부가세 vat")
    assert normalized("부가세") == normalized(unicodedata.normalize("NFD", "부가세"))


def test_the_company_is_part_of_the_key() -> None:
    def key_for(**company: object) -> str:
        context = UserContext(company=CompanyProfile.model_validate(company))
        return cache_key(ChatRequest(message="연차를 줘야 하나요?", user_context=context), "web", BASIS)

    assert key_for(employee_count=4) != key_for(employee_count=5)
    assert key_for(employee_count=4) == key_for(employee_count=4)


def test_the_key_shows_nothing_of_the_question() -> None:
    assert set(cache_key(ChatRequest(message="비밀"), "web", BASIS)) <= set("0123456789abcdef")


def test_settings_that_shape_answers_are_part_of_the_basis() -> None:
    plain = configuration_digest(Settings())
    assert configuration_digest(Settings(retrieval_k=5)) != plain
    assert configuration_digest(Settings(enable_reranking=False)) != plain
    assert configuration_digest(Settings(port=9000, redis_url="redis://127.0.0.1")) == plain


@pytest.mark.services
async def test_workers_share_what_redis_keeps(redis: RedisLink, key: str) -> None:
    await ResponseCache(10, 60, redis).put(key, answer())
    assert await ResponseCache(10, 60, redis).get(key) == answer()
    assert await ResponseCache(10, 60).get(key) is None


@pytest.mark.services
async def test_redis_forgets_in_time(redis: RedisLink, key: str) -> None:
    await ResponseCache(10, 0.02, redis).put(key, answer())
    time.sleep(0.05)  # noqa: ASYNC251 - nothing else runs
    assert await ResponseCache(10, 60, redis).get(key) is None


@pytest.mark.services
async def test_what_another_version_wrote_is_no_answer(redis: RedisLink, key: str) -> None:
    await redis.client.set(f"bizi:answer:1:{key}", b'{"content": 1}', ex=60)
    assert await ResponseCache(10, 60, redis).get(key) is None


@pytest.mark.services
@pytest.mark.finding("M9")
async def test_all_answers_can_be_dropped_here_and_in_redis() -> None:
    with RedisServer() as server:
        link = RedisLink(server.url)
        cache, other = ResponseCache(2, 60, link), ResponseCache(2, 60, link)
        await cache.put("a", answer())
        await link.client.set("somebody:else", "stays")
        assert await cache.clear()
        assert await cache.get("a") is None
        assert await other.get("a") is None
        assert await link.client.keys() == [b"somebody:else"]
        await cache.put("a", answer())
        server.kill()
        assert not await cache.clear(), "what Redis has cannot be reached"
        assert await cache.get("a") is None
        await link.aclose()


async def test_an_outage_costs_neither_answers_nor_time() -> None:
    with RedisServer() as server:
        link = RedisLink(server.url)
        cache = ResponseCache(10, 60, link)
        await cache.put("a", answer())
        assert await link.is_up()
        server.hang()
        for _ in range(20):
            assert await cache.get("a") == answer()
        assert link._breaker.state is not BreakerState.CLOSED, "not every request waits for the time limit"
        assert link.degradation is not None
        server.kill()
        await cache.put("b", answer("b"))
        assert (await cache.get("b")).content == "b"
        await link.aclose()
