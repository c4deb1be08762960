"""What routes get: the services of the running process, the caller, and checks that come before an answer begins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Protocol, TypedDict, cast

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from schemas.chat import ChatRequest, ChatResponse
from schemas.events import StreamEvent
from schemas.problems import ErrorCode
from schemas.vectordb import SearchResults, VectorSearchRequest, VectorStats
from utils.access import AccessScope, ApiClient
from utils.health import HealthMonitor
from utils.middleware.api_key import API_KEY_HEADER
from utils.problems import ProblemError

# The middleware verifies the key; here it is declared for the OpenAPI document.
_declared_key = APIKeyHeader(name=API_KEY_HEADER, auto_error=False)


class ChatService(Protocol):
    """What answers questions; see `agents.executor.ChatExecutor`."""

    async def answer(self, request: ChatRequest, request_id: str) -> ChatResponse: ...

    def stream(self, request: ChatRequest, request_id: str) -> AsyncIterator[StreamEvent]: ...


class KnowledgeService(Protocol):
    """What looks into the knowledge base; see `routes.knowledge_browser.KnowledgeBrowser`."""

    def stats(self) -> VectorStats: ...

    async def search(self, request: VectorSearchRequest) -> SearchResults: ...


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the routes use, built once at start. ``providers`` names what is in effect, by purpose."""

    executor: ChatService
    knowledge: KnowledgeService
    health: HealthMonitor
    providers: Mapping[str, str]


class AppState(TypedDict):
    """State of the application's life, as Starlette hands it to each request."""

    services: Services


async def get_services(request: Request) -> Services:
    return cast(Services, request.state.services)


async def require_json(request: Request) -> None:
    """Refuse a body that is not declared as JSON, which FastAPI would call a wrong value."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise ProblemError(ErrorCode.UNSUPPORTED_MEDIA_TYPE)


class RequireScope:
    """A dependency that lets only callers with a scope pass."""

    def __init__(self, scope: AccessScope) -> None:
        self.scope = scope

    async def __call__(self, request: Request, _key: Annotated[str | None, Security(_declared_key)]) -> ApiClient:
        client: ApiClient = request.state.client
        if self.scope not in client.scopes:
            raise ProblemError(ErrorCode.FORBIDDEN, f"이 API 키에는 {self.scope.value} 권한이 없습니다.")
        return client


ServicesDep = Annotated[Services, Depends(get_services)]
