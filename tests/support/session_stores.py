"""Stores of conversations for tests: real ones, each with nothing in it, and what is said in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import psycopg

from agents.sessions.backends import SessionBackend
from agents.sessions.conversation import Conversation, Owner
from agents.sessions.postgres import PostgresSessions
from agents.sessions.sqlite import SqliteSessions
from agents.sessions.store import SessionStore
from schemas.chat import AnswerMeta, SourceItem

SECONDS = 5.0
KIM, LEE = Owner("web", "kim"), Owner("web", "lee")
SOURCE = SourceItem(index=1, title="부가가치세법 제49조", content="25일 이내", source="국가법령정보센터")


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 23, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def store_of(backend: SessionBackend, clock: Callable[[], datetime] | None = None, **bounds: float) -> SessionStore:
    """A store of three turns and 100 seconds, unless other ``bounds`` are given."""
    given = {"max_age": 100.0, "seconds": SECONDS, "wait": SECONDS, **bounds}
    return SessionStore(backend, max_turns=int(given.pop("max_turns", 3)), clock=clock or Clock(), **given)


def answered(request_id: str = "r") -> AnswerMeta:
    """All of an answer but its text."""
    return AnswerMeta(
        domain=None, domains=[], kind="consult", sources=[SOURCE], model="extractive", request_id=request_id
    )


async def say(store: SessionStore, owner: Owner, session_id: str, question: str) -> None:
    """Go on with a session as a request does."""
    async with store.turn(owner, session_id) as is_there:
        assert is_there
        now = store.clock()
        before = await store.read(owner, session_id) or Conversation.begun(session_id, now)
        after = before.continued(question, f"{question}의 답", answered(), now, store.max_turns)
        await store.write(owner, after)


async def asked(store: SessionStore, owner: Owner, session_id: str) -> list[str | None] | None:
    """The questions kept of a session."""
    conversation = await store.read(owner, session_id)
    return None if conversation is None else [turn.question for turn in conversation.turns]


@contextmanager
def own_schema(url: str) -> Iterator[str]:
    """A PostgreSQL URL whose tables are a test's own; they are dropped afterwards."""
    url, name = url.replace("+psycopg", ""), f"sessions_{uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"'.encode())
        try:
            yield f"{url}?options={quote(f'-csearch_path={name}')}"
        finally:
            connection.execute(f'DROP SCHEMA "{name}" CASCADE'.encode())


def backend_at(place: str) -> SessionBackend:
    """The store at a PostgreSQL URL, or in a folder."""
    return PostgresSessions(place, SECONDS) if "://" in place else SqliteSessions(Path(place), SECONDS)
