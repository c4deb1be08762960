"""A question from the HTTP request to the collector: real graph, scripted model, real exporter."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pydantic import SecretStr

from tests.e2e.conftest import serving_with_model
from tests.e2e.test_model_path import ask, script, stream
from tests.support.scripted_openai import Fail, ScriptedOpenAI
from utils.config.settings import Settings
from utils.prompts.version import prompt_version
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = pytest.mark.skipif(
    not find_spec("opentelemetry.exporter.otlp.proto.http"), reason="the trace extra is not installed"
)

STAGES = ["classify", "decompose", "retrieve", "generate", "evaluate"]


class Collector(ThreadingHTTPServer):
    """Takes spans by OTLP over HTTP, as a collector or Langfuse does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.spans: list[Any] = []
        self.headers: list[dict[str, str]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/traces"


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.server.spans.extend(scope.spans)
        self.server.headers.append(dict(self.headers))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        return


@contextmanager
def collecting() -> Iterator[Collector]:
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever, daemon=True)
        thread.start()
        yield collector
        collector.shutdown()


def told(span: Any) -> dict[str, Any]:
    return {
        item.key: item.value.string_value or item.value.int_value or item.value.double_value for item in span.attributes
    }


def test_stages_and_model_calls_are_spans_of_their_request(
    starter_settings: Settings, tokenizer: KiwiTokenizer, model_server: ScriptedOpenAI, tmp_path: Path
) -> None:
    model_server.reset(script(evaluation=[Fail(400), Fail(400)]))
    with collecting() as collector:
        changes: dict[str, Any] = {"trace_endpoint": collector.address, "trace_headers": SecretStr("x-team=bizi")}
        changes["trace_sample_ratio"] = 1.0
        with serving_with_model(starter_settings, tokenizer, model_server, tmp_path / "var", **changes) as service:
            answer = ask(service.client)
            stream(service.client)
        spans = collector.spans
    assert {headers["x-team"] for headers in collector.headers} == {"bizi"}
    roots = [span for span in spans if not span.parent_span_id]
    assert sorted(root.name for root in roots) == ["POST /api/chat", "POST /api/chat/stream"]
    for root in roots:
        mine = sorted(
            (span for span in spans if span.trace_id == root.trace_id), key=lambda span: span.start_time_unix_nano
        )
        stages = [span for span in mine if span.parent_span_id == root.span_id]
        assert [span.name for span in stages] == STAGES
        of = {span.span_id: span.name for span in stages}
        calls = [span for span in mine if span.name.startswith("chat ")]
        assert [of[call.parent_span_id] for call in calls] == ["classify", "generate", "evaluate"]
        assert [told(call)["bizi.model.purpose"] for call in calls] == ["understanding", "generation", "evaluation"]
        assert [told(call)["bizi.model.outcome"] for call in calls] == ["ok", "ok", "rejected"]
        assert told(calls[1])["gen_ai.usage.output_tokens"] > 0
        assert told(calls[1])["gen_ai.request.model"] == "gpt-4o-mini"
        assert {told(span)["bizi.prompt_version"] for span in (root, *calls)} == {prompt_version()}
        assert told(root)["bizi.sub_questions"] == 1
        assert {told(span)["bizi.request_id"] for span in mine} == {told(root)["bizi.request_id"]}
    assert (
        told(next(root for root in roots if root.name == "POST /api/chat"))["bizi.request_id"] == answer["request_id"]
    )
    assert "부가가치세" not in str(spans)
