"""Data that the service keeps of a user of an API client: handed out, and removed, wherever it lies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import Any

from agents.question_log.chat_log import ChatLog
from agents.question_log.log import LogUnavailable, QuestionLog
from agents.sessions.conversation import Conversation, Owner
from agents.sessions.errors import SessionBusy, SessionsUnavailable
from agents.sessions.store import SessionStore
from schemas.sessions import Session
from schemas.users import ForgottenUserData, UserData
from utils.config.settings import Settings
from utils.resilience.response_cache import ResponseCache, asker_of

logger = logging.getLogger(__name__)

_AT_ONCE = 50
_FAILURES = (LogUnavailable, SessionBusy, SessionsUnavailable, OSError)


class UserDataUnavailable(RuntimeError):
    """A part of a user's data cannot be read or removed now; the rest was."""


class PersonalData:
    """The places where something of a user is kept. Without ``sessions`` or ``cache`` nothing is there."""

    def __init__(
        self,
        question_log: QuestionLog,
        chat_log: ChatLog,
        sessions: SessionStore | None = None,
        cache: ResponseCache | None = None,
    ) -> None:
        self._question_log = question_log
        self._chat_log = chat_log
        self._sessions = sessions
        self._cache = cache

    @classmethod
    def of(
        cls,
        settings: Settings,
        question_log: QuestionLog | None,
        chat_log: ChatLog | None,
        sessions: SessionStore | None,
        cache: ResponseCache | None = None,
    ) -> PersonalData:
        """Return the places of a service; a log that is switched off may hold lines of before."""
        return cls(
            question_log or QuestionLog.in_place_of(settings),
            chat_log or ChatLog.in_place_of(settings),
            sessions,
            cache,
        )

    async def export(self, client: str, user_id: str) -> UserData:
        """Everything of a user of a client, both given by name. Raises `UserDataUnavailable`."""
        sessions, questions, lines = await _all(
            self._conversations(Owner(client, user_id)),
            self._question_log.of_user(client, user_id),
            self._chat_log.of_user(client, user_id),
        )
        return UserData(
            client=client,
            user_id=user_id,
            exported_at=datetime.now(UTC),
            sessions=sessions,
            question_log=[line.model_dump(mode="json", exclude={"client", "user"}) for line in questions],
            chat_log=[
                {name: value for name, value in line.items() if name not in ("client", "user")} for line in lines
            ],
        )

    async def forget(self, client: str, user_id: str) -> ForgottenUserData:
        """Remove everything of a user of a client, both given by name; asked for again, it removes what was left.

        Raises:
            UserDataUnavailable: something is left.
        """
        sessions, questions, lines, _ = await _all(
            self._delete_conversations(Owner(client, user_id)),
            self._question_log.forget(client, user_id),
            self._chat_log.forget(client, user_id),
            self._forget_answers(client, user_id),
        )
        return ForgottenUserData(sessions=sessions, question_log=questions, chat_log=lines)

    async def expire(self) -> None:
        """Remove all that is older than it is kept, of whomever. Raises `UserDataUnavailable`."""
        await _all(self._question_log.expire(), self._chat_log.expire(), self._expire_sessions())

    async def _conversations(self, owner: Owner) -> list[Session]:
        if self._sessions is None:
            return []
        found: list[Session] = []
        place: str | None = None
        while True:
            some, place = await self._sessions.listed(owner, _AT_ONCE, place)
            found += [_as_session(conversation, self._sessions) for conversation in some]
            if place is None:
                return found

    async def _delete_conversations(self, owner: Owner) -> int:
        return await self._sessions.delete_all(owner) if self._sessions else 0

    async def _expire_sessions(self) -> None:
        if self._sessions is not None:
            await self._sessions.remove_expired()

    async def _forget_answers(self, client: str, user_id: str) -> None:
        if self._cache is not None and not await self._cache.clear(asker_of(client, user_id)):
            raise LogUnavailable


async def forget_answers(cache: ResponseCache | None) -> bool:
    """Drop kept answers of all users, which quote documents; False when some may have stayed."""
    return cache is None or await cache.clear()


async def _all(*parts: Awaitable[Any]) -> list[Any]:
    """The results of all parts, none of which keeps another from being done. Raises `UserDataUnavailable`."""
    results = await asyncio.gather(*parts, return_exceptions=True)
    for result in results:
        if isinstance(result, _FAILURES):
            logger.warning("a part of a user's data is away (%s)", type(result).__name__)
        elif isinstance(result, BaseException):
            raise result
    done = [result for result in results if not isinstance(result, BaseException)]
    if len(done) < len(results):
        raise UserDataUnavailable
    return done


def _as_session(conversation: Conversation, kept: SessionStore) -> Session:
    return Session(
        session_id=conversation.session_id,
        assistant=conversation.assistant,
        created_at=conversation.created,
        updated_at=conversation.updated,
        expires_at=kept.expires(conversation),
        turns=list(conversation.turns),
    )
