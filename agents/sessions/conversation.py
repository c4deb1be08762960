"""A conversation as it is kept: whose it is, its turns, and what the next question reads of it. Pure, without a store."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, Self

import orjson
from pydantic import TypeAdapter

from schemas.chat import LONGEST_MESSAGE, MOST_MESSAGES, AnswerMeta, ChatRequest, SessionState, Turn
from schemas.sessions import SessionSource, SessionTurn
from utils.assistants.pack import DEFAULT_ASSISTANT
from utils.sanitizing.sanitize import sanitize_question

Role = Literal["user", "assistant"]

_TITLE = 100  # characters
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TURNS: TypeAdapter[list[SessionTurn]] = TypeAdapter(list[SessionTurn])


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose conversations are looked at: an API client, given by name, and the user that it asks for, if it names any."""

    client: str
    user: str = ""

    @classmethod
    def of(cls, request: ChatRequest, client: str) -> Self:
        """The owner of the session of a question."""
        return cls(client, (request.user_context.user_id if request.user_context else None) or "")

    @property
    def digest(self) -> str:
        """The owner as the store knows it, without the user's id."""
        return _digest(self.client, self.user)

    def thread(self, session_id: str, assistant: str = DEFAULT_ASSISTANT) -> str:
        """The key of a session that the owner has with an assistant; no other session of that id has the same."""
        with_other = () if assistant == DEFAULT_ASSISTANT else (assistant,)
        return _digest(self.client, self.user, session_id, *with_other)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of a session with an assistant, the earliest first. ``version`` is that of the checkpoint it was read from, if it was.

    ``state`` is what it says of notices; its history are the turns.
    """

    session_id: str
    created: datetime
    turns: tuple[SessionTurn, ...] = ()
    version: str | None = None
    state: SessionState | None = None
    assistant: str = DEFAULT_ASSISTANT

    @classmethod
    def begun(cls, session_id: str, now: datetime, assistant: str = DEFAULT_ASSISTANT) -> Self:
        """A conversation in which nothing was said yet."""
        return cls(session_id, now, assistant=assistant)

    @classmethod
    def stored(cls, values: dict[str, Any], version: str, max_turns: int) -> Self:
        """Read a conversation back from the values of a checkpoint, at most ``max_turns`` of it.

        Raises:
            KeyError, ValueError: the values are not those of a conversation.
        """
        kept = values["conversation"]
        turns = tuple(_TURNS.validate_python(kept["turns"])[-max_turns:])
        state = SessionState.model_validate(kept["state"]) if kept.get("state") else None
        begun = datetime.fromisoformat(kept["created"])
        return cls(kept["session_id"], begun, turns, version, state, kept.get("assistant", DEFAULT_ASSISTANT))

    @property
    def values(self) -> dict[str, Any]:
        """The values of its checkpoint: text, numbers and lists alone, so that any serializer can keep them."""
        turns = [turn.model_dump(mode="json") for turn in self.turns]
        values: dict[str, Any] = {"session_id": self.session_id, "created": self.created.isoformat(), "turns": turns}
        if self.assistant != DEFAULT_ASSISTANT:
            values["assistant"] = self.assistant
        if self.state is not None:
            values["state"] = self.state.model_dump(mode="json", exclude={"chat_history"})
        return {"conversation": values}

    @property
    def updated(self) -> datetime:
        return self.turns[-1].answered_at

    @property
    def title(self) -> str:
        """The first question kept, cut to a line of a list."""
        return next((turn.question for turn in self.turns if turn.question), "")[:_TITLE]

    def replaced_by(self, history: Sequence[Turn], now: datetime) -> Self:
        """The conversation as the client tells it."""
        return replace(self, turns=tuple(_as_turns(history, now)))

    def continued(self, question: str, answer: str, meta: AnswerMeta, now: datetime, max_turns: int) -> Self:
        """The conversation with one turn more, of which the last ``max_turns`` stay."""
        turn = SessionTurn(
            question=question,
            answer=answer,
            sources=[SessionSource.of(source) for source in meta.sources],
            request_id=meta.request_id,
            answered_at=now,
        )
        return replace(self, turns=(*self.turns, turn)[-max_turns:], state=meta.session_state)

    def history(self) -> list[Turn]:
        """The messages that the next question reads: those a client may send as ``history``, cleaned as they are.

        It takes tens of milliseconds for long turns.
        """
        messages: list[tuple[Role, str]] = [
            (role, content) for turn in self.turns for role, content in _messages(turn) if content
        ]
        read = ((role, sanitize_question(content[:LONGEST_MESSAGE])) for role, content in messages[-MOST_MESSAGES:])
        return [Turn.model_construct(role=role, content=content) for role, content in read if content]


def _messages(turn: SessionTurn) -> tuple[tuple[Role, str | None], ...]:
    return ("user", turn.question), ("assistant", turn.answer)


def _as_turns(history: Iterable[Turn], now: datetime) -> Iterable[SessionTurn]:
    """Messages two by two; where a question or an answer is missing, so is it in its turn."""
    question: str | None = None
    for message in history:
        if message.role == "user":
            if question is not None:
                yield SessionTurn(question=question, answered_at=now)
            question = message.content
        else:
            yield SessionTurn(question=question, answer=message.content, answered_at=now)
            question = None
    if question is not None:
        yield SessionTurn(question=question, answered_at=now)


def new_version(now: datetime, before: str | None) -> str:
    """A ULID for ``now``, later than ``before`` even if the clock was set back.

    It orders by time as text in every store, and is the only kind of id by which the Redis saver can order.
    """
    milliseconds = int(now.timestamp() * 1000)
    if before is not None:
        milliseconds = max(milliseconds, _milliseconds(before) + 1)
    return _ulid(milliseconds, secrets.randbits(80))


def first_version(at: datetime) -> str:
    """The lowest version that a conversation written ``at`` this time, or later, may have."""
    return _ulid(int(at.timestamp() * 1000), 0)


def written_at(version: str) -> datetime:
    """The time that a version tells."""
    return datetime.fromtimestamp(_milliseconds(version) / 1000, UTC)


def _ulid(milliseconds: int, rest: int) -> str:
    number = milliseconds << 80 | rest
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def _milliseconds(version: str) -> int:
    number = 0
    for letter in version[:10]:
        number = number << 5 | _CROCKFORD.index(letter)
    return number


def _digest(*parts: str) -> str:
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()
