"""Many answers streamed at once by a slow model: what the service adds to the first word, and what it holds meanwhile."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from evaluation.bench.load import LoadClient
from evaluation.bench.model_stub import HOST, ChatCall
from utils.config.settings import PROJECT_ROOT
from utils.observability.request_context import REQUEST_ID_HEADER

_WAITED_FOR = frozenset({"understanding", "generation"})  # one after the other; whatever runs beside them is ours
_PIECE = 65_536
_KEPT = 32  # bytes that the name of an event may be cut into
_TOKEN, _DONE, _ERROR = b"event: token", b"event: done", b"event: error"
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_STREAM_SECONDS = 120.0
_START_SECONDS = 20.0


@dataclass(slots=True)
class Stream:
    """A streamed answer as its client saw it; seconds of `time.monotonic`. ``failure`` is empty where all went well."""

    request_id: str
    began: float
    first_token: float = 0.0
    ended: float = 0.0
    tokens: int = 0
    failure: str = ""


@dataclass(slots=True)
class StreamRun:
    """All streams of a run, and the most that were open at once."""

    streams: list[Stream] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0

    def follow(self) -> None:
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)


async def run_streams(
    client: LoadClient, questions: Iterator[str], at_once: int, rounds: int, spread: float, look: Callable[[], None]
) -> StreamRun:
    """Have ``at_once`` clients ask ``rounds`` questions each, one after the other; they begin evenly over ``spread`` seconds.

    ``look`` is called about once a second.
    """
    run = StreamRun()

    async def ask(number: int) -> None:
        await asyncio.sleep(spread * number / at_once)
        for turn in range(rounds):
            run.follow()
            run.streams.append(await _stream(client, next(questions), f"stream-{number}-{turn}"))
            run.open_now -= 1

    async def watch() -> None:
        while True:
            await asyncio.sleep(1.0)
            look()

    watching = asyncio.create_task(watch())
    try:
        await asyncio.gather(*map(ask, range(at_once)))
    finally:
        watching.cancel()
    return run


async def _stream(client: LoadClient, question: str, request_id: str) -> Stream:
    request = client.post("/api/chat/stream", {"message": question}, {REQUEST_ID_HEADER: request_id})
    stream = Stream(request_id, time.monotonic())
    try:
        async with asyncio.timeout(_STREAM_SECONDS):
            reader, writer = await client.open()
            try:
                writer.write(request)
                await _read(reader, stream)
            finally:
                writer.close()
    except (TimeoutError, OSError) as error:
        stream.failure = type(error).__name__
    stream.ended = time.monotonic()
    return stream


async def _read(reader: asyncio.StreamReader, stream: Stream) -> None:
    """Read to the end of the stream; only the names of its events are looked at, for the client shares the processor."""
    rest, is_first = b"", True
    while piece := await reader.read(_PIECE):
        now = time.monotonic()
        if is_first:
            is_first = False
            status = _STATUS.match(piece)
            if status is None or status[1] != b"200":
                stream.failure = f"status {status[1].decode() if status else '?'}"
                return
        text = rest + piece
        if found := text.count(_TOKEN):
            stream.first_token = stream.first_token or now
            stream.tokens += found
        if _ERROR in text:
            stream.failure = "error event"
            return
        if _DONE in text:
            return
        rest = b"" if text.endswith(b"\n") else _without_counted(text[-_KEPT:])
    stream.failure = "cut"


def _without_counted(tail: bytes) -> bytes:
    """The end of a piece without an event's name that was counted whole."""
    return tail.rpartition(_TOKEN)[2]


def own_shares(streams: Sequence[Stream], calls: Sequence[ChatCall]) -> list[float]:
    """Milliseconds between question and first word in which no model was waited for, of each stream with a first word.

    From outside: from the client's request to the first token event at the client, less the time that the model server had each
    call that the first word waits for, the last of them until its first token. So it holds our work, both networks, and the delays
    of client and stub.
    """
    waits: dict[str, list[ChatCall]] = {}
    for call in calls:
        if call.purpose in _WAITED_FOR:
            waits.setdefault(call.request_id, []).append(call)
    return [
        1000 * (stream.first_token - stream.began - _waited(waits.get(stream.request_id, ()), stream.first_token))
        for stream in streams
        if stream.first_token
    ]


def _waited(calls: Sequence[ChatCall], until: float) -> float:
    """Seconds of the calls that were replied to by then; later ones are of another attempt."""
    return sum(call.replied - call.came for call in calls if call.replied <= until)


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    p50, p95 = np.percentile(values, (50, 95)).tolist()
    return p50, p95


@contextmanager
def model_stub(port: int, tokens: int, pace: float) -> Iterator[None]:
    """A stub at work. Raises `OSError` where it does not start."""
    command = [
        sys.executable,
        "-m",
        "evaluation.bench.model_stub",
        str(port),
        "--tokens",
        str(tokens),
        "--pace",
        str(pace),
    ]
    process = subprocess.Popen(command, cwd=PROJECT_ROOT)  # noqa: S603
    try:
        asyncio.run(_listening(port))
        yield
    finally:
        process.kill()
        process.wait()


async def _listening(port: int) -> None:
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            _, writer = await asyncio.open_connection(HOST, port)
        except OSError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return


async def calls_of(port: int) -> list[ChatCall]:
    """The chat calls that a stub has had."""
    client = LoadClient(HOST, port)
    found: list[Mapping[str, str | float]] = json.loads(await client.fetch(client.get("/calls")))
    return [ChatCall(**call) for call in found]  # type: ignore[arg-type]
