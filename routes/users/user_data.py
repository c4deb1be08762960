"""``/api/user-data``: what the service keeps of a user, for the API client whose user it is, and for administrators.

The user's id is in the query, which no log of the service holds, and not in the path.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from agents.upkeep.personal_data import UserDataUnavailable
from routes.dependencies import RequireScope, ServicesDep, UserDataService
from routes.openapi import problem_responses
from schemas.chat import ShortText
from schemas.problems import ErrorCode
from schemas.users import ForgottenUserData, UserData
from utils.http.access import AccessScope, ApiClient
from utils.http.problems import ProblemError, retry_after

_RETRY_SECONDS = 30.0
_OFF = "이 서비스는 사용자의 데이터를 두지 않습니다."
_NOT_READ = "지금은 저장된 데이터를 모두 읽을 수 없습니다. 잠시 후 다시 시도해 주세요."
_NOT_ALL_GONE = "저장된 데이터를 모두 지우지 못했습니다. 남은 것을 지우도록 잠시 후 다시 시도해 주세요."
_OTHERS = "다른 API 클라이언트의 사용자는 admin 권한의 키로만 다룰 수 있습니다."


_require = RequireScope(AccessScope.CHAT, AccessScope.ADMIN)
router = APIRouter(prefix="/api/user-data", tags=["chat"], dependencies=[Depends(_require)])
_CODES = (ErrorCode.NOT_FOUND, ErrorCode.VALIDATION_FAILED)


async def kept_data(services: ServicesDep) -> UserDataService:
    """The service's data of users. Raises `ProblemError` where it keeps none."""
    if services.user_data is None:
        raise ProblemError(ErrorCode.NOT_FOUND, _OFF)
    return services.user_data


async def asked_client(
    caller: Annotated[ApiClient, Depends(_require)],
    client: Annotated[
        ShortText, Query(description="API client whose user it is, by name; empty: the caller. Others need `admin`.")
    ] = "",
) -> str:
    """The name of the client whose user is asked for. Raises `ProblemError` for others' without the scope."""
    if client and client != caller.name and AccessScope.ADMIN not in caller.scopes:
        raise ProblemError(ErrorCode.FORBIDDEN, _OTHERS)
    return client or caller.name


Kept = Annotated[UserDataService, Depends(kept_data)]
OfClient = Annotated[str, Depends(asked_client)]
OfUser = Annotated[
    ShortText, Query(min_length=1, description="`user_id` of the user context that the questions came with.")
]


@router.get("/export", summary="사용자의 데이터를 내준다", responses=problem_responses(*_CODES))
async def export_user_data(kept: Kept, client: OfClient, user_id: OfUser) -> UserData:
    """Conversations, questions, verdicts and lines of chat.log of a user; empty lists where there are none."""
    try:
        return await kept.export(client, user_id)
    except UserDataUnavailable as error:
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _NOT_READ, headers=retry_after(_RETRY_SECONDS)) from error


@router.delete("", summary="사용자의 데이터를 모두 지운다", responses=problem_responses(*_CODES))
async def delete_user_data(kept: Kept, client: OfClient, user_id: OfUser) -> ForgottenUserData:
    """Removes a user's conversations, questions, verdicts, lines of chat.log and cached answers. It may be asked for again."""
    try:
        return await kept.forget(client, user_id)
    except UserDataUnavailable as error:
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, _NOT_ALL_GONE, headers=retry_after(_RETRY_SECONDS)) from error
