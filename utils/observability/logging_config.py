"""Log lines on stderr: JSON in production, readable in a terminal, each with its request and without personal data.

What is logged may come from anywhere, so no character of it can end a line or steer a terminal.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

import orjson

from utils.observability.personal_data import mask_personal_data
from utils.observability.request_context import current_request_id

_STANDARD_FIELDS = frozenset(logging.makeLogRecord({}).__dict__) | {
    "message",
    "asctime",
    "taskName",
    "request_id",
    "color_message",
}
_QUIET = ("httpx", "httpcore", "chromadb", "mcp", "openai", "urllib3")
_ACCESS_LOGGER = "uvicorn.access"
_ACCESS_PATH = 2  # of the arguments: client, method, path with query, HTTP version, status
# Controls, separators of lines, bidirectional and other marks that show nothing, lone surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]"
)
_BREAKS = str.maketrans({"\n": "\\n", "\t": "\\t"})


def configure_logging(log_format: Literal["auto", "json", "text"], level: str) -> None:
    """Send all loggers of the process to one stderr handler."""
    use_json = log_format == "json" or (log_format == "auto" and not sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(add_request_id)
    handler.setFormatter(JsonFormatter() if use_json else TextFormatter())
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level)
    logging.getLogger(_ACCESS_LOGGER).filters[:] = [without_query]
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def add_request_id(record: logging.LogRecord) -> bool:
    """A filter that drops nothing and stamps the request on the record."""
    record.request_id = current_request_id()
    return True


def without_query(record: logging.LogRecord) -> bool:
    """A filter that drops no access but the query of its path, in which a client may have put a key or a person's data."""
    args = record.args
    if isinstance(args, tuple) and len(args) > _ACCESS_PATH:
        path = str(args[_ACCESS_PATH]).partition("?")[0]
        record.args = (*args[:_ACCESS_PATH], path, *args[_ACCESS_PATH + 1 :])
    return True


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON; ``extra`` fields become keys."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _safe(record.getMessage()),
            "request_id": getattr(record, "request_id", None),
            **_safe_extra(record),
        }
        if record.exc_info:
            line["exception"] = _safe(self.formatException(record.exc_info))
        return orjson.dumps(line, default=_safe_object, option=orjson.OPT_NON_STR_KEYS).decode()


class TextFormatter(logging.Formatter):
    """Formats a record as one line for people. A traceback follows, indented so that none of it looks like a record."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        extra = "".join(f" {name}={value}" for name, value in _safe_extra(record).items())
        request_id = str(getattr(record, "request_id", "-"))[:8]
        said = (_safe(record.getMessage()) + extra).translate(_BREAKS)
        line = f"{time} {record.levelname:<7} {request_id:<8} {record.name}: {said}"
        if record.exc_info:
            trace = _safe(self.formatException(record.exc_info))
            line += "".join(f"\n  | {row}" for row in trace.split("\n"))
        return line


def _safe(text: str) -> str:
    """``text`` without personal data, its hidden characters as escapes; line breaks stay."""
    return _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", mask_personal_data(text))


def _safe_object(value: object) -> str:
    return _safe(str(value))


def _safe_extra(record: logging.LogRecord) -> dict[str, object]:
    extra = {name: value for name, value in record.__dict__.items() if name not in _STANDARD_FIELDS}
    return {name: _safe_value(value) for name, value in extra.items()}


def _safe_value(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {_safe_object(key): _safe_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_safe_value(item) for item in value]
    return _safe_object(value)
