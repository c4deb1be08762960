"""A stream of events whose route also answers without one, so that FastAPI's own cannot send it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from utils.resilience.cancellation import cancel_and_wait, close_stream

KEEP_ALIVE_SECONDS = 15.0
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def event_stream(data: AsyncIterator[str]) -> StreamingResponse:
    """The response that sends each of ``data`` as an event, and a comment after `KEEP_ALIVE_SECONDS` of silence.

    ``data`` is closed when it is at an end and when the client leaves.
    """
    return StreamingResponse(_sent(data), media_type="text/event-stream", headers=_HEADERS)


async def _sent(data: AsyncIterator[str]) -> AsyncIterator[bytes]:
    send, receive = anyio.create_memory_object_stream[str](1)
    # in a task of its own: what is timed is the wait for an event, and a generator belongs to a single task
    producer = asyncio.create_task(_produce(data, send), name="event stream")
    try:
        while True:
            text = None
            try:
                with anyio.move_on_after(KEEP_ALIVE_SECONDS):
                    text = await receive.receive()
            except anyio.EndOfStream:
                break
            yield KEEPALIVE_COMMENT if text is None else format_sse_event(data_str=text)
        await producer  # an error of it ends the response
    finally:
        receive.close()
        if not producer.done():
            await cancel_and_wait(producer)


async def _produce(data: AsyncIterator[str], send: MemoryObjectSendStream[str]) -> None:
    with send:
        try:
            async for text in data:
                await send.send(text)
        finally:
            await close_stream(data)
