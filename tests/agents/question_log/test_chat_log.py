"""``chat.log`` beside the service: what it holds, whom it leaves out, and that nobody waits for it or fails with it."""

from __future__ import annotations

import asyncio
import json
import stat
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from agents.question_log.chat_log import FILE, ChatLog
from agents.serving.cached_chat import CachedChat
from agents.serving.recorded_chat import RecordedChat
from routes.dependencies import Services
from schemas.chat import (
    AskOutcome,
    ChatRequest,
    ChatResponse,
    Component,
    Degradation,
    Evaluation,
    Grounding,
    SourceItem,
    TokenUsage,
)
from schemas.health import CapabilityState
from tests.contract.conftest import running
from tests.contract.stub_service import ANSWER, StubServices
from utils.config.settings import Settings
from utils.observability.telemetry import Telemetry

QUESTION = "제 번호 010-1234-5678, 메일 hong@example.com로 연차를 알려 주세요."
KEYS = "web=0123456789abcdef:chat,quiet=fedcba9876543210:chat"
WEB, QUIET = {"X-API-Key": "0123456789abcdef"}, {"X-API-Key": "fedcba9876543210"}


def log_in(folder: Path, **settings: Any) -> ChatLog:
    log = ChatLog.from_settings(Settings(log_dir=folder, **settings))
    assert log is not None
    return log


def lines(folder: Path) -> list[dict[str, Any]]:
    """All lines, the oldest first."""
    return [
        json.loads(line) for file in reversed(_files(folder)) for line in file.read_text(encoding="utf-8").splitlines()
    ]


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{FILE}*"), key=lambda file: int(file.name.partition(f"{FILE}.")[2] or 0))


def answered(request_id: str = "r1", content: str = "") -> ChatResponse:
    return ChatResponse(
        content=content,
        domain="hr_labor",
        domains=["hr_labor"],
        kind="consult",
        sources=[SourceItem(index=2, title="연차", content="", source="", metadata={"id": "HR_1#2"})],
        asks=[AskOutcome(text="hong@example.com의 연차", answered=False)],
        evaluation=Evaluation(scores={"accuracy": 18.0}, total_score=88, passed=True, grounding=Grounding(passed=True)),
        timing_metrics={"retrieve": 3.5, "total": 9.5},
        token_usage=TokenUsage(input_tokens=7, output_tokens=5, model_calls=2),
        degraded=[Degradation(component=Component.LLM, reason="generation: timeout")],
        retry_count=1,
        model="extractive",
        request_id=request_id,
    )


async def test_an_answer_is_a_line_with_all_that_an_operator_asks_about(tmp_path: Path) -> None:
    log = log_in(tmp_path / "logs")
    async with log.running():
        log.note(ChatRequest(message=QUESTION), answered(), "web")
    [line] = lines(tmp_path / "logs")
    assert line["question"] == "제 번호 [전화번호], 메일 [이메일]로 연차를 알려 주세요."
    assert line["request_id"] == "r1"
    assert line["domains"] == ["hr_labor"]
    assert line["asks"] == [{"text": "[이메일]의 연차", "answered": False, "nearest": None}]
    assert line["sources"] == [{"index": 2, "id": "HR_1#2", "title": "연차"}]
    assert line["scores"] == {"accuracy": 18.0, "total": 88.0, "passed": True, "grounded": True}
    assert line["timings"] == {"retrieve": 3.5, "total": 9.5}
    assert line["tokens"] == {
        "input_tokens": 7,
        "cached_input_tokens": 0,
        "output_tokens": 5,
        "model_calls": 2,
        "estimated": False,
    }
    assert line["degraded"] == ["llm"]
    assert (line["model"], line["cached"], line["retries"], line["refused"]) == ("extractive", False, 1, False)
    assert "web" not in line["client"]
    mode = stat.S_IMODE((tmp_path / "logs" / FILE).stat().st_mode)
    assert mode == 0o600


async def test_files_are_rotated_and_the_oldest_go(tmp_path: Path) -> None:
    log = log_in(tmp_path, chat_log_file_bytes=65_536, chat_log_files=3)
    async with log.running():
        for number in range(600):
            log.note(ChatRequest(message=QUESTION), answered(f"r{number}"), "web")
    files = _files(tmp_path)
    assert [file.name for file in files] == [FILE, f"{FILE}.1", f"{FILE}.2"]
    assert all(file.stat().st_size <= 65_536 for file in files)
    numbers = [int(line["request_id"][1:]) for line in lines(tmp_path)]
    assert numbers == list(range(numbers[0], 600)), "the newest, in order, none lost between two files"


async def test_several_writers_share_the_file(tmp_path: Path) -> None:
    """Two processes, as far as the file can tell: the lock is of an open file and not of a process."""
    first, second = (log_in(tmp_path, chat_log_file_bytes=65_536, chat_log_files=30) for _ in range(2))
    async with first.running(), second.running():
        for number in range(400):
            (first, second)[number % 2].note(ChatRequest(message=QUESTION), answered(f"r{number}"), "web")
    assert len(_files(tmp_path)) > 1
    assert sorted(int(line["request_id"][1:]) for line in lines(tmp_path)) == list(range(400))


class LoggingServices(StubServices):
    """The stub with a real chat.log."""

    @asynccontextmanager
    async def __call__(self, settings: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
        log = ChatLog.from_settings(settings)
        assert log is not None
        async with super().__call__(settings, telemetry) as services, log.running():
            yield replace(services, chat=RecordedChat(cast(CachedChat, self.chat), [log]))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    changes: dict[str, Any] = {"log_dir": tmp_path / "logs", "question_log_excluded_clients": ("quiet",)}
    with running(LoggingServices(), api_keys=KEYS, **changes) as service, service.client() as client:
        yield client


def test_answers_and_streams_are_noted_by_request_and_clients_left_out(client: httpx.Client, tmp_path: Path) -> None:
    named = {"X-Request-ID": "request-1"}
    client.post("/api/chat", json={"message": QUESTION}, headers=WEB | named)
    client.post("/api/chat/stream", json={"message": QUESTION}, headers=WEB)
    client.post("/api/chat", json={"message": "조용한 질문"}, headers=QUIET)
    client.post("/api/chat", json={"message": "버그"}, headers=WEB)
    client.post("/api/chat", json={"message": "끝"}, headers=WEB)
    _until(lambda: any(line["question"] == "끝" for line in _if_there(tmp_path / "logs")))
    kept = lines(tmp_path / "logs")
    assert [line["question"] for line in kept][-1] == "끝"
    assert len(kept) == 3
    assert kept[0]["request_id"] == "request-1"
    text = "".join(file.read_text(encoding="utf-8") for file in _files(tmp_path / "logs"))
    assert not [said for said in ("1234-5678", "hong@", "조용한", ANSWER) if said in text]


def _if_there(folder: Path) -> list[dict[str, Any]]:
    return lines(folder) if folder.is_dir() else []


def _until(look: Any) -> None:
    until = time.monotonic() + 10
    while not look():
        assert time.monotonic() < until
        time.sleep(0.02)


async def test_where_nothing_can_be_written_the_health_says_so_until_it_can(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.write_text("a file where the folder should be", encoding="utf-8")
    log = log_in(folder)
    assert (await log.health()).state is CapabilityState.AVAILABLE
    async with log.running():
        log.note(ChatRequest(message=QUESTION), answered("lost"), "web")
        async with asyncio.timeout(10):
            while (await log.health()).state is CapabilityState.AVAILABLE:  # noqa: ASYNC110 - a thread writes
                await asyncio.sleep(0.01)
        folder.unlink()
        log.note(ChatRequest(message=QUESTION), answered("kept"), "web")
    assert (await log.health()).state is CapabilityState.AVAILABLE
    assert [line["request_id"] for line in lines(folder)] == ["kept"]


async def test_a_disk_that_hangs_costs_lines_and_no_time(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for number in range(3_000):  # nobody writes yet
        log.note(ChatRequest(message=QUESTION), answered(f"r{number}"), "web")
    async with log.running():
        pass
    assert 1 <= len(lines(tmp_path)) <= 1_000
    assert lines(tmp_path)[0]["request_id"] == "r0"


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    assert ChatLog.from_settings(Settings(log_dir=tmp_path, enable_chat_log=False)) is None
