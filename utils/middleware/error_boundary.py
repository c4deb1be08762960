"""The last resort: whatever nobody caught becomes a problem document, without its text."""

from __future__ import annotations

import logging
import sys

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schemas.problems import ErrorCode
from utils.http.problems import ProblemError

logger = logging.getLogger(__name__)


class StartupError(Exception):
    """The service cannot start; the message is one sentence for an operator."""


class ErrorBoundaryMiddleware:
    """Answers 500 for an unexpected exception. After the first byte the connection can only be closed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, _readable_failure(send))
            return
        started = False

        async def watch_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watch_start)
        except ProblemError as error:
            await error.response(scope)(scope, receive, send)
        except Exception as error:
            if started and _is_of_a_reader_that_left(error):
                return
            logger.exception("unexpected error")
            if not started:
                await ProblemError(ErrorCode.INTERNAL_ERROR).response(scope)(scope, receive, send)


def _is_of_a_reader_that_left(error: Exception) -> bool:
    """Return True if all that failed was handing an event to a stream that nobody reads any more, which FastAPI does not catch."""
    return isinstance(error, ExceptionGroup) and error.split(anyio.BrokenResourceError)[1] is None


def _readable_failure(send: Send) -> Send:
    """Starlette reports a failed start with its traceback; a known reason is one sentence instead."""

    async def send_reason(message: Message) -> None:
        error = sys.exc_info()[1]
        if message["type"] == "lifespan.startup.failed" and isinstance(error, StartupError):
            message = {**message, "message": str(error)}
        await send(message)

    return send_reason
