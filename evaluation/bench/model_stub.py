"""A model, embedding and rerank server that says the same of everything: ``python -m evaluation.bench.model_stub PORT``.

It speaks as much of the protocols of OpenAI, RunPod (``/embed``) and Cohere (``/rerank``) as the service calls, over plain sockets, so that it takes little of the processor that it shares with
the service; a text comes token by token at a fixed rate. ``GET /calls`` lists when each chat call came and when its reply, or the first token of it,
was sent, in seconds of `time.monotonic`, which all processes of a machine share.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from time import monotonic
from typing import Any

HOST = "127.0.0.1"
DIMENSION = 32
_LENGTH = re.compile(rb"^content-length:\s*(\d+)\r$", re.IGNORECASE | re.MULTILINE)
_HEADER = r"^{}:\s*(\S+)\r$"
_QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)
_WORDS = ("자세한 ", "내용은 ", "담당 ", "기관에 ", "문의하시면 ", "됩니다. ")
_SCORES = dict.fromkeys(("retrieval_quality", "accuracy", "completeness", "relevance", "citation"), 18)


@dataclass(frozen=True, slots=True)
class ChatCall:
    """A chat call: for which request and purpose, when it had come whole, when the reply or its first token was sent."""

    request_id: str
    purpose: str
    came: float
    replied: float


class ModelStub:
    """Writes ``tokens`` of a text at ``pace`` a second; whole replies come after the time of ``think`` seconds."""

    def __init__(self, tokens: int, pace: float, think: float) -> None:
        self._tokens = tokens
        self._pause = 1 / pace
        self._think = think
        self._calls: list[ChatCall] = []

    async def serve(self, port: int) -> None:
        """Answer until cancelled."""
        server = await asyncio.start_server(self._connection, HOST, port, backlog=1_024)
        async with server:
            await server.serve_forever()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = _LENGTH.search(head)
                body = await reader.readexactly(int(length[1])) if length else b""
                await self._answer(head.decode("latin-1"), json.loads(body) if body else {}, writer)
                await writer.drain()
        writer.close()

    async def _answer(self, head: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        path = head.split(maxsplit=2)[1]
        if path == "/v1/chat/completions":
            await self._chat(head, body, writer)
        elif path == "/calls":
            writer.write(_whole([asdict(call) for call in self._calls]))
        else:
            writer.write(_whole(_ANSWERS[path](body) if path in _ANSWERS else {}))

    async def _chat(self, head: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        came, request_id, purpose = monotonic(), _header(head, "x-request-id"), _header(head, "x-model-purpose")
        if body.get("stream"):
            await self._stream(writer, lambda: self._calls.append(ChatCall(request_id, purpose, came, monotonic())))
            return
        await asyncio.sleep(self._think)
        text = json.dumps(_reply(purpose, str(body["messages"][-1]["content"])), ensure_ascii=False)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        writer.write(_whole({**_NAME, "object": "chat.completion", "choices": [choice], "usage": _usage(len(text))}))
        self._calls.append(ChatCall(request_id, purpose, came, monotonic()))

    async def _stream(self, writer: asyncio.StreamWriter, begun: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        writer.write(_STREAM_HEAD)
        due = loop.time() + self._pause
        for number in range(self._tokens):
            await asyncio.sleep(due - loop.time())
            due += self._pause
            writer.write(_PIECES[number % len(_PIECES)])
            if not number:
                begun()
        writer.write(_piece({}, "stop"))
        writer.write(_chunk({**_NAME, "object": _CHUNK, "choices": [], "usage": _usage(self._tokens)}))
        writer.write(_framed(b"data: [DONE]\n\n") + b"0\r\n\r\n")


def _reply(purpose: str, prompt: str) -> Mapping[str, object]:
    if purpose == "understanding":  # which domain it is of is left to the rules
        found = _QUESTION.search(prompt)
        return {"kind": "consult", "domains": [], "question": found[1] if found else prompt, "sub_queries": []}
    if purpose == "evaluation":
        return _SCORES
    return {"rephrased": "다른 말로 물은 질문", "hypothetical_answer": "문서에 있을 법한 문장입니다."}


def _embedding_job(body: dict[str, Any]) -> Mapping[str, object]:
    """A finished job of RunPod's Infinity worker."""
    texts = body["input"]["input"]
    data = [{"object": "embedding", "index": number, "embedding": _vector(text)} for number, text in enumerate(texts)]
    return {"id": "stub", "status": "COMPLETED", "output": {"object": "list", "model": "stub", "data": data}}


def _vector(text: str) -> list[float]:
    """Counts of hashed pairs of characters, shape ``(DIMENSION,)``."""
    vector = [0.0] * DIMENSION
    for first, second in zip(text, text[1:] + " ", strict=True):
        vector[zlib.crc32((first + second).encode()) % DIMENSION] += 1.0
    return vector


def _ranked(body: dict[str, Any]) -> Mapping[str, object]:
    asked = set(body["query"])
    scores = [len(asked & set(text)) / (len(asked) or 1) for text in body["documents"]]
    return {"results": [{"index": number, "relevance_score": score} for number, score in enumerate(scores)]}


def _header(head: str, name: str) -> str:
    found = re.search(_HEADER.format(name), head, re.IGNORECASE | re.MULTILINE)
    return found[1] if found else ""


def _usage(written: int) -> dict[str, int]:
    return {"prompt_tokens": 1, "completion_tokens": written, "total_tokens": written + 1}


def _whole(document: object) -> bytes:
    body = json.dumps(document, ensure_ascii=False).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def _framed(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _chunk(document: object) -> bytes:
    return _framed(f"data: {json.dumps(document, ensure_ascii=False)}\n\n".encode())


def _piece(delta: dict[str, str], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return _chunk({**_NAME, "object": _CHUNK, "choices": [choice]})


_NAME = {"id": "chatcmpl-stub", "created": 0, "model": "stub"}
_CHUNK = "chat.completion.chunk"
_PIECES = tuple(_piece({"content": word}) for word in _WORDS)
_STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_ANSWERS: Mapping[str, Callable[[dict[str, Any]], object]] = {"/embed/runsync": _embedding_job, "/rerank": _ranked}


def main() -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.bench.model_stub")
    parser.add_argument("port", type=int)
    parser.add_argument("--tokens", type=int, default=40, help="tokens of a text (default: 40)")
    parser.add_argument("--pace", type=float, default=20.0, help="tokens a second (default: 20)")
    parser.add_argument("--think", type=float, default=0.05, help="seconds before a whole reply (default: 0.05)")
    options = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(ModelStub(options.tokens, options.pace, options.think).serve(options.port))
    return 0


if __name__ == "__main__":
    sys.exit(main())
