from __future__ import annotations

import json
import logging

import pytest

from utils.observability.logging_config import JsonFormatter, TextFormatter, add_request_id
from utils.observability.request_context import bind_request_id


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.getLogger("test").makeRecord("test", logging.INFO, "f", 1, message, args, None, extra=extra)
    add_request_id(made)
    return made


def test_json_lines_carry_the_request_and_the_extra_fields() -> None:
    bind_request_id("abc")
    line = json.loads(JsonFormatter().format(record("질문 %d", 1, domains=["hr_labor"], ms=1.5)))
    assert line["message"] == "질문 1"
    assert line["request_id"] == "abc"
    assert (line["domains"], line["ms"], line["level"]) == (["hr_labor"], 1.5, "INFO")


@pytest.mark.parametrize("formatter", [JsonFormatter(), TextFormatter()])
def test_personal_data_is_masked_wherever_it_stands(formatter: logging.Formatter) -> None:
    made = record("연락처 %s", "010-1234-5678", question={"text": ["900101-1234567"]})
    error = ValueError("hong@example.com")
    made.exc_info = (ValueError, error, None)
    line = formatter.format(made)
    assert not any(secret in line for secret in ("1234-5678", "900101", "hong@"))


def test_hostile_text_stays_on_one_encodable_json_line() -> None:
    line = JsonFormatter().format(record("a\nb\ud800", value=object(), revenue=9001011234567))
    line.encode("utf-8")
    assert "\n" not in line
    assert json.loads(line)["revenue"] == 9001011234567
