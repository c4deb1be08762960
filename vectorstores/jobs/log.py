"""Turn the standard error of an index job into log records of the service.

A job reads files from outside with libraries that print what they find, and native code that prints when it dies. So no
line reaches the log unchanged: each becomes one bounded record that names the job.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Protocol

import orjson

from utils.sanitizing.sanitize import printable

logger = logging.getLogger(__name__)

MAX_LINES = 200
MAX_LINE = 1_000
"""Characters of one line that are logged."""
_BLOCK = 64 * 1024
_MAX_BYTES = 16 * 1024  # of one line that are kept at all
_LEVELS = {"WARNING": logging.WARNING, "ERROR": logging.ERROR, "CRITICAL": logging.ERROR}


class _Readable(Protocol):
    async def read(self, n: int = -1) -> bytes: ...


async def relay_job_log(stream: _Readable, job_id: str) -> None:
    """Log what comes until the stream ends; it is read to its end, so that the job never waits for its reader."""
    lines = 0
    async for line in _lines(stream):
        lines += 1
        if lines <= MAX_LINES:
            _log(line, job_id)
    if lines > MAX_LINES:
        logger.warning("index job wrote %d more lines", lines - MAX_LINES, extra={"job": job_id})


def _log(line: bytes, job_id: str) -> None:
    """A line as the job's own log writes it keeps its level; whatever else it is, it is a warning."""
    text = line.decode("utf-8", "replace")
    level, said = logging.WARNING, text
    try:
        record = orjson.loads(line)
    except ValueError:
        record = None
    if isinstance(record, dict) and isinstance(record.get("message"), str):
        level = _LEVELS.get(str(record.get("level")), logging.WARNING)
        parts = (record.get("logger"), record["message"], record.get("exception"))
        said = ": ".join(part for part in parts if isinstance(part, str))
    if said.strip():
        logger.log(level, "index job: %s", printable(said, MAX_LINE), extra={"job": job_id})


async def _lines(stream: _Readable) -> AsyncIterator[bytes]:
    """The lines of a stream, each cut where it is longer than anything that is logged."""
    rest = b""
    while block := await stream.read(_BLOCK):
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield line[:_MAX_BYTES]
        rest = rest[:_MAX_BYTES]
    if rest:
        yield rest
