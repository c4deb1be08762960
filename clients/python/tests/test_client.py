"""The client against the running service that ``BIZI_URL`` names, with the key in ``BIZI_KEY``, and against answers that go wrong."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import httpx
import pytest
from bizi_client import AnswerEvent, Client, ProblemError, answered, astream, connect, stream
from bizi_client.generated.api.calculate import calculate_weekly_holiday_pay
from bizi_client.generated.api.chat import chat_chat
from bizi_client.generated.models import (
    ChatRequest,
    CheckEvent,
    DoneEvent,
    SourceEvent,
    StatusEvent,
    TokenEvent,
    WeeklyHolidayInput,
)

QUESTION = "부가가치세는 언제까지 신고해야 하나요?"
SLOW = "퇴직금은 언제까지 줘야 하나요?"
"""The answer to it does not come to an end."""


@pytest.fixture
def client() -> Iterator[Client]:
    with connect(os.environ["BIZI_URL"], os.environ["BIZI_KEY"]) as client:
        yield client


def asked(message: str) -> ChatRequest:
    return ChatRequest(message=message)


def test_an_answer_has_its_sources(client: Client) -> None:
    answer = answered(chat_chat.sync(client=client, body=asked(QUESTION)))
    assert "25일" in answer.content
    assert isinstance(answer.sources, list)
    assert f"[{answer.sources[0].index}]" in answer.content


def told(events: list[AnswerEvent]) -> str:
    return "".join(event.content for event in events if isinstance(event, TokenEvent))


def test_a_stream_gives_typed_events_of_the_same_answer(client: Client) -> None:
    with stream(client, asked(QUESTION)) as answer:
        events = list(answer)
    whole = answered(chat_chat.sync(client=client, body=asked(QUESTION)))
    assert told(events) == whole.content
    assert isinstance(events[0], StatusEvent)
    assert isinstance(events[-1], DoneEvent)
    assert {SourceEvent, CheckEvent} < {type(event) for event in events}


def test_a_stream_of_the_event_loop_is_the_same(client: Client) -> None:
    async def followed() -> list[AnswerEvent]:
        async with (
            connect(os.environ["BIZI_URL"], os.environ["BIZI_KEY"]) as own,
            astream(own, asked(QUESTION)) as answer,
        ):
            return [event async for event in answer]

    with stream(client, asked(QUESTION), assistant="bizi") as answer:
        assert told(asyncio.run(followed())) == told(list(answer))


def test_an_answer_may_be_left_in_the_middle(client: Client) -> None:
    with stream(client, asked(SLOW)) as answer:
        assert next(event for event in answer if isinstance(event, TokenEvent)).content


def test_a_cancelled_task_ends_at_once() -> None:
    async def cancelled() -> None:
        async with connect(os.environ["BIZI_URL"], os.environ["BIZI_KEY"]) as own, astream(own, asked(SLOW)) as answer:
            async for event in answer:
                if isinstance(event, TokenEvent):
                    asyncio.current_task().cancel()  # type: ignore[union-attr]

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_a_calculator_computes(client: Client) -> None:
    sums = WeeklyHolidayInput(hourly_wage=11000, days_per_week=5, hours_per_day=5)
    assert "55,000원" in answered(calculate_weekly_holiday_pay.sync(client=client, body=sums)).conclusion


def test_refusals_are_raised_in_the_words_of_the_service(client: Client) -> None:
    with pytest.raises(ProblemError, match=r"[가-힣]") as empty:
        answered(chat_chat.sync(client=client, body=asked("")))
    problem = empty.value.problem
    assert (problem.status, problem.code) == (422, "validation_failed")
    assert isinstance(problem.errors, list)
    assert [fault.path for fault in problem.errors] == ["message"]
    stranger = connect(os.environ["BIZI_URL"])
    for refused in (lambda: answered(chat_chat.sync(client=stranger, body=asked(QUESTION))), lambda: opened(stranger)):
        with pytest.raises(ProblemError) as unauthorized:
            refused()
        assert unauthorized.value.problem.code == "unauthorized"


def opened(client: Client) -> None:
    with stream(client, asked(QUESTION)):
        raise AssertionError("it was let in")


_FRAME = 'event: token\ndata: {"type": "token", "content": "앞"}\nid: 1\n\n'
_FAILURE = (
    'event: error\ndata: {"type": "error", "problem": {"type": "about:blank", "title": "시간 초과", "status": 504, '
    '"detail": "늦었습니다.", "instance": "/", "code": "timeout", "request_id": "r", "errors": []}}\nid: 2\n\n'
)


def answering(text: str) -> Client:
    """A client of a service that sends this."""
    sent = httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})
    fake = httpx.Client(base_url="http://service", transport=httpx.MockTransport(lambda _: sent))
    return connect("http://service").set_httpx_client(fake)


@pytest.mark.parametrize(("rest", "error"), [(_FAILURE, ProblemError), ("", httpx.RemoteProtocolError)])
def test_what_fails_on_the_way_is_raised(rest: str, error: type[Exception]) -> None:
    with stream(answering(_FRAME + rest), asked(QUESTION)) as answer:
        assert isinstance(next(answer), TokenEvent)
        with pytest.raises(error):
            next(answer)


def test_an_answer_of_something_between_is_no_problem_document() -> None:
    page = httpx.Response(502, text="<html>bad gateway</html>")
    fake = httpx.Client(base_url="http://service", transport=httpx.MockTransport(lambda _: page))
    with pytest.raises(httpx.HTTPStatusError, match="502"):
        opened(connect("http://service").set_httpx_client(fake))
