"""Every request has an id: in the answer's header, in errors and in log lines."""

from __future__ import annotations

import re
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from utils.observability.personal_data import mask_personal_data
from utils.observability.request_context import REQUEST_ID_HEADER, bind_request_id

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,128}")
_UUID = re.compile(
    r"[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}"
)  # one in forty looks like a number of a person


class RequestIdMiddleware:
    """Accepts a well-formed ``X-Request-ID``, else makes one; a number or key of a person is none, since ids are logged."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        request_id = given if _is_usable(given) else uuid.uuid4().hex
        bind_request_id(request_id)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        await self._app(scope, receive, send_with_id)


def _is_usable(given: str) -> bool:
    if _UUID.fullmatch(given):
        return True
    return bool(_WELL_FORMED.fullmatch(given)) and mask_personal_data(given) == given
