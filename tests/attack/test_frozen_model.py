"""A model server that hangs: thirty clients are answered from the documents, told so, and get the model again when it is back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import serving_with_model
from tests.support.crowd import CLIENTS, ask, ask_at_once, capability, wait_until
from tests.support.scripted_openai import Hang, ScriptedOpenAI
from utils.config.settings import Settings
from utils.documents import KnowledgeDocument
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.finding("M5", "M6")]

GOOD = "제공된 문서에서 확인한 내용입니다. [1]"
SCORES = dict.fromkeys(("retrieval_quality", "accuracy", "completeness", "relevance", "citation"), 18)


def script() -> dict[str, Any]:
    understood = {"kind": "consult", "domains": ["finance_tax"], "sub_queries": [], "variants": []}
    return {
        "understanding": lambda call: understood | {"question": call.messages[-1]["content"]},
        "alternatives": {"rephrased": "안내", "hypothetical_answer": GOOD},
        "generation": GOOD,
        "evaluation": SCORES,
    }


def test_a_frozen_model_server(
    starter_settings: Settings, tokenizer: KiwiTokenizer, starter_documents: list[KnowledgeDocument], tmp_path: Path
) -> None:
    questions = [f"{document.title}에 대해 알려 주세요." for document in starter_documents]
    limits = {"llm_timeout": 1.0, "request_timeout": 60.0}
    with (
        ScriptedOpenAI(script()) as server,
        serving_with_model(starter_settings, tokenizer, server, tmp_path / "var", **limits) as running,
    ):
        service = running.client
        wait_until(lambda: not ask(service, questions[-1]).missing, "the model is used")

        for purpose in script():
            server.script[purpose] = Hang()
        first = ask_at_once(service, questions[:CLIENTS])
        later = ask_at_once(service, questions[CLIENTS : 2 * CLIENTS])
        for answers in (first, later):
            assert [answer.status for answer in answers] == [200] * CLIENTS
            assert {frozenset(answer.missing) for answer in answers} == {frozenset({"llm"})}
            assert all(answer.body["content"] for answer in answers)
        wait_until(lambda: capability(service, "llm")["state"] == "degraded", "health tells of it")
        assert service.get("/health/ready").status_code == 200
        called = len(server.calls)
        assert called < 3 * 2 * CLIENTS, "a server that hangs is left alone"

        server.script.update(script())
        wait_until(lambda: not ask(service, questions[-2]).missing, "the model is used again", 120)
        wait_until(lambda: service.get("/health").json()["status"] == "ok", "health is well again")
