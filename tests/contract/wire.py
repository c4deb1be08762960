"""Strict readers of what goes over the wire."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

import httpx
from pydantic import TypeAdapter

import schemas.events
from schemas.completions.errors import OpenAIError
from schemas.events import StreamEvent
from schemas.problems import ErrorCode, Problem
from utils.http.problems import CATALOGUE

_EVENTS: TypeAdapter[StreamEvent] = TypeAdapter(StreamEvent)


@dataclass(frozen=True)
class Frame:
    """An event of a stream."""

    event: str
    id: int
    data: StreamEvent


def parse_frames(body: str) -> list[Frame]:
    """Return the frames of a whole stream, without comments. Asserts their form and their order."""
    assert body.endswith("\n\n")
    frames = []
    for block in body[:-2].split("\n\n"):
        fields: dict[str, str] = {}
        for line in block.split("\n"):
            if line.startswith(":"):
                continue
            name, separator, value = line.partition(": ")
            assert separator, line
            assert name in {"event", "id", "data"} - set(fields), line
            fields[name] = value
        if fields:
            assert set(fields) == {"event", "id", "data"}, block
            assert json.loads(fields["data"])["type"] == fields["event"]
            frames.append(Frame(fields["event"], int(fields["id"]), _EVENTS.validate_json(fields["data"])))
    assert [frame.id for frame in frames] == list(range(1, len(frames) + 1))
    assert_documented_order([frame.event for frame in frames])
    return frames


def documented_steps() -> list[frozenset[str]]:
    """Return the numbered steps of the stream, as `schemas.events` describes them: the events of each."""
    lines = re.findall(r"^\d+\. (.+?): ", schemas.events.__doc__ or "", re.MULTILINE)
    return [frozenset(re.findall(r"``(\w+)``", line)) for line in lines]


def assert_documented_order(events: Sequence[str]) -> None:
    """Assert that a stream goes through the documented steps in their order, and ends with the last."""
    steps = documented_steps()
    step = 0
    for event in events[:-1]:
        while step < len(steps) - 1 and event not in steps[step]:
            step += 1
        assert step < len(steps) - 1, f"{event} is out of order in {events}"
    assert events[-1] in steps[-1], events


def assert_problem(response: httpx.Response, code: ErrorCode) -> Problem:
    """The answer is the contract's problem document with ``code``, below ``/v1`` in OpenAI's shape."""
    if response.request.url.path.startswith("/v1/"):
        return _assert_openai_error(response, code)
    assert response.headers["content-type"] == "application/problem+json", response.text
    assert set(response.json()) == set(Problem.model_fields)
    problem = Problem.model_validate(response.json())
    _assert_problem(response, problem, code)
    return problem


def _assert_openai_error(response: httpx.Response, code: ErrorCode) -> Problem:
    assert response.headers["content-type"] == "application/json", response.text
    assert set(response.json()) == {"error"}
    error = OpenAIError.model_validate(response.json()).error
    assert set(response.json()["error"]) == {"message", "type", "param", "code", "request_id"}
    problem = Problem(
        title="",
        status=response.status_code,
        detail=error.message,
        instance=response.request.url.path,
        code=error.code,
        request_id=error.request_id,
    )
    assert response.status_code == CATALOGUE[code].status
    _assert_problem(response, problem, code)
    return problem


def _assert_problem(response: httpx.Response, problem: Problem, code: ErrorCode) -> None:
    assert problem.code == code, response.text
    assert problem.status == response.status_code >= 400
    assert problem.request_id == response.headers["x-request-id"]
    assert any("가" <= letter <= "힣" for letter in problem.title + problem.detail)
    assert "Traceback" not in response.text
    assert "/srv/secret" not in response.text
