"""Calls of the routes by the tools: within the service as the client that called the tool, or over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import httpx
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from pydantic import ValidationError
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.types import Receive, Scope, Send

from schemas.problems import Problem
from utils.middleware.error_boundary import ErrorBoundaryMiddleware

_INNER = "http://service"


class RouteRefused(Exception):
    """A route refused or failed; the message is the one for people."""


class RouteCaller(Protocol):
    """Calls a route and returns its answer; raises `RouteRefused`."""

    async def call(
        self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> httpx.Response: ...


class HttpCaller:
    """Calls the routes of a service over HTTP; the key is one of the client's headers."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def call(
        self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> httpx.Response:
        """The answer of a route. Raises `RouteRefused`, also where there is no service."""
        try:
            response = await self._client.request(method, path, params=_given(query), json=_sent(body))
        except httpx.HTTPError as error:
            raise RouteRefused(f"서비스({self._client.base_url})와 연결할 수 없습니다.") from error
        return _checked(response)


class InnerCaller:
    """Calls the routes within a request to the service, as its client.

    The key, the rate and the number of requests at once were checked for that request, and its time is that of the call; what a
    route itself asks for (scope, capacity, price of a long question, valid input) is checked as ever.
    """

    def __init__(self, scope: Scope) -> None:
        app = scope["app"]
        handlers = ExceptionMiddleware(AsyncExitStackMiddleware(app.router), handlers=app.exception_handlers)
        self._app = ErrorBoundaryMiddleware(handlers)
        self._outer = scope

    async def call(
        self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> httpx.Response:
        """The answer of a route. Raises `RouteRefused`."""
        transport = httpx.ASGITransport(self._run)
        async with httpx.AsyncClient(transport=transport, base_url=_INNER) as client:
            response = await client.request(method, path, params=_given(query), json=_sent(body))
        return _checked(response)

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        inherited = {"app": self._outer["app"], "state": dict(self._outer["state"]), "client": self._outer["client"]}
        await self._app({**scope, **inherited}, receive, send)


def _given(query: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if query is None else {name: value for name, value in query.items() if value is not None}


def _sent(body: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a body without what is not given, for which a route has a value of its own."""
    return None if body is None else {name: value for name, value in body.items() if value is not None}


def _checked(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError as error:
        raise RouteRefused(f"서비스가 {response.status_code}로 답했습니다.") from error
    faults = "; ".join(f"{fault.path}: {fault.message}" for fault in problem.errors)
    told = f"{problem.title}: {faults or problem.detail}"
    if wait := response.headers.get("Retry-After"):
        told += f" (Retry-After: {wait})"
    if problem.status >= httpx.codes.INTERNAL_SERVER_ERROR:
        told += f" (request_id: {problem.request_id})"
    raise RouteRefused(told)
