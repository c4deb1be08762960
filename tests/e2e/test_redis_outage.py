"""Redis goes away under a running service, and comes back."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.e2e.conftest import serving
from tests.support.redis_server import RedisServer
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.services, pytest.mark.slow]  # waits for health checks

VAT = "부가가치세는 언제까지 신고해야 하나요?"
SEVERANCE = "퇴직금은 언제까지 줘야 하나요?"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="module")
def service(
    starter_settings: Settings, tokenizer: KiwiTokenizer, redis: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    # an embedded store has one owner, so this service gets a copy
    data_dir = tmp_path_factory.mktemp("redis") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    changes = {"data_dir": data_dir, "redis_url": redis.url, "enable_rate_limit": True, "enable_response_cache": True}
    changes["rate_limit_per_minute"] = 60
    with serving(starter_settings.model_copy(update=changes), tokenizer) as client:
        yield client


def ask(service: httpx.Client, message: str) -> tuple[dict[str, Any], httpx.Response]:
    response = service.post("/api/chat", json={"message": message})
    assert response.status_code == 200, response.text
    return response.json(), response


def components(answer: dict[str, Any]) -> list[str]:
    return [degradation["component"] for degradation in answer["degraded"]]


def state_of_redis(service: httpx.Client) -> str:
    state: str = service.get("/health").json()["capabilities"]["redis"]["state"]
    return state


def test_answers_go_on_from_what_is_in_process(service: httpx.Client, redis: RedisServer) -> None:
    fresh, _ = ask(service, VAT)
    assert (fresh["cached"], components(fresh)) == (False, [])
    assert state_of_redis(service) == "available"

    redis.kill()
    started = time.monotonic()
    kept, response = ask(service, VAT)
    assert kept["cached"], "an outage does not turn the cache off"
    assert components(kept) == ["redis"]
    assert int(response.headers["ratelimit-remaining"]) > 0
    new, _ = ask(service, SEVERANCE)
    assert (new["cached"], components(new)) == (False, ["redis"])
    assert ask(service, SEVERANCE)[0]["cached"]
    assert time.monotonic() - started < 10
    _wait_for(service, "degraded")

    redis.start()
    _wait_for(service, "available")
    back, _ = ask(service, VAT)
    assert (back["cached"], components(back)) == (True, [])


def _wait_for(service: httpx.Client, state: str) -> None:
    until = time.monotonic() + 25
    while state_of_redis(service) != state:
        assert time.monotonic() < until, f"redis is never {state}"
        time.sleep(0.2)
