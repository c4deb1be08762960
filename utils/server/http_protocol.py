"""HTTP/1.1 by httptools within bounds: size and time of request heads, unread answers, number of connections.

Neither httptools nor uvicorn bounds any of these: a header without an end is copied again with every piece of it that
arrives, and a connection that says nothing stays open for ever. Bodies are bounded by `utils.middleware.body_limit`, where
the route is known.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any, ClassVar

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from schemas.problems import ErrorCode
from utils.http.problems import PROBLEM_MEDIA_TYPE, ProblemError, retry_after
from utils.observability.metrics import RefusalCause
from utils.observability.request_context import REQUEST_ID_HEADER
from utils.server.connection_gate import ConnectionGate

_RETRY_SECONDS = 5.0


class _OutOfBounds(ValueError):
    """More headers, or more requests in a row, than a connection may send."""


class BoundedHttpProtocol(HttpToolsProtocol):
    """An HTTP connection with bounds. A request that breaks a bound is answered with a problem if possible; then the connection is closed."""

    gate: ClassVar[ConnectionGate]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = self.gate.limits
        self._unfinished = 0  # bytes that completed neither a head, nor a message, nor were part of a body
        self._in_body = False
        self._finished = False  # what still arrives is forgotten
        self._forgotten = 0
        self._waiting_since = self.loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._out_of_bounds = ErrorCode.MALFORMED_REQUEST

    @property
    def peer(self) -> str | None:
        """The address at the other end, which may be a proxy's."""
        return self.client[0] if self.client else None

    @property
    def idle_since(self) -> float | None:
        """The loop's time since when it waits for a request; None while one is served."""
        return None if self._is_serving else self._waiting_since

    @property
    def _is_serving(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def drop(self) -> None:
        """Close at once."""
        self._finished = True
        self.transport.abort()

    # what happens to the connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.gate.admit(self):
            self._arm(self._limits.head_timeout, self._head_overdue)
        elif self.gate.is_flooded:
            self.drop()
        else:
            self._refuse(ErrorCode.SERVICE_UNAVAILABLE)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self.gate.release(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        limit = self._limits.head_bytes
        while data and not self._finished:
            piece = data[: limit - self._unfinished]
            data = data[len(piece) :]
            self._unfinished += len(piece)
            super().data_received(piece)
            if self._unfinished >= limit and not self._finished:
                self._refuse_head(ErrorCode.HEAD_TOO_LARGE)
        if self._unfinished and self._timer is None and not self._in_body and not self._finished:
            self._arm(self._limits.head_timeout, self._head_overdue)
        if self._finished:
            self._forgotten += len(data)
            if self._forgotten > self._limits.ignored:
                self.drop()

    def pause_writing(self) -> None:
        super().pause_writing()
        if not self._finished:
            self._arm(self._limits.write_timeout, self.drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self._finished:
            self._disarm()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._arm(self._limits.write_timeout, self.drop)  # closing waits for a client that does not read

    # what the parser finds

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_body:
            return  # a trailer is no header (RFC 9110, 6.5.1)
        if len(self.headers) >= self._limits.headers:
            self._out_of_bounds = ErrorCode.HEAD_TOO_LARGE
            raise _OutOfBounds("headers")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unfinished, self._in_body = 0, True
        self._disarm()
        if len(self.pipeline) >= self._limits.pipelined:
            raise _OutOfBounds("pipelined requests")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unfinished = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unfinished, self._in_body = 0, False
        super().on_message_complete()
        if not self._is_serving:  # it was answered before it was all there
            self._arm(self._limits.head_timeout, self._head_overdue)

    def on_response_complete(self) -> None:
        self._waiting_since = self.loop.time()
        super().on_response_complete()
        if self.transport.is_closing():
            self._arm(self._limits.write_timeout, self.drop)
        elif self._in_body and not self._is_serving:
            self._arm(self._limits.linger, self.drop)  # the rest is read and forgotten, but not for ever

    # how it ends

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be parsed (called by the base class)."""
        self._refuse_head(self._out_of_bounds)

    def _head_overdue(self) -> None:
        self._timer = None
        if self._unfinished or self._is_serving:
            self._refuse_head(ErrorCode.REQUEST_TIMEOUT)
        else:  # it never asked
            self.gate.metrics.refused(RefusalCause.HEAD)
            self.drop()

    def _refuse_head(self, code: ErrorCode) -> None:
        self.gate.metrics.refused(RefusalCause.HEAD)
        self._refuse(code)

    def _refuse(self, code: ErrorCode) -> None:
        self._finished = True
        if not self._is_serving:
            self._answer(code)
        elif not self._in_body:
            self.cycle.keep_alive = False  # what was asked before is still answered
        elif self.pipeline or self.cycle.response_started:
            self.drop()
        else:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._answer(code)

    def _answer(self, code: ErrorCode) -> None:
        request_id = uuid.uuid4().hex
        unavailable = retry_after(_RETRY_SECONDS) if code is ErrorCode.SERVICE_UNAVAILABLE else {}
        error = ProblemError(code, headers=unavailable)
        body = error.document({"path": ""}).model_copy(update={"request_id": request_id}).model_dump_json().encode()
        headers = {
            "Content-Type": PROBLEM_MEDIA_TYPE,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-store",
            REQUEST_ID_HEADER: request_id,
            **unavailable,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(STATUS_LINE[error.status] + lines.encode() + b"\r\n" + body)
        self._linger()

    def _linger(self) -> None:
        """Read and forget for a while: a connection closed over unread data takes its last answer with it."""
        self._finished = True
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        self.transport.write_eof()
        self._arm(self._limits.linger, self.drop)

    def _arm(self, seconds: float, action: Callable[[], None]) -> None:
        self._disarm()
        self._timer = self.loop.call_later(seconds, action)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def bounded_protocol(gate: ConnectionGate) -> type[BoundedHttpProtocol]:
    """The protocol of a server whose connections go through ``gate``."""
    return type("GatedHttpProtocol", (BoundedHttpProtocol,), {"gate": gate})
