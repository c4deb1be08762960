"""Log lines on stderr: JSON in production, readable in a terminal, each with its request and without personal data."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

import orjson

from utils.personal_data import mask_personal_data
from utils.request_context import current_request_id

_STANDARD_FIELDS = frozenset(logging.makeLogRecord({}).__dict__) | {
    "message",
    "asctime",
    "taskName",
    "request_id",
    "color_message",
}
_QUIET = ("httpx", "httpcore", "chromadb", "openai", "urllib3")


def configure_logging(log_format: Literal["auto", "json", "text"], level: str) -> None:
    """Send all loggers of the process to one stderr handler."""
    use_json = log_format == "json" or (log_format == "auto" and not sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(add_request_id)
    handler.setFormatter(JsonFormatter() if use_json else TextFormatter())
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def add_request_id(record: logging.LogRecord) -> bool:
    """A filter that drops nothing and stamps the request on the record."""
    record.request_id = current_request_id()
    return True


class JsonFormatter(logging.Formatter):
    """One JSON object a line; ``extra`` fields become keys."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": mask_personal_data(_encodable(record.getMessage())),
            "request_id": getattr(record, "request_id", None),
            **_masked_extra(record),
        }
        if record.exc_info:
            line["exception"] = mask_personal_data(_encodable(self.formatException(record.exc_info)))
        return orjson.dumps(line, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


class TextFormatter(logging.Formatter):
    """One line for people; a traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        extra = "".join(f" {name}={value}" for name, value in _masked_extra(record).items())
        message = mask_personal_data(_encodable(record.getMessage()))
        request_id = str(getattr(record, "request_id", "-"))[:8]
        line = f"{time} {record.levelname:<7} {request_id:<8} {record.name}: {message}{extra}"
        if record.exc_info:
            line += "\n" + mask_personal_data(_encodable(self.formatException(record.exc_info)))
        return line


def _masked_extra(record: logging.LogRecord) -> dict[str, object]:
    extra = {name: value for name, value in record.__dict__.items() if name not in _STANDARD_FIELDS}
    return {name: _masked(value) for name, value in extra.items()}


def _masked(value: object) -> object:
    if isinstance(value, str):
        return mask_personal_data(_encodable(value))
    if isinstance(value, Mapping):
        return {str(key): _masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_masked(item) for item in value]
    return value


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
