"""The cost of answers, over HTTP: counted by client and purpose, free from the cache, and ended by a budget."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from schemas.problems import ErrorCode
from tests.contract.wire import assert_problem, parse_frames
from tests.e2e.conftest import ServiceWithModel, serving_with_model
from tests.e2e.test_model_path import GOOD, VAT, script
from tests.support.scripted_openai import Say, ScriptedOpenAI
from utils.config.settings import Settings
from utils.config.usage_settings import read_budgets
from vectorstores.tokenizer import KiwiTokenizer

KEYS = {name: SecretStr(f"{name}-key-0123456789:chat") for name in ("web", "kiosk", "shop")}
ADMIN = {"ops": SecretStr("ops-key-0123456789:admin")}
OTHERS = [f"{VAT} {number}번째로 묻습니다." for number in range(9)]


@pytest.fixture(scope="module")
def link(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    model_server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ServiceWithModel]:
    """The service with a model, a cache, three clients that ask, and a budget of two of them."""
    budgets = read_budgets("kiosk=1tokens/day,shop=1USD/month")
    with serving_with_model(
        starter_settings, tokenizer, model_server, tmp_path_factory.mktemp("usage") / "var",
        api_keys=KEYS | ADMIN, client_budgets=budgets, enable_response_cache=True, openai_model="gpt-4o-mini",
    ) as service:  # fmt: skip
        yield service


@pytest.fixture
def service(link: ServiceWithModel, model_server: ScriptedOpenAI) -> httpx.Client:
    link.forget_failures()
    model_server.reset(script())
    return link.client


def ask(service: httpx.Client, name: str, question: str) -> dict[str, Any]:
    response = service.post("/api/chat", json={"message": question}, headers=_key(name))
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def stream(service: httpx.Client, name: str, question: str) -> dict[str, Any]:
    """The `done` event of a streamed answer."""
    frames = parse_frames(service.post("/api/chat/stream", json={"message": question}, headers=_key(name)).text)
    assert frames[-1].event == "done"
    return frames[-1].data.model_dump(mode="json")


def used(service: httpx.Client, name: str) -> dict[str, dict[str, Any]]:
    """The sums of a client by purpose."""
    response = service.get("/api/usage", params={"by": "purpose", "client": name}, headers=_key("ops"))
    assert response.status_code == 200, response.text
    return {row["purpose"]: row for row in response.json()["rows"]}


def tokens(sums: dict[str, dict[str, Any]]) -> tuple[int, int]:
    return sum(row["input_tokens"] for row in sums.values()), sum(row["output_tokens"] for row in sums.values())


def _key(name: str) -> dict[str, str]:
    return {"X-API-Key": f"{name}-key-0123456789"}


def test_an_answer_costs_what_it_says_and_one_from_the_cache_nothing(service: httpx.Client) -> None:
    first = ask(service, "web", VAT)
    computed = first["token_usage"]
    sums = used(service, "web")
    assert set(sums) == {"understanding", "generation", "evaluation"}
    assert tokens(sums) == (computed["input_tokens"], computed["output_tokens"])
    assert sum(row["cost"] for row in sums.values()) == pytest.approx(
        (computed["input_tokens"] * 0.15 + computed["output_tokens"] * 0.6) / 1_000_000
    )
    again, streamed = ask(service, "web", VAT), stream(service, "web", VAT)
    assert (again["cached"], streamed["cached"]) == (True, True)
    assert again["trace"] == streamed["trace"] == first["trace"]
    assert first["trace"]["sub_questions"]
    assert again["token_usage"]["input_tokens"] == streamed["token_usage"]["input_tokens"] == 0
    assert used(service, "web") == sums


def test_a_streamed_answer_counts_like_another(service: httpx.Client) -> None:
    before = tokens(used(service, "web"))
    told = stream(service, "web", OTHERS[0])["token_usage"]
    after = tokens(used(service, "web"))
    assert (after[0] - before[0], after[1] - before[1]) == (told["input_tokens"], told["output_tokens"])
    assert told["output_tokens"] > len(GOOD)


def test_equal_questions_at_the_same_time_cost_one_answer(service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    before = used(service, "web")["generation"]["calls"]
    model_server.reset(script(generation=Say(GOOD, delay=0.5)))
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: ask(service, "web", OTHERS[1]), range(4)))
    assert sum(answer["token_usage"]["input_tokens"] > 0 for answer in answers) == 1
    assert used(service, "web")["generation"]["calls"] == before + 1


def test_tokens_that_nobody_reports_are_estimated_and_marked(
    service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(generation=Say(GOOD, silent=True)))
    answer = ask(service, "web", OTHERS[2])
    assert answer["token_usage"]["estimated"] is True
    row = used(service, "web")["generation"]
    assert (row["estimated_calls"], row["estimated_tokens"] > len(GOOD) / 2) == (1, True)


def test_over_the_budget_no_model_is_asked_and_the_answer_says_so(
    service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    first = ask(service, "kiosk", VAT)
    assert first["model"] == "gpt-4o-mini", "what is begun within the budget is finished"
    calls = len(model_server.calls)
    for told in (ask(service, "kiosk", OTHERS[3]), stream(service, "kiosk", OTHERS[4])):
        assert told["model"] == "extractive"
        assert {(lack["component"], lack["reason"].rpartition(" ")[2]) for lack in told["degraded"]} == {
            ("llm", "budget")
        }
        assert told["token_usage"]["model_calls"] == 0
    assert len(model_server.calls) == calls
    assert ask(service, "kiosk", VAT)["cached"], "what is kept costs nothing"
    assert ask(service, "shop", VAT)["model"] == "gpt-4o-mini", "the budget of others is theirs"
    own = service.get("/api/usage", headers=_key("kiosk")).json()
    assert [(each["client"], each["exceeded"]) for each in own["budgets"]] == [("kiosk", True)]


def test_a_call_that_begins_within_the_budget_is_the_last(service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    """The understanding overran a budget of one token, and the answer was finished; nothing was begun after it."""
    calls = {purpose: row["calls"] for purpose, row in used(service, "kiosk").items()}
    assert calls == {"understanding": 1, "generation": 1, "evaluation": 1}


def test_where_it_is_so_wished_a_question_over_the_budget_is_refused(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    model_server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    model_server.reset(script())
    with serving_with_model(
        starter_settings, tokenizer, model_server, tmp_path_factory.mktemp("refused") / "var",
        api_keys=KEYS, client_budgets=read_budgets("kiosk=1tokens/day"), budget_policy="refuse", enable_response_cache=True,
    ) as link:  # fmt: skip
        service = link.client
        ask(service, "kiosk", VAT)
        response = service.post("/api/chat", json={"message": OTHERS[5]}, headers=_key("kiosk"))
        problem = assert_problem(response, ErrorCode.BUDGET_EXCEEDED)
        assert "예산" in problem.detail
        assert 0 < int(response.headers["Retry-After"]) <= 24 * 3600
        frames = parse_frames(service.post("/api/chat/stream", json={"message": OTHERS[6]}, headers=_key("kiosk")).text)
        assert [frame.event for frame in frames] == ["error"]
        assert frames[0].data.model_dump(mode="json")["problem"]["code"] == "budget_exceeded"
        assert ask(service, "web", OTHERS[5])["model"] != "extractive"
