"""What routes get: the services of the running process, the caller, and checks that come before an answer begins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, BinaryIO, Protocol, TypedDict, cast

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from schemas.chat import ChatRequest, ChatResponse
from schemas.events import StreamEvent
from schemas.problems import ErrorCode
from schemas.vectordb import (
    IndexJob,
    PageSearchRequest,
    PageSearchResults,
    RolledBack,
    SearchResults,
    VectorSearchRequest,
    VectorStats,
)
from utils.access import AccessScope, ApiClient
from utils.health import HealthMonitor
from utils.middleware.api_key import API_KEY_HEADER
from utils.problems import ProblemError
from utils.rate_limiter import RateLimiter

# The middleware verifies the key; here it is declared for the OpenAPI document.
_declared_key = APIKeyHeader(name=API_KEY_HEADER, auto_error=False)


class ChatService(Protocol):
    """What answers questions for a client, given by name; see `agents.cached_chat.CachedChat`."""

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse: ...

    def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]: ...


class KnowledgeService(Protocol):
    """What looks into the knowledge base; see `routes.knowledge_browser.KnowledgeBrowser`."""

    def stats(self) -> VectorStats: ...

    async def search(self, request: VectorSearchRequest) -> SearchResults: ...

    async def search_pages(self, request: PageSearchRequest) -> PageSearchResults: ...


class ManagementService(Protocol):
    """What changes the knowledge base; see `routes.knowledge_manager.KnowledgeManager`. All raise `ProblemError`."""

    def check_room(self) -> None: ...

    async def ingest(self, files: Sequence[Upload], domain: str | None, restore: bool) -> IndexJob: ...

    async def delete(self, document_id: str) -> IndexJob: ...

    async def job(self, job_id: str) -> IndexJob: ...

    async def rollback(self) -> RolledBack: ...


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as a client sent it; ``content`` is read in a thread."""

    name: str
    content: BinaryIO


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the routes use, built once at start. ``providers`` names what is in effect, by purpose.

    Without a ``rate_limiter`` nobody is limited.
    """

    executor: ChatService
    knowledge: KnowledgeService
    management: ManagementService
    health: HealthMonitor
    providers: Mapping[str, str]
    rate_limiter: RateLimiter | None = None


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
