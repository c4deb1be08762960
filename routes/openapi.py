"""Parts of the OpenAPI document that FastAPI does not derive: errors and the stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from schemas.completions.errors import OpenAIError
from schemas.events import StreamEvent, StreamFrame
from schemas.problems import ErrorCode, Problem
from schemas.vectordb import DOMAIN_KEY
from utils.http.problems import CATALOGUE, PROBLEM_MEDIA_TYPE
from utils.middleware.api_key import KEY_SCHEME
from utils.routing.domain_pack import PackSet

Responses = dict[int | str, dict[str, Any]]

_COMMON = (
    ErrorCode.UNAUTHORIZED,
    ErrorCode.FORBIDDEN,
    ErrorCode.METHOD_NOT_ALLOWED,
    ErrorCode.MISDIRECTED_REQUEST,
    ErrorCode.RATE_LIMITED,
    ErrorCode.HEAD_TOO_LARGE,
    ErrorCode.INTERNAL_ERROR,
    ErrorCode.SERVICE_UNAVAILABLE,
)
_OF_BODIES = (
    ErrorCode.MALFORMED_REQUEST,
    ErrorCode.REQUEST_TIMEOUT,
    ErrorCode.PAYLOAD_TOO_LARGE,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    ErrorCode.VALIDATION_FAILED,
)


def problem_responses(*codes: ErrorCode, body: bool = False) -> Responses:
    """The problem documents of a route: the common ones, those of JSON bodies, and ``codes``."""
    every = (*_COMMON, *(_OF_BODIES if body else ()), *codes)
    return {CATALOGUE[code].status: _documented(code) for code in every}


def openai_error_responses(*codes: ErrorCode, body: bool = False) -> Responses:
    """The errors of a route below ``/v1``, which are those of `problem_responses` in OpenAI's shape."""
    described = problem_responses(*codes, body=body)
    return {status: {"description": told["description"], "model": OpenAIError} for status, told in described.items()}


def stream_response(*examples: tuple[int, StreamEvent]) -> dict[str, Any]:
    """A documented event stream: the frames with every event's schema, and ``examples`` as they look on the wire."""
    frames = (f"event: {event.type}\ndata: {event.model_dump_json()}\nid: {number}\n\n" for number, event in examples)
    return {
        "description": "이벤트 스트림. 각 프레임의 data는 event와 같은 type을 가진 JSON입니다.",
        "model": list[StreamFrame],
        "content": {"text/event-stream": {"example": "".join(frames)}},
    }


def operation_id(route: APIRoute) -> str:
    """The name of an operation, which generated clients give it: its tag and the name of its function."""
    return "_".join([*map(str, route.tags[:1]), route.name]).replace(" ", "_")


def list_domains_in_openapi(app: FastAPI) -> None:
    """Have the OpenAPI document say which keys of domains there are when it is asked for: ``app.state.packs`` gives them."""
    described = app.openapi

    def openapi() -> dict[str, Any]:
        packs: Callable[[], PackSet] | None = getattr(app.state, "packs", None)
        document = _with_bearer(described())
        return _with_domain_keys(document, list(packs().keys())) if packs is not None else document

    app.openapi = openapi  # type: ignore[method-assign]


def _with_bearer(document: dict[str, Any]) -> dict[str, Any]:
    """Name ``Authorization: Bearer`` in place beside the header of the key, wherever that is taken."""
    document["components"]["securitySchemes"].setdefault("HTTPBearer", {"type": "http", "scheme": "bearer"})
    for operation in (each for path in document["paths"].values() for each in path.values()):
        if operation.get("security") == [{KEY_SCHEME: []}]:
            operation["security"].append({"HTTPBearer": []})
    return document


def _with_domain_keys(node: Any, keys: list[str]) -> Any:
    """Return a copy in which a string of the format `DOMAIN_KEY` is one of ``keys``."""
    if isinstance(node, list):
        return [_with_domain_keys(child, keys) for child in node]
    if not isinstance(node, dict):
        return node
    if node.get("format") == DOMAIN_KEY:
        return {name: value for name, value in node.items() if name != "pattern"} | {"enum": keys}
    return {name: _with_domain_keys(value, keys) for name, value in node.items()}


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
