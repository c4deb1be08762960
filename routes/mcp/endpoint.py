"""``/mcp``: the tools over streamable HTTP. Every message is a request of its own, with its key; no session is kept.

So any process of several may answer any message, and what a call does ends with its request.
"""

from __future__ import annotations

import asyncio
import importlib.util
from functools import cache
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.types import Receive, Scope, Send

from routes.dependencies import RequireScope, require_json
from schemas.problems import ErrorCode
from utils.http.access import AccessScope
from utils.http.problems import ProblemError

if TYPE_CHECKING:
    from mcp.server import Server

PATH = "/mcp"
_NO_EXTRA = "MCP에는 mcp 추가 설치(make install-mcp)가 필요합니다. 이 서비스에는 설치되어 있지 않습니다."
_MAX_BODY = 16 * 1024 * 1024  # the middleware's limit is lower, and the setting of the operator

# A tool asks for the scope of the route that it calls.
router = APIRouter(dependencies=[Depends(RequireScope(AccessScope.CHAT, AccessScope.DOCUMENTS)), Depends(require_json)])


class _Exchange(Response):
    """The answer to one message."""

    def __init__(self, server: Server[Any]) -> None:
        super().__init__()
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        manager = StreamableHTTPSessionManager(self._server, stateless=True, max_request_body_size=_MAX_BODY)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


@router.post(PATH, include_in_schema=False)
async def mcp() -> Response:
    """A message of a client, and the answer to it."""
    if importlib.util.find_spec("mcp") is None:
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _NO_EXTRA)
    return _Exchange(await asyncio.to_thread(_server))


@cache
def _server() -> Server[Any]:
    """The server of this process, once."""
    # not at the top: the SDK takes half a second, and comes with an extra
    from routes.mcp.caller import InnerCaller
    from routes.mcp.tools import Call, build_tools

    def caller_of(call: Call) -> InnerCaller:
        request = call.request_context.request
        assert isinstance(request, Request)
        return InnerCaller(request.scope)

    tools = build_tools(caller_of)
    tools.streamable_http_app(stateless_http=True)
    return tools.session_manager.app
