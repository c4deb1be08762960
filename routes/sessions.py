"""``/api/sessions``: the conversations that the service keeps for a client's users."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from agents.sessions.conversation import Conversation, Owner
from routes.dependencies import RequireScope, ServicesDep, SessionService
from routes.openapi import problem_responses
from schemas.chat import SessionId, ShortText
from schemas.problems import ErrorCode
from schemas.sessions import DeletedSessions, Session, SessionCursor, SessionList, SessionSummary
from utils.assistants.pack import DEFAULT_ASSISTANT, NAME_PATTERN
from utils.http.access import AccessScope, ApiClient
from utils.http.problems import ProblemError

_require_chat = RequireScope(AccessScope.CHAT)
_OFF = "이 서비스는 대화를 저장하지 않습니다."
_UNKNOWN = "이런 대화가 없습니다. 저장 기간이 지났거나, 다른 사용자의 대화일 수 있습니다."

router = APIRouter(prefix="/api/sessions", tags=["chat"], dependencies=[Depends(_require_chat)])
_INVALID = (ErrorCode.VALIDATION_FAILED,)


async def kept_sessions(services: ServicesDep) -> SessionService:
    """The service's conversations. Raises `ProblemError` where it keeps none."""
    if services.sessions is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _OFF)
    return services.sessions


async def owner_of(
    caller: Annotated[ApiClient, Depends(_require_chat)],
    user_id: Annotated[
        ShortText, Query(description="`user_id` of the user context that the questions came with; empty: none did.")
    ] = "",
) -> Owner:
    """Whose conversations are asked for: those of the API client's user, and of nobody else."""
    return Owner(caller.name, user_id)


Kept = Annotated[SessionService, Depends(kept_sessions)]
Asking = Annotated[Owner, Depends(owner_of)]
OfSession = Annotated[SessionId, Path()]
WithAssistant = Annotated[
    str, Query(pattern=NAME_PATTERN, description="The assistant that the conversation is held with.")
]


@router.get("", summary="저장된 대화를 나열한다", responses=problem_responses(ErrorCode.NOT_FOUND, *_INVALID))
async def list_sessions(
    kept: Kept,
    owner: Asking,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    before: Annotated[SessionCursor | None, Query(description="`next` of the list before.")] = None,
) -> SessionList:
    """The user's conversations, the one used last first."""
    found, following = await kept.listed(owner, limit, before)
    return SessionList(sessions=[_summary(conversation, kept) for conversation in found], next=following)


@router.delete(
    "",
    summary="사용자의 대화를 모두 지운다",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, *_INVALID),
)
async def delete_sessions(kept: Kept, owner: Asking) -> DeletedSessions:
    """Removes every conversation of the user's, each after the question that is being answered in it."""
    return DeletedSessions(deleted=await kept.delete_all(owner))


@router.get("/{session_id}", summary="대화를 읽는다", responses=problem_responses(ErrorCode.NOT_FOUND, *_INVALID))
async def read_session(
    session_id: OfSession, kept: Kept, owner: Asking, assistant: WithAssistant = DEFAULT_ASSISTANT
) -> Session:
    """A conversation; 404 for one of another client or user, as for none."""
    conversation = await kept.read(owner, session_id, assistant)
    if conversation is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _UNKNOWN)
    return Session(
        session_id=session_id,
        assistant=conversation.assistant,
        created_at=conversation.created,
        updated_at=conversation.updated,
        expires_at=kept.expires(conversation),
        turns=list(conversation.turns),
    )


@router.delete(
    "/{session_id}",
    summary="대화를 지운다",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, *_INVALID),
)
async def delete_session(
    session_id: OfSession, kept: Kept, owner: Asking, assistant: WithAssistant = DEFAULT_ASSISTANT
) -> DeletedSessions:
    """Removes a conversation, after the question that is being answered in it; 404 as for reading it."""
    if not await kept.delete(owner, session_id, assistant):
        raise ProblemError(ErrorCode.NOT_FOUND, _UNKNOWN)
    return DeletedSessions(deleted=1)


def _summary(conversation: Conversation, kept: SessionService) -> SessionSummary:
    return SessionSummary(
        session_id=conversation.session_id,
        assistant=conversation.assistant,
        title=conversation.title,
        turns=len(conversation.turns),
        created_at=conversation.created,
        updated_at=conversation.updated,
        expires_at=kept.expires(conversation),
    )
