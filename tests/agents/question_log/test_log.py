"""The question log beside the service: it keeps the order, and whatever becomes of the disk, nobody waits or fails."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from agents.question_log.journal import Journal, read_journal
from agents.question_log.log import LogUnavailable, QuestionLog
from agents.question_log.records import AnsweredQuestion, GivenFeedback
from schemas.chat import ChatRequest, ChatResponse
from schemas.feedback import FeedbackRequest
from schemas.health import CapabilityState
from tests.support.folders import read_only
from utils.config.settings import Settings

QUESTION = ChatRequest(message="연차는 며칠인가요?")


def answer(request_id: str) -> ChatResponse:
    return ChatResponse(
        content="",
        domain="hr_labor",
        domains=["hr_labor"],
        kind="consult",
        model="extractive",
        request_id=request_id,
    )


def verdict(request_id: str, *, helpful: bool = False) -> FeedbackRequest:
    return FeedbackRequest(request_id=request_id, helpful=helpful)


def log_in(folder: Path, **settings: object) -> QuestionLog:
    log = QuestionLog.from_settings(Settings.model_validate({"data_dir": folder} | settings))
    assert log is not None
    return log


class SlowJournal(Journal):
    """A disk that hangs until ``free`` is set."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, days=1, file_bytes=65_536, files=2)
        self.free = threading.Event()

    def append(self, *lines: AnsweredQuestion | GivenFeedback) -> None:
        self.free.wait(30)
        super().append(*lines)


async def test_a_verdict_finds_the_answer_that_was_noted_just_before(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    async with log.running():
        for number in range(100):
            log.note(QUESTION, answer(f"r{number}"), "web")
        kept = await log.give(verdict("r99"), "web")
        assert kept is not None
        assert (kept.request_id, kept.helpful) == ("r99", False)
        assert await log.give(verdict("r99"), "app") is None
        assert await log.give(verdict("r100"), "web") is None
    lines = list(read_journal(tmp_path))
    assert [line.request_id for line in lines] == [*(f"r{number}" for number in range(100)), "r99"]


async def test_what_waits_is_written_at_the_end(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    async with log.running():
        log.note(QUESTION, answer("last"), "web")
    assert [line.request_id for line in read_journal(tmp_path)] == ["last"]


async def test_excluded_clients_leave_no_trace(tmp_path: Path) -> None:
    log = log_in(tmp_path, question_log_excluded_clients="clinic, web")
    async with log.running():
        log.note(QUESTION, answer("r1"), "clinic")
        assert await log.give(verdict("r1"), "clinic") is None
        log.note(QUESTION, answer("r2"), "app")
    assert [line.request_id for line in read_journal(tmp_path)] == ["r2"]


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    assert QuestionLog.from_settings(Settings(data_dir=tmp_path, enable_question_log=False)) is None


async def test_what_is_too_old_goes_at_the_start(tmp_path: Path) -> None:
    old = tmp_path / "questions" / "20200101-000001.jsonl"
    old.parent.mkdir()
    old.write_text("{}\n", encoding="utf-8")
    async with log_in(tmp_path).running():
        pass
    assert not old.exists()


async def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    log = log_in(folder)
    async with log.running():
        log.note(QUESTION, answer("before"), "web")
        assert await log.give(verdict("before", helpful=True), "web") is not None
        with read_only(folder):
            for number in range(20):
                log.note(QUESTION, answer(f"r{number}"), "web")
            with pytest.raises(LogUnavailable):
                await log.give(verdict("before"), "web")
            health = await log.health()
            assert health.state is CapabilityState.DEGRADED
            assert "질문 기록" in health.reason
        log.note(QUESTION, answer("again"), "web")
        assert await log.give(verdict("again"), "web") is not None
        assert (await log.health()).state is CapabilityState.AVAILABLE
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(told) == 1, told
    assert "Traceback" not in caplog.text


async def test_a_disk_that_hangs_holds_nobody_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = SlowJournal(tmp_path)
    log = QuestionLog(journal)
    answers = [answer(f"r{number}") for number in range(3_000)]  # dearer to make than to note
    async with log.running():
        began = time.perf_counter()
        for given in answers:
            log.note(QUESTION, given, "web")
        assert time.perf_counter() - began < 5, "notes wait for the disk"
        with pytest.raises(LogUnavailable):
            await log.give(verdict("r1"), "web")
        journal.free.set()
    assert len(list(read_journal(tmp_path))) <= 1_000
    log.note(QUESTION, answer("after the end"), "web")  # no error
    assert sum("밀려" in record.getMessage() for record in caplog.records) == 1


async def test_clients_that_leave_take_no_room(tmp_path: Path) -> None:
    journal = SlowJournal(tmp_path)
    log = QuestionLog(journal)
    async with log.running():
        log.note(QUESTION, answer("r1"), "web")
        for _ in range(1_200):
            leaving = asyncio.create_task(log.give(verdict("r1"), "web"))
            await asyncio.sleep(0)
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
        journal.free.set()
        assert await log.give(verdict("r1"), "web") is not None
