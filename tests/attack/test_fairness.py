"""Fairness between clients: the real service under the most expensive questions, judged by order and counts."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from agents.engine import Engine, build_engine
from evaluation.bench.hostile import long_question
from schemas.chat import ChatRequest
from schemas.problems import ErrorCode
from tests.contract.conftest import running
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem
from utils.config.settings import Settings
from utils.http.load_shedding import LoadShedder
from utils.http.problems import ProblemError, retry_after
from utils.observability.request_context import bind_client
from vectorstores.tokenizer import KiwiTokenizer

HOSTILE = 12


@pytest.mark.slow
@pytest.mark.finding("M11")
async def test_honest_questions_overtake_a_hostile_clients(
    starter_settings: Settings, tokenizer: KiwiTokenizer
) -> None:
    settings = starter_settings.model_copy(update={"request_timeout": 600.0})
    engine = build_engine(settings, tokenizer=tokenizer)
    ended: list[str] = []

    async def ask(client: str, question: str) -> None:
        bind_client(client)
        await engine.executor.answer(ChatRequest(message=question), client)
        ended.append(client)

    await ask("warm", "부가가치세는 언제까지 신고해야 하나요?")
    hostile = [asyncio.create_task(ask("hostile", long_question(seed))) for seed in range(HOSTILE)]
    try:
        await asyncio.sleep(0)
        for number in range(6):  # one after the other, each while the rest of the hostile ones wait
            await asyncio.create_task(ask("honest", f"주휴수당은 어떻게 계산하나요? {number}"))
        before = ended[: len(ended) - ended[::-1].index("honest")].count("hostile")
        assert before <= HOSTILE // 2, ended
    finally:
        for task in hostile:
            task.cancel()
        await asyncio.wait(hostile)
        await _close(engine)


async def _close(engine: Engine) -> None:
    await engine.parts.chain.model.aclose()
    engine.pool.shutdown(cancel_futures=True)


class FullShedder(LoadShedder):
    """A service whose queue is full for everybody."""

    def __init__(self) -> None:
        pass

    def check(self, client: str) -> None:
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, headers=retry_after(7))


@pytest.mark.finding("M11")
@pytest.mark.parametrize("route", ["/api/chat", "/api/chat/stream", "/api/vectordb/search"])
def test_who_is_shed_is_told_when_to_come_back_before_any_work(route: str) -> None:
    stubs = StubServices(shedder=FullShedder())
    with running(stubs) as service, service.client() as client:
        body = {"query": "부가세"} if route.endswith("search") else {"message": "부가세"}
        refused = client.post(route, json=body)
        assert_problem(refused, ErrorCode.SERVICE_UNAVAILABLE)
        assert refused.headers["retry-after"] == "7"
        assert not stubs.chat.received
        assert 'bizi_refusals_total{cause="shed"} 1.0' in client.get("/metrics").text
        assert client.get("/health/live").status_code == 200


def test_work_is_done_for_the_client_that_asked() -> None:
    seen: list[str] = []
    stubs = StubServices(shedder=RecordingShedder(seen))
    keys = "web=chat-key-0123456789:chat,app=other-key-0123456789:chat"
    with running(stubs, api_keys=keys) as service, ThreadPoolExecutor(4) as threads:

        def ask(key: str) -> httpx.Response:
            with service.client() as client:
                return client.post("/api/chat", json={"message": "부가세"}, headers={"X-API-Key": key})

        assert all(
            response.is_success for response in threads.map(ask, ["chat-key-0123456789", "other-key-0123456789"] * 5)
        )
    assert sorted(set(seen)) == ["client:app", "client:web"]


class RecordingShedder(FullShedder):
    """Lets everybody pass and remembers who it was."""

    def __init__(self, seen: list[str]) -> None:
        self._seen = seen

    def check(self, client: str) -> None:
        self._seen.append(client)
