"""A model server that follows a script, over real HTTP on loopback.

It speaks the OpenAI protocol (``/v1/chat/completions`` streamed and not, ``/v1/embeddings``, ``/v1/audio/transcriptions``) and imitates rerank
servers and RunPod endpoints (`tests.support.scripted_providers`)::

    script = {"understanding": {"domains": ["finance_tax"]}, "generation": [Fail(500), "부가가치세는 … [1]"]}
    with ScriptedOpenAI(script) as server:
        settings = Settings(openai_base_url=server.base_url, …)
        …
        assert server.count("generation") == 2

The purpose of a chat call is its ``X-Model-Purpose`` header. A reply is a text, a value (sent as JSON), a behaviour
below, a function of the call, or a list of those for successive calls (the last one stays). A purpose without a script
is refused with 400. A model *name* of the form ``stub-<behaviour>`` overrides the script, for services started by
environment alone: ``stub-slow-800`` (ms), ``stub-hang``, ``stub-cut``, ``stub-garbage``, ``stub-500``, ``stub-429-2``
(Retry-After 2).
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel
from starlette.datastructures import UploadFile

from tests.support.local_server import LocalServer
from tests.support.scripted_providers import ScriptedProviders, embed_text

PIECE = 8  # characters of one streamed piece
GARBAGE = '{"domains": ["finance_tax", oops'


@dataclass(frozen=True, slots=True)
class Say:
    """Answer ``text`` after ``delay`` seconds, with ``pace`` seconds between streamed pieces.

    ``cached`` tokens of the prompt are reported as such; with ``silent`` no usage is reported at all.
    """

    text: str
    delay: float = 0.0
    pace: float = 0.0
    finish_reason: str = "stop"
    cached: int = 0
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Fail:
    """Refuse with an HTTP status."""

    status: int
    retry_after: float | str | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """Never go on: at once, or after ``text`` was streamed."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """End the answer after ``text`` without a finish reason; ``abrupt`` drops the connection within the body."""

    text: str = ""
    abrupt: bool = False


Behaviour = Say | Fail | Hang | Cut
Reply = str | Mapping[str, Any] | BaseModel | Behaviour | Callable[["Call"], Any] | Sequence[Any]


@dataclass(slots=True)
class Call:
    """A request; times are seconds of `time.monotonic`, ``ended`` is None while it is answered."""

    path: str
    purpose: str
    body: dict[str, Any]
    headers: dict[str, str]
    started: float
    ended: float | None = None

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", []))

    @property
    def prompt(self) -> str:
        """All messages as one text."""
        return "\n".join(str(message.get("content", "")) for message in self.messages)


class ScriptedOpenAI:
    """The server; see the module. ``script`` may be changed while it runs."""

    def __init__(self, script: Mapping[str, Reply] | None = None) -> None:
        self.script: dict[str, Reply] = dict(script or {})
        self.calls: list[Call] = []
        self._answered: dict[str, int] = {}
        self._lock = threading.Lock()
        app = FastAPI()
        app.add_api_route("/v1/chat/completions", self._chat, methods=["POST"])
        app.add_api_route("/v1/embeddings", self._embeddings, methods=["POST"])
        app.add_api_route("/v1/audio/transcriptions", self._transcriptions, methods=["POST"])
        self._server = LocalServer(app)
        self.providers = ScriptedProviders(app, self._begin, self._misbehave)

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def base_url(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"{self._server.url}/v1"

    def reset(self, script: Mapping[str, Reply] | None = None) -> None:
        """Begin anew with another script."""
        self.script = dict(script or {})
        self.calls = []
        self._answered = {}

    def calls_for(self, purpose: str) -> list[Call]:
        return [call for call in self.calls if call.purpose == purpose]

    def count(self, purpose: str) -> int:
        return len(self.calls_for(purpose))

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    async def _chat(self, request: Request) -> Response:
        call = await self._begin(request, request.headers.get("x-model-purpose", ""))
        behaviour = self._behaviour(call)
        if behaviour is None:
            return _error(400, f"the script says nothing of {call.purpose!r}")
        if call.body.get("stream"):
            return await self._chat_stream(call, behaviour)
        if (answer := await self._misbehave(call, behaviour)) is not None:
            return answer
        say = behaviour if isinstance(behaviour, Say) else Say("")
        call.ended = time.monotonic()
        message = {"role": "assistant", "content": say.text}
        choice = {"index": 0, "message": message, "finish_reason": say.finish_reason}
        told = {} if say.silent else {"usage": _usage(call, say.text, say.cached)}
        return JSONResponse({**_head(call, "chat.completion"), "choices": [choice], **told})

    async def _chat_stream(self, call: Call, behaviour: Behaviour) -> Response:
        if isinstance(behaviour, Fail):
            return await self._misbehave(call, behaviour) or _error(500, "")
        return StreamingResponse(self._events(call, behaviour), media_type="text/event-stream")

    async def _events(self, call: Call, behaviour: Say | Hang | Cut | Fail) -> AsyncIterator[str]:
        assert not isinstance(behaviour, Fail)
        say = behaviour if isinstance(behaviour, Say) else Say(behaviour.text)
        await self._server.pause(say.delay)
        head = _head(call, "chat.completion.chunk")
        yield _event({**head, "choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]})
        for start in range(0, len(say.text), PIECE):
            delta = {"content": say.text[start : start + PIECE]}
            yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            await self._server.pause(say.pace)
        if isinstance(behaviour, Hang):
            await self._server.pause(None)
        if isinstance(behaviour, Cut) and behaviour.abrupt:
            raise ConnectionResetError
        if isinstance(behaviour, Say):
            yield _event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": say.finish_reason}]})
            if (call.body.get("stream_options") or {}).get("include_usage") and not say.silent:
                yield _event({**head, "choices": [], "usage": _usage(call, say.text, say.cached)})
            yield "data: [DONE]\n\n"
        call.ended = time.monotonic()

    async def _embeddings(self, request: Request) -> Response:
        call = await self._begin(request, "embeddings")
        if (answer := await self._misbehave(call, self._behaviour(call))) is not None:
            return answer
        texts = call.body["input"]
        items = [texts] if isinstance(texts, str) else texts
        data = [{"object": "embedding", "index": n, "embedding": embed_text(item)} for n, item in enumerate(items)]
        call.ended = time.monotonic()
        # servers may answer out of order: the index decides
        return JSONResponse({"object": "list", "model": call.model, "data": data[::-1], "usage": _usage(call, "")})

    async def _transcriptions(self, request: Request) -> Response:
        """The recording is under ``file`` in the body of the call: its name, type and bytes."""
        call = await self._begin(request, request.headers.get("x-model-purpose", ""))
        behaviour = self._behaviour(call)
        if (answer := await self._misbehave(call, behaviour)) is not None:
            return answer
        call.ended = time.monotonic()
        text = behaviour.text if isinstance(behaviour, Say) else ""
        return Response(text, media_type="application/json") if text == GARBAGE else JSONResponse({"text": text})

    async def _begin(self, request: Request, purpose: str) -> Call:
        if request.headers.get("content-type", "").startswith("multipart/"):
            body = {name: await _part(value) for name, value in (await request.form()).items()}
        else:
            raw = await request.body()
            body = json.loads(raw) if raw else {}
        call = Call(request.url.path, purpose, body, dict(request.headers), time.monotonic())
        self.calls.append(call)
        return call

    async def _misbehave(self, call: Call, behaviour: Behaviour | None = None) -> Response | None:
        """The answer of a behaviour that is not a plain one; a delay is waited for."""
        chosen = behaviour or self._behaviour(call)
        if isinstance(chosen, Say):
            await self._server.pause(chosen.delay)
        elif isinstance(chosen, Hang):
            await self._server.pause(None)
        elif isinstance(chosen, Fail):
            call.ended = time.monotonic()
            headers = {} if chosen.retry_after is None else {"Retry-After": str(chosen.retry_after)}
            return _error(chosen.status, "scripted failure", headers)
        elif isinstance(chosen, Cut):
            return StreamingResponse(_broken_body(), media_type="application/json")
        return None

    def _behaviour(self, call: Call) -> Behaviour | None:
        scripted = self._scripted(call)
        named = _named_behaviour(call.model)
        if isinstance(named, Say) and not named.text:  # only slow
            return replace(scripted, delay=named.delay) if isinstance(scripted, Say) else scripted
        return named or scripted

    def _scripted(self, call: Call) -> Behaviour | None:
        reply: Any = self.script.get(call.purpose)
        if isinstance(reply, Sequence) and not isinstance(reply, str):
            with self._lock:
                number = self._answered.get(call.purpose, 0)
                self._answered[call.purpose] = number + 1
            reply = reply[min(number, len(reply) - 1)]
        if callable(reply):
            reply = reply(call)
        return None if reply is None else _as_behaviour(reply)


async def _part(value: object) -> object:
    return (value.filename, value.content_type, await value.read()) if isinstance(value, UploadFile) else value


def _as_behaviour(reply: object) -> Behaviour:
    if isinstance(reply, Say | Fail | Hang | Cut):
        return reply
    if isinstance(reply, BaseModel):
        return Say(reply.model_dump_json())
    return Say(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))


def _named_behaviour(model: str) -> Behaviour | None:
    match = re.fullmatch(r"stub-(slow|hang|cut|garbage|\d{3})(?:-(\d+))?", model)
    if match is None:
        return None
    kind, number = match.group(1), match.group(2)
    if kind.isdigit():
        return Fail(int(kind), number)
    plain: dict[str, Behaviour] = {"hang": Hang(), "cut": Cut("이 답은 여기서"), "garbage": Say(GARBAGE)}
    return plain.get(kind) or Say("", delay=int(number or 800) / 1000)


def _head(call: Call, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": call.model}


def _usage(call: Call, text: str, cached: int = 0) -> dict[str, Any]:
    """Count a token for each character, so that tests can tell what was counted."""
    given, written = len(call.prompt), len(text)
    details = {"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}
    return {"prompt_tokens": given, "completion_tokens": written, "total_tokens": given + written, **details}


def _event(data: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    body = {"error": {"message": message, "type": "scripted", "param": None, "code": None}}
    return JSONResponse(body, status_code=status, headers=dict(headers or {}))


async def _broken_body() -> AsyncIterator[bytes]:
    yield b'{"id": "chatcmpl-'
    raise ConnectionResetError
