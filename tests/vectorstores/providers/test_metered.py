"""Calls of embedding and rerank servers: real clients against a scripted server, counted for their client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.usage import UsagePurpose
from tests.support.scripted_openai import Fail, ScriptedOpenAI
from tests.support.usage_stores import ledger_of, price_book
from utils.config.settings import Settings
from utils.observability.request_context import NO_CLIENT, bind_client
from utils.protocols import AnalyzedText
from utils.usage.budgets import BudgetExhausted
from utils.usage.records import UsageCounts, current_account
from vectorstores.embedders.base import PROBE
from vectorstores.embedders.factory import build_embedder
from vectorstores.errors import EmbeddingUnavailable
from vectorstores.rerankers.base import PassageTerms, RerankPassage, RerankQuery
from vectorstores.rerankers.factory import build_reranker

QUESTION = "부가가치세는 언제까지 신고하나요?"
PASSAGES = [
    RerankPassage(str(number), "제49조", text, lambda: PassageTerms.of_words(()))
    for number, text in enumerate(("확정신고는 25일 이내에 합니다.", "폐업 신고는 지체 없이 합니다."))
]


class Account:
    """Takes down what is counted; refuses everything once it is ``closed``."""

    def __init__(self) -> None:
        self.noted: list[tuple[str, UsagePurpose, str, UsageCounts]] = []
        self.closed = False

    def check(self, purpose: UsagePurpose) -> None:
        if self.closed:
            raise BudgetExhausted(60)

    def note(self, purpose: UsagePurpose, model: str, counts: UsageCounts) -> None:
        self.noted.append((current_account(), purpose, model, counts))


def settings_of(server: ScriptedOpenAI, **values: Any) -> Settings:
    return Settings.model_validate({"openai_base_url": server.base_url, "provider_timeout": 5, **values})


@pytest.fixture(autouse=True)
def _served() -> Iterator[None]:
    bind_client("client:web")
    yield
    bind_client(NO_CLIENT)


def test_an_embedding_is_counted_once_however_often_it_is_asked_for() -> None:
    account = Account()
    with ScriptedOpenAI() as server:
        embedder = build_embedder(settings_of(server, embedding_provider="openai"), None, account)  # type: ignore[arg-type]
        for _ in range(2):
            embedder.embed([AnalyzedText(QUESTION, ())])
    client, purpose, model, counts = account.noted[-1]
    assert (client, purpose, model) == ("web", UsagePurpose.EMBEDDING, "text-embedding-3-small")
    assert len(account.noted) == 2, "the probe and the question"
    assert counts.estimated_calls == 1, "the scripted server reports nothing for embeddings"
    assert counts.input_tokens >= len(QUESTION) / 2


def test_a_call_that_fails_costs_nothing() -> None:
    account = Account()
    with ScriptedOpenAI() as server:
        embedder = build_embedder(settings_of(server, embedding_provider="openai"), None, account)  # type: ignore[arg-type]
        server.reset({"embeddings": Fail(400)})
        with pytest.raises(EmbeddingUnavailable):
            embedder.embed([AnalyzedText(QUESTION, ())])
    assert len(account.noted) == 1


def test_over_the_budget_no_server_is_asked_and_the_breaker_stays_closed() -> None:
    account = Account()
    with ScriptedOpenAI() as server:
        embedder = build_embedder(settings_of(server, embedding_provider="openai"), None, account)  # type: ignore[arg-type]
        account.closed = True
        for number in range(5):
            with pytest.raises(EmbeddingUnavailable, match="예산"):
                embedder.embed([AnalyzedText(f"{QUESTION} {number}", ())])
        assert [call.body["input"] for call in server.calls] == [[PROBE]]
        account.closed = False
        assert embedder.embed([AnalyzedText(QUESTION, ())]).shape[0] == 1


@pytest.mark.parametrize("shape", ["cohere", "tei"])
def test_a_rerank_is_counted_with_the_question_for_each_passage(shape: str) -> None:
    account = Account()
    with ScriptedOpenAI() as server:
        url = f"{server.url}/{shape}/rerank"
        settings = settings_of(server, rerank_provider="http", rerank_url=url, rerank_model="judge")
        reranker = build_reranker(settings, None, None, account)  # type: ignore[arg-type]
        before = len(account.noted)
        reranker.rerank(RerankQuery(QUESTION, ()), PASSAGES)
    (client, purpose, model, counts) = account.noted[-1]
    assert len(account.noted) == before + 1
    assert (client, purpose, model) == ("web", UsagePurpose.RERANK, "judge")
    assert counts.input_tokens > 2 * len(QUESTION) / 2


def test_a_ledger_is_such_an_account(tmp_path: Path) -> None:
    ledger = ledger_of(None, tmp_path)
    with ScriptedOpenAI() as server:
        build_embedder(settings_of(server, embedding_provider="openai"), None, ledger)  # type: ignore[arg-type]
    assert ledger.prices.table == price_book(tmp_path).table
