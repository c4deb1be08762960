"""What the OpenAPI document says of errors and of the stream, beyond what FastAPI derives."""

from __future__ import annotations

from typing import Any

from schemas.events import StreamEvent
from schemas.problems import ErrorCode, Problem
from utils.problems import CATALOGUE, PROBLEM_MEDIA_TYPE

Responses = dict[int | str, dict[str, Any]]

_COMMON = (
    ErrorCode.UNAUTHORIZED,
    ErrorCode.FORBIDDEN,
    ErrorCode.METHOD_NOT_ALLOWED,
    ErrorCode.RATE_LIMITED,
    ErrorCode.INTERNAL_ERROR,
    ErrorCode.SERVICE_UNAVAILABLE,
)
_OF_BODIES = (
    ErrorCode.MALFORMED_REQUEST,
    ErrorCode.PAYLOAD_TOO_LARGE,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    ErrorCode.VALIDATION_FAILED,
)


def problem_responses(*codes: ErrorCode, body: bool = False) -> Responses:
    """The problem documents of a route: the common ones, those of JSON bodies, and ``codes``."""
    every = (*_COMMON, *(_OF_BODIES if body else ()), *codes)
    return {CATALOGUE[code].status: _documented(code) for code in every}


def stream_response(*examples: tuple[int, StreamEvent]) -> dict[str, Any]:
    """A documented event stream: every event's schema, and ``examples`` as they look on the wire."""
    frames = (f"event: {event.type}\ndata: {event.model_dump_json()}\nid: {number}\n\n" for number, event in examples)
    return {
        "description": "이벤트 스트림. 각 프레임의 data는 event와 같은 type을 가진 JSON입니다.",
        "model": StreamEvent,
        "content": {"text/event-stream": {"example": "".join(frames)}},
    }


def _documented(code: ErrorCode) -> dict[str, Any]:
    kind = CATALOGUE[code]
    example = Problem(
        title=kind.title,
        status=kind.status,
        detail=kind.detail,
        instance="/api/chat",
        code=code,
        request_id="0b0e6e5c7f1d4c0f9a53a4a4c1b7f4de",
    )
    content = {
        "schema": {"$ref": "#/components/schemas/Problem"},
        "example": example.model_dump(mode="json"),
    }
    return {"description": kind.title, "content": {PROBLEM_MEDIA_TYPE: content}}
