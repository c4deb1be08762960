"""From a conversation as OpenAI writes it to a question of `/api/chat`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from pydantic import ValidationError

from agents.serving.answer_text import answer_alone
from routes.chat import charged_chat
from routes.sanitized_chat import sanitized_aside
from schemas.chat import LONGEST_MESSAGE, MOST_MESSAGES, ChatRequest, Turn, UserContext
from schemas.completions.requests import (
    WITHOUT_EFFECT,
    AssistantMessage,
    CompletionInput,
    CompletionRequest,
    ImagePart,
    TextPart,
    UserMessage,
)
from schemas.problems import ErrorCode, FieldProblem
from utils.http.problems import ProblemError
from utils.http.validation_messages import message_of

_LAST_ASKS = "마지막 메시지는 user의 질문이어야 합니다."
_ONE_PICTURE = "이미지는 질문에 하나까지 넣을 수 있습니다."
_FIELDS = {"message": "content", "image": "content"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with the question that it asks of an assistant."""

    wanted: CompletionRequest
    question: ChatRequest


async def charged_question(request: Request, wanted: CompletionRequest) -> Asked:
    """The question of a conversation, cleaned, and once its length is paid for."""
    return Asked(wanted, await charged_chat(request, await sanitized_aside(question_of(wanted))))


ChargedQuestion = Annotated[Asked, Depends(charged_question)]


def question_of(wanted: CompletionRequest) -> ChatRequest:
    """The last message as the question, with what was said before it.

    Raises:
        ProblemError: the last message is none of a user's, or no question that can be asked.
    """
    at = len(wanted.messages) - 1
    last = wanted.messages[at]
    if not isinstance(last, UserMessage):
        raise _refused(FieldProblem(path=f"messages.{at}.role", message=_LAST_ASKS))
    pictures = [part.image_url.url for part in last.content if isinstance(part, ImagePart)]
    if len(pictures) > 1:
        raise _refused(FieldProblem(path=f"messages.{at}.content", message=_ONE_PICTURE))
    try:
        return ChatRequest(
            message=_text_of(last),
            history=_history_of(wanted.messages[:at]),
            user_context=_context_of(wanted),
            session_id=wanted.session_id,
            session_state=wanted.session_state,
            image=pictures[0] if pictures else None,
            debug=wanted.debug,
        )
    except ValidationError as error:
        raise _refused(
            *(
                FieldProblem(
                    path=f"messages.{at}.{_FIELDS.get(str(fault['loc'][0]), 'content')}", message=message_of(fault)
                )
                for fault in error.errors()
            )
        ) from error


def without_effect(wanted: CompletionRequest) -> list[str]:
    """The parameters, and the roles of messages, that were given and do nothing."""
    given = [name for name in wanted.model_fields_set & WITHOUT_EFFECT if getattr(wanted, name) is not None]
    roles = {message.role for message in wanted.messages} - {"user", "assistant"}
    return sorted(given) + sorted(f"messages.role={role}" for role in roles)


def _refused(*faults: FieldProblem) -> ProblemError:
    return ProblemError(ErrorCode.VALIDATION_FAILED, errors=faults)


def _history_of(messages: Sequence[CompletionInput]) -> list[Turn]:
    """The last messages of user and assistant, each as far as a turn may be long; answers without their list of sources."""
    turns = []
    for message in messages:
        if not isinstance(message, UserMessage | AssistantMessage):
            continue
        text = _text_of(message)
        content = answer_alone(text) if isinstance(message, AssistantMessage) else text
        if content := content[:LONGEST_MESSAGE]:
            turns.append(Turn(role=message.role, content=content))
    return turns[-MOST_MESSAGES:]


def _text_of(message: UserMessage | AssistantMessage) -> str:
    """The text of a message; of several pieces, one below the other."""
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part.text for part in message.content if isinstance(part, TextPart))


def _context_of(wanted: CompletionRequest) -> UserContext | None:
    """The user's context; ``user`` names who asks, unless the context does."""
    context = wanted.user_context
    if wanted.user is None or (context is not None and context.user_id is not None):
        return context
    return (context or UserContext()).model_copy(update={"user_id": wanted.user})
