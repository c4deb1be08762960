"""`make ask`: what a person sees of an answer, of a refusal and of a service that is not there."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Sequence

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from routes.ask import AnswerPrinter, main, service_client
from routes.examples import EXAMPLE_ANSWER
from schemas.chat import (
    ActionItem,
    ActionType,
    AnswerMeta,
    ChatResponse,
    Component,
    Degradation,
    SentenceVerdict,
    SourceItem,
    Verdict,
)
from schemas.events import (
    ActionEvent,
    CheckEvent,
    DoneEvent,
    ErrorEvent,
    ReplaceEvent,
    SourceEvent,
    Stage,
    StatusEvent,
    StreamEvent,
    TokenEvent,
)
from schemas.problems import ErrorCode, FieldProblem, Problem
from tests.support.local_server import LocalServer
from utils.config.settings import Settings

SENTENCE = "확정신고는 25일 이내에 합니다[1]."
SOURCE = SourceItem(
    index=1,
    title="부가가치세법 제49조",
    content="25일 이내",
    source="국가법령정보센터",
    url="https://www.law.go.kr/법령/부가가치세법",
    effective_date="2026-01-01",
)
PROBLEM = Problem(
    title="입력 오류",
    status=422,
    detail="질문을 확인해 주세요.",
    instance="/api/chat/stream",
    code=ErrorCode.VALIDATION_FAILED,
    request_id="r",
    errors=[FieldProblem(path="message", message="2,000자 이내여야 합니다.")],
)


def _done(**changes: object) -> DoneEvent:
    answer = ChatResponse.model_validate(EXAMPLE_ANSWER)
    fields = {name: getattr(answer, name) for name in AnswerMeta.model_fields}
    return DoneEvent(**{**fields, **changes})


def _shown(events: Sequence[StreamEvent]) -> tuple[bool, str, str]:
    out, progress = io.StringIO(), io.StringIO()
    answered = AnswerPrinter(out, progress).show(events)
    return answered, out.getvalue(), progress.getvalue()


def test_the_answer_comes_with_its_sources_and_next_steps() -> None:
    action = ActionItem(type=ActionType.TAX_CALENDAR, label="세무 일정", description="다음 기한은 1월 25일입니다.")
    answered, out, progress = _shown(
        [
            StatusEvent(stage=Stage.RETRIEVE, label="관련 문서를 찾고 있습니다"),
            SourceEvent(source=SOURCE),
            SourceEvent(source=SOURCE.model_copy(update={"index": 2, "title": "국세기본법 제5조"})),
            TokenEvent(content="확정신고는 25일 "),
            TokenEvent(content="이내에 합니다[1]."),
            ActionEvent(action=action),
            _done(sources=[SOURCE]),
        ]
    )
    assert answered
    assert SENTENCE in out
    assert "[1] 부가가치세법 제49조 — 국가법령정보센터, 시행 2026-01-01 https://www.law.go.kr/법령/부가가치세법" in out
    assert "세무 일정: 다음 기한은 1월 25일입니다." in out
    assert "관련 문서를 찾고 있습니다" in progress
    assert "관련 문서를 찾고 있습니다" not in out
    assert "국세기본법 제5조" not in out, "it could have been cited and was not"


@pytest.mark.parametrize("verdict", [Verdict.UNSUPPORTED, Verdict.UNCITED])
def test_a_sentence_that_was_not_confirmed_is_named(verdict: Verdict) -> None:
    text = f"{SENTENCE} 가산세는 99%입니다."
    doubt = SentenceVerdict(start=len(SENTENCE) + 1, end=len(text), verdict=verdict)
    fine = SentenceVerdict(start=0, end=len(SENTENCE), verdict=Verdict.SUPPORTED, sources=[1])
    _, out, _ = _shown([TokenEvent(content=text), CheckEvent(check=fine), CheckEvent(check=doubt), _done()])
    _, _, doubts = out.partition("확인이 필요한 문장")
    assert "가산세는 99%입니다." in doubts
    assert SENTENCE not in doubts


def test_what_was_unavailable_is_said() -> None:
    degraded = [Degradation(component=Component.LLM, reason="모델이 응답하지 않았습니다.")]
    _, out, _ = _shown([TokenEvent(content=SENTENCE), _done(degraded=degraded)])
    assert "llm: 모델이 응답하지 않았습니다." in out


def test_a_replaced_answer_brings_its_own_sources() -> None:
    other = SOURCE.model_copy(update={"title": "국세기본법 제47조의2"})
    _, out, _ = _shown(
        [
            SourceEvent(source=SOURCE),
            TokenEvent(content="초안"),
            ReplaceEvent(reason="grounding", content="확인된 답변[1].", sources=[other]),
            _done(sources=[other]),
        ]
    )
    assert out.index("초안") < out.index("확인된 답변[1].")
    assert "국세기본법 제47조의2" in out
    assert "부가가치세법 제49조" not in out


def test_an_error_in_the_stream_is_no_answer() -> None:
    answered, _, progress = _shown([TokenEvent(content="부분"), ErrorEvent(problem=PROBLEM)])
    assert not answered
    assert "질문을 확인해 주세요." in progress


def test_a_stream_that_breaks_off_is_no_answer() -> None:
    answered, _, progress = _shown([TokenEvent(content="부분")])
    assert not answered
    assert "끊겨" in progress


def _service() -> tuple[FastAPI, list[Request]]:
    app = FastAPI()
    seen: list[Request] = []

    @app.post("/ok/api/chat/stream", response_class=EventSourceResponse)
    async def stream(request: Request) -> AsyncIterator[ServerSentEvent]:
        seen.append(request)
        events: list[StreamEvent] = [SourceEvent(source=SOURCE), TokenEvent(content=SENTENCE), _done()]
        for number, event in enumerate(events, start=1):
            yield ServerSentEvent(event=event.type, id=str(number), data=event)

    @app.post("/refused/api/chat/stream")
    async def refuse() -> Response:
        return JSONResponse(PROBLEM.model_dump(mode="json"), 422, media_type="application/problem+json")

    return app, seen


def test_asking_over_a_real_connection(capsys: pytest.CaptureFixture[str]) -> None:
    app, seen = _service()
    with LocalServer(app) as server:
        assert main(["부가세 언제 내요?", "--url", f"{server.url}/ok"]) == 0
    captured = capsys.readouterr()
    assert SENTENCE in captured.out
    assert len(seen) == 1


def test_a_refusal_is_shown_in_the_services_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    app, _ = _service()
    with LocalServer(app) as server:
        assert main(["질문", "--url", f"{server.url}/refused"]) == 1
    assert "message: 2,000자 이내여야 합니다." in capsys.readouterr().err


def test_a_service_that_does_not_run_is_named_with_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["질문", "--url", "http://127.0.0.1:9"]) == 1
    assert "make serve" in capsys.readouterr().err


def test_the_key_that_may_chat_is_used() -> None:
    keys = "ops=fedcba9876543210:admin,web=0123456789abcdef:documents|chat"
    with service_client(Settings(api_keys=keys)) as client:
        assert client.headers["X-API-Key"] == "0123456789abcdef"
