"""Strict readers of what goes over the wire."""

from __future__ import annotations

import json
from dataclasses import dataclass

import httpx
from pydantic import TypeAdapter

from schemas.events import StreamEvent
from schemas.problems import ErrorCode, Problem

_EVENTS: TypeAdapter[StreamEvent] = TypeAdapter(StreamEvent)


@dataclass(frozen=True)
class Frame:
    """One event of a stream."""

    event: str
    id: int
    data: StreamEvent


def parse_frames(body: str) -> list[Frame]:
    """The frames of a whole stream; comments are skipped, anything out of form is an assertion error."""
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
    return frames


def assert_problem(response: httpx.Response, code: ErrorCode) -> Problem:
    """The answer is the contract's problem document with ``code``."""
    assert response.headers["content-type"] == "application/problem+json", response.text
    assert set(response.json()) == set(Problem.model_fields)
    problem = Problem.model_validate(response.json())
    assert problem.code == code, response.text
    assert problem.status == response.status_code >= 400
    assert problem.request_id == response.headers["x-request-id"]
    assert any("가" <= letter <= "힣" for letter in problem.title + problem.detail)
    assert "Traceback" not in response.text
    assert "/srv/secret" not in response.text
    return problem
