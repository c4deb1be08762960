"""The question as the pipeline may see it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Depends

from agents.serving.session_state import with_told_history
from schemas.chat import ChatRequest, CompanyProfile, SessionState, Turn, UserContext
from schemas.notice_state import LONGEST_TITLE, LONGEST_WORD, NoticeRef
from schemas.problems import ErrorCode, FieldProblem
from utils.http.problems import ProblemError
from utils.sanitizing.sanitize import clean_text, sanitize_question

_CLEANED_AT_ONCE = 200  # characters; a tenth of a millisecond


def sanitized_chat(question: ChatRequest) -> ChatRequest:
    """Return the request with every text of the user's cleaned and neutralised; empty turns of the history are dropped.

    Raises:
        ProblemError: nothing readable is left of the message.
    """
    question = with_told_history(question)
    message = sanitize_question(question.message)
    if not message:
        empty = FieldProblem(path="message", message="읽을 수 있는 글자가 없습니다.")
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[empty])
    turns = (Turn.model_construct(role=turn.role, content=sanitize_question(turn.content)) for turn in question.history)
    return question.model_copy(
        update={
            "message": message,
            "history": [turn for turn in turns if turn.content],
            "user_context": _sanitized_context(question.user_context),
            "session_state": _sanitized_state(question.session_state),
        }
    )


def _sanitized_state(state: SessionState | None) -> SessionState | None:
    """The state without its history, which is that of the request, and with clean words; those of which nothing is left go."""
    if state is None:
        return None
    search = state.search
    if search is not None:
        texts = {name: _short(value) for name, value in search if isinstance(value, str)}
        lists = {name: [_short(word) for word in value] for name, value in search if isinstance(value, list)}
        words = {name: [word for word in value if word] for name, value in lists.items()}
        search = search.model_copy(update={**texts, **words})
    listed = [ref.model_copy(update={"title": _title(ref)}) for ref in state.prev_anncs]
    selected = state.selected_annc
    if selected is not None:
        selected = selected.model_copy(update={"title": _title(selected)})
    return SessionState(prev_anncs=listed, selected_annc=selected, search=search)


def _short(text: str) -> str:
    # A letter that Unicode composes may come out as three, and a state that is handed out has to be taken again.
    return clean_text(text).strip()[:LONGEST_WORD].rstrip()


def _title(ref: NoticeRef) -> str:
    return clean_text(ref.title)[:LONGEST_TITLE]


def _sanitized_context(context: UserContext | None) -> UserContext | None:
    if context is None or context.company is None:
        return context
    return context.model_copy(update={"company": _sanitized_company(context.company)})


def _sanitized_company(company: CompanyProfile) -> CompanyProfile:
    texts = {name: value for name, value in company if isinstance(value, str)}
    return company.model_copy(update={name: sanitize_question(value) or None for name, value in texts.items()})


async def sanitized_aside(question: ChatRequest) -> ChatRequest:
    """Return `sanitized_chat` of a request; a long one in a thread, as a conversation of 20 long turns takes tens of milliseconds.

    A thread costs more than a short question does, so that one is cleaned at once.
    """
    if question.user_context is None and _characters(question) <= _CLEANED_AT_ONCE:
        return sanitized_chat(question)
    return await asyncio.to_thread(sanitized_chat, question)


def _characters(question: ChatRequest) -> int:
    return len(question.message) + sum(len(turn.content) for turn in question.history)


SanitizedChat = Annotated[ChatRequest, Depends(sanitized_aside)]
