"""The failure policy row by row, with the real thing broken: it hangs, refuses, is slow, or is killed and started again.

Each answer comes in time and names what is missing; the log and the metrics tell of it; and what is back is used again without
a restart.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from statistics import median

import pytest

from evaluation.chaos.proxy import BreakableProxy
from tests.support.breakable_service import (
    REQUEST_TIMEOUT,
    SLOW,
    TIMEOUT,
    Answer,
    BreakableService,
    breakable_service,
)
from tests.support.crowd import shows_inner_workings, wait_until
from vectorstores.integrity.checksums import Part
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(300)]

BREAKS: dict[str, Callable[[BreakableProxy], None]] = {
    "hangs": BreakableProxy.hang,
    "refuses": BreakableProxy.refuse,
    "is slow": lambda proxy: proxy.slow(SLOW),
}
LOGGERS = {
    "vector": "vectorstores.search.degradation",
    "embedding": "vectorstores.search.degradation",
    "rerank": "vectorstores.search.degradation",
    "redis": "utils.resilience.redis_link",
    "domain_db": "utils.routing.domain_store",
    "sessions": "agents.sessions.link",
    "llm": "chains.models.language_model",
}
PROCESSES = ("vector", "redis", "domain_db", "sessions")
EVERYTHING = (*PROCESSES, "embedding", "rerank", "llm")
# apart from the other parameters: pytest begins a service anew for each place in a list of several
serverless = pytest.mark.parametrize("service", ["serverless"], indirect=True)
plain = pytest.mark.parametrize("service", ["plain"], indirect=True)
in_each_way = pytest.mark.parametrize("how", BREAKS)


def component(dependency: str) -> str:
    """The component that an answer names for a dependency: without vectors of the question nothing searches the store."""
    return "vector" if dependency == "embedding" else dependency


@pytest.fixture(scope="module")
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tokenizer: KiwiTokenizer
) -> Iterator[BreakableService]:
    folder = tmp_path_factory.mktemp("broken")
    with (
        pytest.MonkeyPatch.context() as patch,
        breakable_service(folder, tokenizer, serverless=request.param == "serverless", patch=patch) as running,
    ):
        yield running


@pytest.fixture
def whole(service: BreakableService) -> Iterator[BreakableService]:
    """The service with nothing broken, before the test and after it."""
    for proxy in service.proxies.values():
        proxy.pass_on()
    _is_whole_again(service)
    yield service
    for proxy in service.proxies.values():
        proxy.pass_on()


def _is_whole_again(service: BreakableService) -> None:
    wait_until(lambda: not service.ask().missing, "nothing is missing", 60)
    wait_until(service.is_well, "health is well", 60)


def _asked_until_marked(service: BreakableService, missing: str) -> list[Answer]:
    answers: list[Answer] = []

    def is_marked() -> bool:
        answers.append(service.ask())
        return missing in answers[-1].missing

    wait_until(is_marked, "the answer says so", 60)
    return answers


@serverless
@in_each_way
@pytest.mark.parametrize("dependency", EVERYTHING)
def test_a_dependency_is_broken_and_comes_back(
    whole: BreakableService, dependency: str, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    _is_broken_and_comes_back(whole, dependency, how, caplog)


@plain
@in_each_way
@pytest.mark.parametrize("dependency", ["domain_db", "embedding", "rerank"])
def test_a_dependency_of_another_kind_is_broken_and_comes_back(
    whole: BreakableService, dependency: str, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    _is_broken_and_comes_back(whole, dependency, how, caplog)


def _is_broken_and_comes_back(
    whole: BreakableService, dependency: str, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    missing, usual = component(dependency), median(whole.ask().seconds for _ in range(3))
    counted = whole.counted(f'bizi_degraded_answers_total{{component="{missing}"}}')
    with caplog.at_level(logging.INFO):
        BREAKS[how](whole.proxies[dependency])
        # the domain tables are looked at every second; all else is called by the first question
        first = _asked_until_marked(whole, missing)
        later = [whole.ask() for _ in range(8)]
    for answer in (*first, *later):
        assert answer.status == 200
        assert answer.body["content"]
        assert answer.missing <= {missing}
        assert answer.seconds < REQUEST_TIMEOUT
        reasons = [lack["reason"] for lack in answer.body["degraded"] if lack["component"] == missing]
        assert not [reason for reason in reasons if shows_inner_workings(reason)]
    if dependency != "domain_db":
        assert len(first) == 1, "the first question already"
    assert all(answer.missing == {missing} for answer in later), "every answer is marked"
    # given up by then: what waits is at most a probe now and then
    assert median(answer.seconds for answer in later[4:]) < TIMEOUT + 5 * usual
    assert [entry for entry in caplog.records if entry.name == LOGGERS[dependency] and entry.levelno >= logging.WARNING]
    assert whole.counted(f'bizi_degraded_answers_total{{component="{missing}"}}') >= counted + len(later)
    wait_until(lambda: whole.capability(dependency)["state"] != "available", "health tells of it")
    wait_until(lambda: not whole.counted(f'bizi_capability_works{{capability="{dependency}"}}'), "and the metrics do")
    assert whole.client.get("/health/ready").status_code == 200
    assert not shows_inner_workings(whole.capability(dependency)["reason"])
    whole.proxies[dependency].pass_on()
    _is_whole_again(whole)


@serverless
@pytest.mark.parametrize("dependency", PROCESSES)
def test_a_server_is_killed_and_started_again_under_load(whole: BreakableService, dependency: str) -> None:
    _is_killed_and_started_again(whole, dependency)


@plain
def test_postgresql_is_killed_and_started_again_under_load(whole: BreakableService) -> None:
    _is_killed_and_started_again(whole, "domain_db")


def _is_killed_and_started_again(whole: BreakableService, dependency: str) -> None:
    answers: list[Answer] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            answers.append(whole.ask())

    clients = [threading.Thread(target=ask) for _ in range(3)]
    for client in clients:
        client.start()
    try:
        whole.servers[dependency].kill()
        wait_until(lambda: bool(answers) and dependency in answers[-1].missing, "the answers say so", 60)
        whole.servers[dependency].start()
        wait_until(lambda: not answers[-1].missing, "it is used again", 60)
    finally:
        over.set()
        for client in clients:
            client.join()
    assert {answer.status for answer in answers} == {200}
    assert {frozenset(answer.missing) for answer in answers} <= {frozenset(), frozenset({dependency})}
    assert max(answer.seconds for answer in answers) < REQUEST_TIMEOUT
    _is_whole_again(whole)


@serverless
def test_everything_is_away_at_once_and_words_alone_still_answer(whole: BreakableService) -> None:
    for proxy in whole.proxies.values():
        proxy.refuse()
    everything = {component(dependency) for dependency in EVERYTHING}
    wait_until(lambda: whole.ask().missing == everything, "all of it is named", 60)
    answers = [whole.ask() for _ in range(5)]
    assert all(answer.status == 200 and answer.body["sources"] for answer in answers)
    assert {frozenset(answer.missing) for answer in answers} == {frozenset(everything)}
    assert whole.client.get("/health/ready").status_code == 200
    for proxy in whole.proxies.values():
        proxy.pass_on()
    _is_whole_again(whole)


@serverless
def test_where_neither_side_can_be_searched_the_client_is_told_when_to_come_back(whole: BreakableService) -> None:
    """The last test of this service: damage that was found is there until it is repaired."""
    for collection in whole.engine.live.searcher.index.collections.values():
        collection.take_out({Part.BM25})
    assert whole.ask().missing == {"bm25"}
    whole.proxies["vector"].refuse()
    refused = whole.client.post("/api/chat", json={"message": "임금 체불은 어떻게 신고하나요?"})
    assert (refused.status_code, refused.json()["code"]) == (503, "service_unavailable")
    assert int(refused.headers["retry-after"]) >= 1
    assert not shows_inner_workings(refused.json()["detail"])
    whole.proxies["vector"].pass_on()
    wait_until(lambda: whole.ask().status == 200, "vectors answer alone", 60)
