"""Level 2 of the graduated retry asks the model for other wordings, where no first word waits for a third call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.contract.wire import parse_frames
from tests.e2e.conftest import serving_with_model
from tests.e2e.test_model_path import ALTERNATIVES, VAT, ask, script
from tests.support.scripted_openai import Fail, Hang, Reply, ScriptedOpenAI
from utils.config.settings import Settings
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import SearchOutcome, SearchRequest
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="module")
def never_content(
    starter_settings: Settings,
    tokenizer: KiwiTokenizer,
    model_server: ScriptedOpenAI,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    """A service that finds no search enough, and keeps what questions mean."""
    data_dir = tmp_path_factory.mktemp("rewording") / "var"
    changes = {"retrieval_min_docs": 50, "enable_understanding_cache": True, "enable_post_eval_retry": False}
    with serving_with_model(starter_settings, tokenizer, model_server, data_dir, **changes) as service:
        yield service.client


def purposes(server: ScriptedOpenAI) -> list[str]:
    return [call.purpose for call in server.calls]


def stream(service: httpx.Client, message: str) -> Any:
    """Return the data of ``done``."""
    return parse_frames(service.post("/api/chat/stream", json={"message": message}).text)[-1].data


def test_the_model_s_wordings_are_searched_for(
    never_content: httpx.Client, model_server: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[set[str]] = []

    def search(searcher: HybridSearcher, collection: str, request: SearchRequest) -> SearchOutcome:
        searched.append(set(request.queries))
        return original(searcher, collection, request)

    original = HybridSearcher.search
    monkeypatch.setattr(HybridSearcher, "search", search)
    model_server.reset(script())
    answer = ask(never_content, f"{VAT} 알려 주세요")
    assert answer["trace"]["finance_tax.retry"].startswith("L1:fail → L2:fail → L3(")
    assert purposes(model_server) == ["understanding", "alternatives", "generation", "evaluation"]
    assert not answer["degraded"]
    wordings = set(ALTERNATIVES.values())
    assert not wordings & searched[0], "not in the first search, of which L1 keeps more"
    assert wordings <= searched[1]


def test_a_stream_waits_for_two_calls_before_its_first_word(
    never_content: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script())
    message = f"{VAT} 자세히 알려 주세요"
    done = stream(never_content, message)
    assert "L2:fail" in done.trace["finance_tax.retry"]
    assert purposes(model_server) == ["understanding", "generation", "evaluation"]
    model_server.reset(script())
    stream(never_content, message)
    assert purposes(model_server) == ["alternatives", "generation", "evaluation"], "what the question means was kept"


@pytest.mark.parametrize(("failure", "reason"), [(Fail(400), "rejected"), (Hang(), "timeout")])
def test_without_the_model_s_wordings_those_by_rule_serve_and_the_failure_is_named(
    never_content: httpx.Client, model_server: ScriptedOpenAI, failure: Reply, reason: str
) -> None:
    model_server.reset(script(alternatives=failure))
    answer = ask(never_content, f"{VAT} {reason}")
    assert "L2:fail → L3(" in answer["trace"]["finance_tax.retry"]
    assert answer["degraded"] == [{"component": "llm", "reason": f"alternatives: {reason}"}]
    assert answer["model"] == "gpt-4o-mini"


def test_a_model_that_has_failed_is_not_asked_for_wordings(
    never_content: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(understanding=Fail(400)))
    ask(never_content, f"{VAT} 짧게")
    assert purposes(model_server) == ["understanding", "generation", "evaluation"]
