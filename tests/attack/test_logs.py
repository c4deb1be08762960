"""Lines of the log that data tries to write, and personal data on its way there."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

from schemas.vectordb import JobState
from tests.contract.conftest import running
from tests.support.small_job_process import COMMAND
from utils.config.settings import PROJECT_ROOT, Settings
from utils.observability.logging_config import (
    JsonFormatter,
    TextFormatter,
    add_request_id,
    configure_logging,
    without_query,
)
from utils.observability.personal_data import mask_personal_data
from vectorstores.jobs.log import MAX_LINE, MAX_LINES
from vectorstores.jobs.records import JobOrder
from vectorstores.jobs.runner import JobRunner

FORGED = '{"time":"2026","level":"CRITICAL","logger":"bizi","message":"forged; 900101-1234567 010-1234-5678"}'
JOB = (
    "import json, sys; [job] = json.loads(sys.stdin.readline())['orders']; {}; sys.stderr.flush(); "
    "print(json.dumps(dict(job=job, outcome=dict(version='v2'))), flush=True)"
)


@contextlib.contextmanager
def service_log(log_format: Literal["json", "text"]) -> Iterator[io.StringIO]:
    """Yield the standard error of the service, logged in its own format."""
    handlers, level = logging.root.handlers[:], logging.root.level
    written = io.StringIO()
    with contextlib.redirect_stderr(written):
        configure_logging(log_format, "INFO")
    try:
        yield written
    finally:
        logging.root.handlers[:] = handlers
        logging.root.setLevel(level)
        logging.getLogger("uvicorn.access").filters.clear()


async def run_job(data_dir: Path, program: str) -> str:
    """Run one job whose process is ``program``; returns the job's id."""

    async def adopted() -> None:
        return

    jobs = JobRunner(Settings(data_dir=data_dir), adopted, 3, (sys.executable, "-c", JOB.format(program)))
    async with jobs.running():
        job = await jobs.submit(JobOrder(document="A"))
        async with asyncio.timeout(30):
            while True:
                now = await jobs.job(job.id)
                if now is not None and now.state in (JobState.DONE, JobState.FAILED):
                    break
                await asyncio.sleep(0.01)
    assert now.state is JobState.DONE
    return job.id


@pytest.mark.finding("M1")
@pytest.mark.parametrize("log_format", ["json", "text"])
async def test_what_a_job_prints_is_no_line_of_the_log(tmp_path: Path, log_format: Literal["json", "text"]) -> None:
    program = f"sys.stderr.write({FORGED!r} + '\\nthread panicked \\x1b[31m\\x9b hong@example.com\\u202e\\n')"
    with service_log(log_format) as written:
        job_id = await run_job(tmp_path, program)
    lines = written.getvalue().splitlines()
    assert len(lines) == 2
    assert not re.search(r"900101|1234-5678|hong@|[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", written.getvalue())
    for line in lines:
        assert job_id in line
        assert "vectorstores.jobs.log" in line
        if log_format == "json":
            said = json.loads(line)
            assert (said["logger"], said["job"]) == ("vectorstores.jobs.log", job_id)
            assert said["level"] != "CRITICAL"


@pytest.mark.finding("M1")
async def test_what_a_job_prints_is_bounded_and_never_makes_it_wait(tmp_path: Path) -> None:
    program = (
        "[sys.stderr.write('x' * 3_000_000 + chr(10)), [sys.stderr.write(f'{n}' + chr(10)) for n in range(50_000)]]"
    )
    with service_log("text") as written:
        await run_job(tmp_path, program)
    lines = written.getvalue().splitlines()
    assert len(lines) == MAX_LINES + 1
    assert max(map(len, lines)) < MAX_LINE + 200
    assert "49801 more lines" in lines[-1]


@pytest.mark.finding("M1")
def test_a_job_writes_what_libraries_find_in_a_file_as_records(tmp_path: Path) -> None:
    """Run the code of the job process on a PDF whose font names an encoding that holds a line of a log."""
    upload = tmp_path / "uploads" / "0" / "p.pdf"
    upload.parent.mkdir(parents=True)
    upload.write_bytes(pdf_with_encoding(FORGED))
    order = json.dumps(
        {
            "settings": {"data_dir": str(tmp_path), "embedding_provider": "kiwi"},
            "orders": {"1": {"uploads": ["uploads/0/p.pdf"], "domain": "hr_labor"}},
        }
    )
    with subprocess.Popen(
        COMMAND,
        cwd=PROJECT_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(order + "\n")
        process.stdin.flush()
        while '"outcome":{' not in (line := process.stdout.readline()):
            assert line, "the process ended without an outcome"
        process.stdin.close()
        said = process.stderr.read().splitlines()
    assert any("forged" in line for line in said), "pypdf does not tell of the encoding any more"
    for line in said:
        record = json.loads(line)
        assert record["logger"] != "bizi"
        assert "900101" not in line


def pdf_with_encoding(text: str) -> bytes:
    """A page in a font whose /Encoding is a name that holds a line break and ``text``."""
    name = "".join(f"#{byte:02x}" for byte in b"x\n" + text.encode())
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /{name} >>",
        "<< /Length 41 >>\nstream\nBT /F1 12 Tf 72 720 Td (Hello world) Tj ET\nendstream",
    )
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return body + f"{trailer}startxref\n{len(body)}\n%%EOF\n".encode()


HOSTILE = "a\nb\r\x1b[31m\x07\x9b2J\x85\u2028\u2029\u202e\u200b\ufeff\ud800"


def formatted(formatter: logging.Formatter, message: str, error: BaseException | None = None, **extra: Any) -> str:
    info = (type(error), error, None) if error is not None else None
    record = logging.getLogger("test").makeRecord("test", logging.INFO, "f", 1, "%s", (message,), info, extra=extra)
    add_request_id(record)
    return formatter.format(record)


@pytest.mark.finding("M1")
@pytest.mark.parametrize("formatter", [JsonFormatter(), TextFormatter()])
def test_no_data_ends_a_line_or_steers_a_terminal(formatter: logging.Formatter) -> None:
    class Custom:
        def __str__(self) -> str:
            return HOSTILE + "hong@example.com"

    line = formatted(
        formatter, HOSTILE, text=HOSTILE, parts=[HOSTILE, Custom()], named={HOSTILE: Custom()}, one=Custom()
    )
    line.encode("utf-8")
    assert line.splitlines() == [line]
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b\u2028\u202e\ufeff]|hong@", line)


@pytest.mark.finding("M1")
def test_a_traceback_of_a_text_log_holds_no_line_of_its_own() -> None:
    head, *trace = formatted(TextFormatter(), "failed", ValueError(f"x\n{FORGED}\n12:00:00 ERROR x: y")).split("\n")
    assert head.endswith("failed")
    assert trace
    assert all(row.startswith("  | ") for row in trace)


ENCODED = [
    "/api/documents/hong%40example.com",
    "/api/documents/hong%2540example.com",
    "/900101%201234567",
    "/900101%2D1234567",
    "/%2B82%2010%2D1234%2D5678",
    "/+82%2010-1234-5678",
    "/%39%30%30%31%30%31-1234567",
    "/a%0a%7B%22level%22%3A1%7D%20010-1234-5678",
    "/M12345678",
    "/m123A4567/x",
    "/sk-proj-abcdefghijklmnop0123456789",
    "/11-22-333333-44",
    "/110-123-456789",
]
SECRETS = re.compile(r"hong|1234567|1234-5678|1234%2D5678|M12345678|123A4567|abcdefghij|333333|456789")


@pytest.mark.finding("L5")
@pytest.mark.parametrize("path", ENCODED)
@pytest.mark.parametrize("formatter", [JsonFormatter(), TextFormatter()])
def test_personal_data_is_masked_in_the_path_of_an_access(path: str, formatter: logging.Formatter) -> None:
    args = ("127.0.0.1:1", "GET", f"{path}?key=sk-1&phone=01012345678", "1.1", 200)
    record = logging.makeLogRecord({"name": "uvicorn.access", "msg": '%s - "%s %s HTTP/%s" %d', "args": args})
    without_query(record)
    line = formatter.format(record)
    assert not SECRETS.search(line)
    assert "sk-1" not in line
    assert '"GET /' in line.replace("\\", "")
    assert line.splitlines() == [line]


@pytest.mark.finding("L5")
def test_the_service_logs_neither_queries_nor_personal_paths() -> None:
    with service_log("text") as written, running() as service, service.client() as client:
        client.get("/api/hong%40example.com", params={"api_key": "value-of-a-key", "q": "900101-1234567"})
    access = [line for line in written.getvalue().splitlines() if "uvicorn.access" in line]
    assert len(access) == 1
    assert "GET /api/[이메일]" in access[0]
    assert not re.search(r"hong|value-of-a-key|900101|\?", access[0])


@pytest.mark.finding("L5")
@pytest.mark.parametrize(
    "given",
    ["010-1234-5678", "900101-1234567", "M12345678", "sk-abcdefghijklmnop0123", "110-123-456789", "123-45-67890"],
)
def test_an_id_that_looks_like_a_person_is_not_taken_over(client: httpx.Client, given: str) -> None:
    assert client.get("/health/live", headers={"X-Request-ID": given}).headers["X-Request-ID"] != given


@pytest.mark.finding("L5")
@pytest.mark.parametrize(
    "given", ["a-1", "7c1e2d3f4a5b6c7d8e9f001122334455", "01012345-6789-4123-8123-010123456789", "web.42_x"]
)
def test_other_ids_are(client: httpx.Client, given: str) -> None:
    assert client.get("/health/live", headers={"X-Request-ID": given}).headers["X-Request-ID"] == given


@pytest.mark.finding("L5")
@pytest.mark.parametrize(
    "text",
    [
        "근로기준법 제23조 제1항, 시행령 제7조의2, 2026. 3. 17. 개정",
        "매출 1,234,567,890원, 10% 할인, 12.5%와 100%",
        "S20261122 공고, 제2026-1234호, M1 칩, R2024, 서식 제12호",
        "token_usage=1234567 tokens: 20000 secret 없음",
        "/api/vectordb/documents/FT_VAT_001 /docs%20and%2Fmore",
        "asked for a bearer of news; basic income",
        f"{datetime(2026, 11, 22, tzinfo=UTC):%Y%m%dT%H%M%SZ}deadbeef",
        "task-force-of-the-ministry-2026, risk-based",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert mask_personal_data(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("여권 M12345678호", "12345678"),
        ("여권번호: s123b4567", "123b4567"),
        ("운전면허 11-22-333333-44", "333333"),
        ("면허번호 112233333344", "3333"),
        ("OPENAI sk-abcdefghijklmnop0123456789", "abcdefghij"),
        ("Authorization: Bearer abc.def-ghi_jkl", "def"),
        ('{"api_key": "a1b2c3d4e5f6"}', "c3d4"),
        ("X-API-Key: admin-key-0123456789", "0123"),
        ("redis://:pa@ss@host:6379/0", "ss@"),
        ("postgresql://user:pw@db/x", "pw"),
        ("ghp_abcdefghijklmnop0123", "abcdef"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "eyJzdWI"),
    ],
)
@pytest.mark.finding("L5")
def test_papers_and_keys_are_masked(text: str, secret: str) -> None:
    assert secret not in mask_personal_data(text)


@pytest.mark.parametrize(
    "piece", ["%40", "a%", "sk-", "eyJ", "M1", "면허 1", "://", "bearer ", "api_key=", "x-api-", "1-%20"]
)
def test_masking_takes_time_in_proportion(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        started = time.thread_time()
        mask_personal_data(text)
        return time.thread_time() - started

    assert seconds(40_000) < 0.05 + 6 * seconds(10_000)


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with running() as service, service.client() as opened:
        yield opened
