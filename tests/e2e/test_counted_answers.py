"""Counts of answers of the real graph, with a model that works, fails or invents."""

from __future__ import annotations

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.test_model_path import WRONG, ask, script, stream
from tests.support.scripted_openai import Cut, Fail, ScriptedOpenAI
from utils.observability.metrics import STAGES

CHITCHAT = {"kind": "chitchat", "domains": [], "question": "안녕하세요"}


class Counted:
    """The difference that something makes to the counts of a service."""

    def __init__(self, service: httpx.Client) -> None:
        self._service = service
        self._before = self._now()

    def __call__(self, name: str, **labels: str) -> float:
        key = name, frozenset(labels.items())
        return self._now().get(key, 0) - self._before.get(key, 0)

    def _now(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        families = text_string_to_metric_families(self._service.get("/metrics").text)
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
        }


def test_a_good_answer_is_counted_with_its_stages_and_calls(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script())
    counted = Counted(model_service)
    answer = ask(model_service)
    stream(model_service)
    assert counted("bizi_answers_total", kind="consult", degraded="no") == 2
    assert counted("bizi_answers_cached_total") == 0
    for stage in set(STAGES) - {"retry", "respond_directly"}:
        assert counted("bizi_stage_seconds_count", stage=stage) == 2
    assert counted("bizi_stage_seconds_count", stage="retry") == 0
    for purpose in ("understanding", "generation", "evaluation"):
        assert counted("bizi_model_calls_total", purpose=purpose, outcome="ok") == 2
    assert counted("bizi_model_tokens_total", purpose="generation", direction="output") > 0
    assert answer["token_usage"]["output_tokens"] * 2 == sum(
        counted("bizi_model_tokens_total", purpose=purpose, direction="output")
        for purpose in ("understanding", "generation", "evaluation")
    )
    assert counted("bizi_first_token_seconds_count") == 1
    assert counted("bizi_grounding_failures_total", fault="corrected") == 0


def test_a_model_that_fails_is_counted_by_reason_and_degrades_the_answer(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(generation=Fail(500)))
    counted = Counted(model_service)
    ask(model_service)
    assert counted("bizi_answers_total", kind="consult", degraded="yes") == 1
    assert counted("bizi_degraded_answers_total", component="llm") == 1
    assert counted("bizi_model_calls_total", purpose="generation", outcome="server_error") >= 1
    assert counted("bizi_model_calls_total", purpose="generation", outcome="ok") == 0


def test_a_stream_whose_model_breaks_off_is_degraded_and_no_error(
    model_service: httpx.Client, model_server: ScriptedOpenAI
) -> None:
    model_server.reset(script(generation=Cut("부가가치세 확정신고는 과세기간이")))
    counted = Counted(model_service)
    stream(model_service)
    assert counted("bizi_answers_total", kind="consult", degraded="yes") == 1
    assert counted("bizi_model_calls_total", purpose="generation", outcome="cut") == 1
    assert counted("bizi_requests_total", route="/api/chat/stream", status="2xx") == 1


def test_sentences_that_had_to_go_are_counted(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset(script(generation=WRONG))
    counted = Counted(model_service)
    answer = ask(model_service)
    assert answer["trace"]["grounding"] == "corrected"
    assert "99일" not in answer["content"]
    assert counted("bizi_grounding_failures_total", fault="corrected") == 1


def test_a_rejection_is_counted_by_kind(model_service: httpx.Client, model_server: ScriptedOpenAI) -> None:
    model_server.reset(script(understanding=CHITCHAT))
    counted = Counted(model_service)
    ask(model_service, "안녕하세요")
    assert counted("bizi_answers_total", kind="chitchat", degraded="no") == 1
    assert counted("bizi_stage_seconds_count", stage="respond_directly") == 1


def test_the_index_in_use_is_told(model_service: httpx.Client) -> None:
    told = model_service.get("/metrics").text
    stats = model_service.get("/api/vectordb/stats").json()
    documents = {collection["key"]: collection["documents"] for collection in stats["collections"]}
    assert documents
    for key, count in documents.items():
        assert f'bizi_index_documents{{collection="{key}"}} {float(count)}' in told
