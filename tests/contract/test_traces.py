"""Spans of requests: what they hold, whose trace they continue, and what they leave out."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tests.contract.conftest import running
from tests.contract.stub_service import ANSWER
from utils.config.settings import Settings, SettingsError, load_settings
from utils.observability.telemetry import Telemetry
from utils.observability.tracing import SpanTarget, Tracing, span_targets
from utils.server.uvicorn_server import Runtime

QUESTION = "제 번호 010-1234-5678로 부가세를 알려 주세요"
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


def spans_of(*asked: tuple[str, str, dict[str, str]], ratio: float = 1.0, content: bool = False) -> list[ReadableSpan]:
    """The spans of a service that was asked so: method or question, path, headers."""
    exporter = InMemorySpanExporter()
    settings = Settings(trace_sample_ratio=ratio, trace_content=content)
    runtime = Runtime(Telemetry(tracing=Tracing(settings, [exporter])))
    with running(runtime=runtime, trace_content=content) as service, service.client() as client:
        for question, path, headers in asked:
            if question == "GET":
                client.get(path, headers=headers)
            else:
                client.post(path, json={"message": question}, headers=headers)
    return list(exporter.get_finished_spans())


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


@pytest.mark.parametrize("path", ["/api/chat", "/api/chat/stream"])
def test_a_request_is_a_span_with_what_became_of_it(path: str) -> None:
    [span] = spans_of((QUESTION, path, {"X-Request-ID": "request-1"}))
    assert span.name == f"POST {path}"
    assert span.kind is SpanKind.SERVER
    told = attributes(span)
    assert told["bizi.request_id"] == "request-1"
    assert told["http.route"] == path
    assert told["http.response.status_code"] == 200
    assert told["bizi.kind"] == "consult"
    assert told["bizi.domains"] == ("finance_tax",)
    assert told["bizi.cached"] is False
    assert not [value for value in told.values() if "1234" in str(value) or "부가세" in str(value)]
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.end_time > span.start_time


def test_an_error_is_told_by_its_status_and_never_by_its_text() -> None:
    [span] = spans_of(("버그", "/api/chat", {}))
    assert span.status.status_code is StatusCode.ERROR
    assert attributes(span)["http.response.status_code"] == 500
    assert not span.events
    assert "/srv/secret" not in span.to_json()


def test_the_trace_of_a_caller_goes_on() -> None:
    [span] = spans_of(("부가세", "/api/chat", {"traceparent": PARENT}))
    assert f"{span.context.trace_id:032x}" == TRACE
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == PARENT[36:52]


def test_a_caller_does_not_decide_what_is_sampled() -> None:
    asked = [
        ("부가세", "/api/chat", {"traceparent": f"00-{number:032x}-b7ad6b7169203331-01"}) for number in (2**64 - 1,)
    ]
    assert spans_of(*asked, ratio=0.0) == []
    assert spans_of(("부가세", "/api/chat", {}), ratio=0.0) == []


def test_only_the_api_is_traced() -> None:
    assert spans_of(("GET", "/health/live", {}), ("GET", "/metrics", {}), ("GET", "/nothing", {})) == []


def test_question_and_answer_are_in_it_where_they_are_wanted_and_masked() -> None:
    [span] = spans_of((QUESTION, "/api/chat", {}), content=True)
    told = attributes(span)
    assert told["langfuse.trace.input"] == "제 번호 [전화번호]로 부가세를 알려 주세요"
    assert told["langfuse.trace.output"] == ANSWER


def test_targets_are_those_of_the_settings() -> None:
    assert span_targets(Settings()) == []
    settings = load_settings(
        {
            "TRACE_ENDPOINT": "http://otel:4318/v1/traces",
            "TRACE_HEADERS": "Authorization=Bearer a=b, x-team = bizi",
            "LANGFUSE_HOST": "https://langfuse.example/",
            "LANGFUSE_PUBLIC_KEY": "pk",
            "LANGFUSE_SECRET_KEY": "sk",
        }
    )
    collector, langfuse = span_targets(settings)
    headers = {"Authorization": "Bearer a=b", "x-team": "bizi"}
    assert collector == SpanTarget("http://otel:4318/v1/traces", headers)
    assert langfuse.address == "https://langfuse.example/api/public/otel/v1/traces"
    assert langfuse.headers["Authorization"] == "Basic cGs6c2s="


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"LANGFUSE_HOST": "https://langfuse.example"}, "LANGFUSE_PUBLIC_KEY"),
        ({"TRACE_ENDPOINT": "otel:4318"}, "TRACE_ENDPOINT"),
        ({"TRACE_SAMPLE_RATIO": "2"}, "TRACE_SAMPLE_RATIO"),
    ],
)
def test_a_wrong_setting_is_named(given: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        load_settings(given)
