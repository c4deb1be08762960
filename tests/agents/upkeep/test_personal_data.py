"""Data kept of a user: handed out whole, removed wherever it lies, and nothing of anybody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from agents.question_log.chat_log import ChatLog
from agents.question_log.log import QuestionLog
from agents.sessions.conversation import Conversation, Owner
from agents.sessions.store import SessionStore
from agents.upkeep.personal_data import PersonalData, UserDataUnavailable
from schemas.chat import ChatRequest, ChatResponse, SourceItem, UserContext
from schemas.feedback import FeedbackRequest
from tests.support.folders import read_only
from utils.config.settings import Settings
from utils.resilience.response_cache import AnswerBasis, ResponseCache, cache_key

pytestmark = pytest.mark.whole

SECRET = "주민번호 900101-1234567, 휴대전화 010-1234-5678, 사업자 123-45-67890, 카드 1234-5678-9012-3456, "
SECRET += "국민은행 계좌 123456-78-901234, 메일 hong@example.com"
MASKED = ("900101", "010-1234-5678", "123-45-67890", "1234-5678", "123456-78", "hong@")
KIM, LEE, ELSEWHERE = ("web", "kim"), ("web", "lee"), ("shop", "kim")
BASIS = AnswerBasis("bizi", "s", "c", "m", "p", "i", "d", "2026-11-23")


class Kept:
    """A service's places, each with something of three users."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.settings = Settings(data_dir=folder / "data", log_dir=folder / "logs", **settings)
        self.log, self.chat_log = QuestionLog.in_place_of(self.settings), ChatLog.in_place_of(self.settings)
        store = SessionStore.from_settings(self.settings)
        assert store is not None
        self.sessions, self.cache = store, ResponseCache(10, 60)
        self.data = PersonalData.of(self.settings, self.log, self.chat_log, self.sessions, self.cache)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Kept]:
        async with self.log.running(), self.chat_log.running(), self.sessions.running():
            for number, (client, user) in enumerate((KIM, LEE, ELSEWHERE, KIM)):
                await self.answered(client, user, f"r{number}")
            yield self

    async def answered(self, client: str, user: str, request_id: str) -> None:
        """Do with an answer what the service does."""
        request = _request(user)
        answer = ChatResponse(
            content="25일까지입니다[1].",
            domain=None,
            domains=[],
            kind="consult",
            sources=[SourceItem(index=1, title="t", content="c", source="s", metadata={"id": "A"})],
            model="extractive",
            request_id=request_id,
        )
        self.log.note(request, answer, client)
        self.chat_log.note(request, answer, client)
        await self.cache.put(cache_key(request, client, BASIS), answer)
        verdict = FeedbackRequest(request_id=request_id, helpful=False, comment=f"{user}의 의견")
        assert await self.log.give(verdict, client) is not None
        now = datetime.now(UTC)
        begun = Conversation.begun(f"s-{request_id}", now)
        spoken = begun.continued(request.message, answer.content, answer, now, 20)
        await self.sessions.write(Owner(client, user), spoken)

    def bytes(self) -> bytes:
        """Everything that lies in the folders."""
        folders = (self.settings.data_dir, self.settings.log_dir)
        return b"".join(file.read_bytes() for folder in folders for file in folder.rglob("*") if file.is_file())


def _request(user: str) -> ChatRequest:
    return ChatRequest(message=f"부가세는 언제 내나요? {user} {SECRET}", user_context=UserContext(user_id=user))


async def test_everything_of_a_user_is_handed_out_and_nothing_of_others(tmp_path: Path) -> None:
    async with Kept(tmp_path).running() as kept:
        exported = await kept.data.export(*KIM)
    assert {session.session_id for session in exported.sessions} == {"s-r0", "s-r3"}
    assert [line["kind"] for line in exported.question_log] == ["answer", "feedback"] * 2
    assert [line["request_id"] for line in exported.chat_log] == ["r0", "r3"]
    text = exported.model_dump_json()
    assert "lee" not in text
    assert "kim의 의견" in text


async def test_a_user_is_forgotten_everywhere_and_others_are_not(tmp_path: Path) -> None:
    async with Kept(tmp_path).running() as kept:
        gone = await kept.data.forget(*KIM)
        assert gone.model_dump() == {"sessions": 2, "question_log": 4, "chat_log": 2}
        left = await kept.data.export(*KIM)
        assert (left.sessions, left.question_log, left.chat_log) == ([], [], [])
        assert await kept.cache.get(cache_key(_request("kim"), "web", BASIS)) is None
        for other in (LEE, ELSEWHERE):
            assert await kept.cache.get(cache_key(_request(other[1]), other[0], BASIS)) is not None
            theirs = await kept.data.export(*other)
            assert (len(theirs.sessions), len(theirs.question_log), len(theirs.chat_log)) == (1, 2, 1)
        assert (await kept.data.forget(*KIM)).sessions == 0
        await kept.data.forget(*ELSEWHERE)
    assert b"kim" not in kept.bytes(), "in no file, that of conversations and its log included"


async def test_personal_data_is_in_no_log(tmp_path: Path) -> None:
    async with Kept(tmp_path).running() as kept:
        exported = await kept.data.export(*KIM)
    logged = orjson.dumps([exported.question_log, exported.chat_log]).decode()
    assert "부가세는 언제 내나요?" in logged
    assert [secret for secret in MASKED if secret in logged] == []


async def test_who_names_no_user_is_not_found_by_an_empty_name(tmp_path: Path) -> None:
    async with Kept(tmp_path).running() as kept:
        kept.log.note(ChatRequest(message="누구인지 모릅니다"), _nothing(), "web")
        assert (await kept.data.export("web", "")).question_log == []
        assert (await kept.data.forget("web", "")).question_log == 0


def _nothing() -> ChatResponse:
    return ChatResponse(content="", domain=None, domains=[], kind="consult", model="m", request_id="none")


async def test_what_cannot_be_removed_is_said_and_the_rest_goes(tmp_path: Path) -> None:
    async with Kept(tmp_path).running() as kept:
        await kept.data.export(*KIM)  # behind what waits
        with read_only(kept.settings.log_dir), pytest.raises(UserDataUnavailable):
            await kept.data.forget(*KIM)
        left = await kept.data.export(*KIM)
        assert (left.sessions, left.question_log, len(left.chat_log)) == ([], [], 2)
        await kept.data.forget(*KIM)
        assert (await kept.data.export(*KIM)).chat_log == []


async def test_what_is_too_old_goes(tmp_path: Path) -> None:
    async with Kept(tmp_path, chat_log_retention_days=7, session_max_age=86_400.0).running() as kept:
        await kept.data.export(*KIM)
        file = kept.settings.log_dir / "chat.log"
        lines = file.read_bytes().splitlines(keepends=True)
        old = orjson.loads(lines[0]) | {"time": (datetime.now(UTC) - timedelta(days=8)).isoformat()}
        file.write_bytes(orjson.dumps(old) + b"\n" + b"".join(lines[1:]) + b'{"cut sho')
        old_questions = kept.settings.data_dir / "questions" / "20250101-000001.jsonl"
        old_questions.write_bytes(b"{}\n")
        await kept.data.expire()
        assert file.read_bytes() == b"".join(lines[1:])
        assert not old_questions.exists()
