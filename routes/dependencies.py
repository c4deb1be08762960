"""Dependencies of the routes: the services of the running process, the caller, and checks that come before an answer begins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Any, Protocol, TypedDict, cast

from fastapi import Depends, Request
from fastapi.openapi.models import APIKey, APIKeyIn
from fastapi.security.base import SecurityBase

from agents.executor import ActionResult
from agents.sessions.conversation import Conversation, Owner
from routes.page_service import PageService
from schemas.administration.audit import AuditKind, AuditPage, Details
from schemas.administration.domain_trials import DryRun, DryRunRequest, RoutePreview
from schemas.administration.domains import (
    Domain,
    DomainChange,
    DomainEdit,
    DomainFile,
    DomainFiles,
    DomainList,
    Rejection,
)
from schemas.administration.gaps import GapReport
from schemas.assistants import AssistantItem
from schemas.chat import ActionType, ChatRequest, ChatResponse
from schemas.evaluation import EvaluationRequest, EvaluationResponse
from schemas.events import StreamEvent
from schemas.feedback import Feedback, FeedbackRequest
from schemas.funding.notices import FundingSearchRequest, FundingSearchResults, NoticeItem
from schemas.knowledge.articles import ArticleResults
from schemas.problems import ErrorCode
from schemas.usage import UsageReport
from schemas.users import ForgottenUserData, UserData
from schemas.vectordb import (
    DocumentDetail,
    DocumentFilter,
    DocumentList,
    IndexJob,
    IndexVersions,
    JobList,
    PageSearchRequest,
    PageSearchResults,
    RolledBack,
    SearchResults,
    StatuteChanges,
    VectorSearchRequest,
    VectorStats,
)
from utils.administration.audit_records import Actor, AuditFilter, WriteResult
from utils.config.settings import Settings
from utils.http.access import AccessScope, ApiClient
from utils.http.load_shedding import LoadShedder
from utils.http.problems import ProblemError
from utils.http.rate_limiter import RateLimiter
from utils.law.korean_day import korean_day
from utils.middleware.api_key import API_KEY_HEADER, KEY_SCHEME
from utils.middleware.metrics import mark_refusal
from utils.observability.health import HealthMonitor
from utils.observability.metrics import Metrics, RefusalCause
from utils.observability.request_context import current_client
from utils.routing.domain_pack import PackSet
from utils.server.drain import Drain
from utils.usage.report import UsageQuery
from vectorstores.jobs.records import Upload


class ChatService(Protocol):
    """Answers the questions of a client, who is given by name; see `agents.serving.cached_chat.CachedChat`."""

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse: ...

    def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]: ...


class AssistantService(Protocol):
    """An assistant that answers; see `agents.assistants.directory.Assistant`."""

    @property
    def chat(self) -> ChatService: ...

    @property
    def pages(self) -> PageService: ...

    async def check(self, question: ChatRequest) -> None: ...

    async def transcribed(self, data: bytes) -> str: ...


class AssistantDirectory(Protocol):
    """The assistants by name; see `agents.assistants.directory.Assistants`."""

    def get(self, name: str) -> AssistantService: ...

    def listed(self) -> list[AssistantItem]: ...


class KnowledgeService(Protocol):
    """Reads the index; see `agents.serving.knowledge.KnowledgeBrowser`."""

    def stats(self) -> VectorStats: ...

    async def search(self, request: VectorSearchRequest) -> SearchResults: ...

    async def search_pages(self, request: PageSearchRequest) -> PageSearchResults: ...

    async def articles(self, reference: str) -> ArticleResults: ...

    async def documents(
        self, key: str | None, wanted: DocumentFilter, title: str, offset: int, limit: int
    ) -> DocumentList: ...

    async def document(self, document_id: str, offset: int, limit: int) -> DocumentDetail | None: ...


class ManagementService(Protocol):
    """Changes the index; see `vectorstores.jobs.manager.KnowledgeManager`. All methods raise `ProblemError`."""

    def check_room(self, size: int | None = None) -> None: ...

    async def ingest(self, files: Sequence[Upload], domain: str | None, restore: bool) -> IndexJob: ...

    async def delete(self, document_id: str, purge: bool) -> IndexJob: ...

    async def job(self, job_id: str) -> IndexJob: ...

    async def jobs(self, count: int) -> JobList: ...

    async def cancel(self, job_id: str) -> IndexJob: ...

    async def versions(self) -> IndexVersions: ...

    async def rollback(self) -> RolledBack: ...

    async def statute_changes(
        self, before: str | None, after: str | None, offset: int, limit: int, today: date
    ) -> StatuteChanges: ...


class DomainService(Protocol):
    """Tends the domain data; see `agents.administration.domain_admin.DomainAdministration`. All methods raise `ProblemError`."""

    async def overview(self) -> DomainList: ...

    async def domain(self, key: str) -> tuple[Domain, str]: ...

    async def rejection(self, kind: str) -> tuple[Rejection, str]: ...

    async def edit(
        self,
        key: str,
        edit: DomainEdit,
        actor: Actor,
        etags: frozenset[str] | None,
        *,
        creates: bool = False,
        new_collection: bool = False,
    ) -> DomainChange: ...

    async def replace_all(
        self, files: Sequence[DomainFile], actor: Actor, etags: frozenset[str], *, new_collection: bool = False
    ) -> DomainChange: ...

    async def export(self) -> tuple[DomainFiles, str]: ...

    async def dry_run(self, wanted: DryRunRequest) -> DryRun: ...

    async def preview(self, question: str) -> RoutePreview: ...


class AuditLog(Protocol):
    """Notes what administrators change; see `agents.administration.audit_service.AuditService`. All methods raise `ProblemError`."""

    def writing(
        self, kind: AuditKind, target: str, actor: Actor, details: Details | None = None
    ) -> AbstractAsyncContextManager[WriteResult]: ...

    async def page(self, wanted: AuditFilter, limit: int) -> AuditPage: ...


class FeedbackService(Protocol):
    """Takes verdicts of clients, who are given by name, on their answers; see `agents.question_log.log.QuestionLog`."""

    async def give(self, given: FeedbackRequest, client: str) -> Feedback | None: ...


class ActionService(Protocol):
    """Does what actions offer; see `agents.executor.ActionExecutor`, which says what is raised."""

    async def execute(self, action: ActionType, params: Mapping[str, Any], today: date) -> ActionResult: ...


class EvaluationService(Protocol):
    """Evaluates given answers; see `agents.serving.given_answers.GivenAnswers`."""

    async def evaluate(self, given: EvaluationRequest, request_id: str) -> EvaluationResponse: ...


class UsageService(Protocol):
    """Tells tokens and money of model calls; see `utils.usage.keeper.UsageKeeper`."""

    async def report(self, query: UsageQuery, *, budgets_of: str | None) -> UsageReport: ...


class SessionService(Protocol):
    """Keeps conversations, each for its owner alone; see `agents.sessions.store.SessionStore`."""

    async def read(self, owner: Owner, session_id: str, assistant: str) -> Conversation | None: ...

    async def listed(self, owner: Owner, limit: int, before: str | None) -> tuple[list[Conversation], str | None]: ...

    async def delete(self, owner: Owner, session_id: str, assistant: str) -> bool: ...

    async def delete_all(self, owner: Owner) -> int: ...

    def expires(self, conversation: Conversation) -> datetime: ...


class UserDataService(Protocol):
    """Hands out and removes what is kept of users of clients; see `agents.upkeep.personal_data.PersonalData`."""

    async def export(self, client: str, user_id: str) -> UserData: ...

    async def forget(self, client: str, user_id: str) -> ForgottenUserData: ...


class FundingSearchService(Protocol):
    """Searches notices; see `agents.serving.funding.FundingService`."""

    async def search(self, request: FundingSearchRequest, today: date) -> FundingSearchResults: ...

    async def by_ids(self, ids: Sequence[str], today: date) -> list[NoticeItem]: ...


class GapService(Protocol):
    """Tells what nothing answered; see `agents.administration.gap_report.GapReporter`."""

    async def report(self, since: date | None, limit: int) -> GapReport: ...


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the routes use, built once at start. ``providers`` names what is in effect, by purpose.

    ``packs`` gives the domain packs in force. Without a ``rate_limiter`` nobody is limited, without a ``shedder`` nobody
    refused under load; without ``feedback`` none is taken, without ``sessions`` no conversation is kept, without ``usage`` no account
    of model calls, without ``funding`` no notices. ``use_secrets`` takes passwords and keys of the settings into use that were
    exchanged. Without ``user_data`` nothing is kept of users, without ``gaps`` no question is noted.
    """

    chat: ChatService
    knowledge: KnowledgeService
    packs: Callable[[], PackSet]
    management: ManagementService
    health: HealthMonitor
    providers: Mapping[str, str]
    actions: ActionService
    rate_limiter: RateLimiter | None = None
    shedder: LoadShedder | None = None
    feedback: FeedbackService | None = None
    sessions: SessionService | None = None
    usage: UsageService | None = None
    evaluation: EvaluationService | None = None
    use_secrets: Callable[[Settings], Awaitable[None]] | None = None
    user_data: UserDataService | None = None
    funding: FundingSearchService | None = None
    gaps: GapService | None = None
    domains: DomainService = field(kw_only=True)
    assistants: AssistantDirectory = field(kw_only=True)
    audit: AuditLog = field(kw_only=True)


class AppState(TypedDict):
    """State of the application's life, as Starlette hands it to each request."""

    services: Services
    metrics: Metrics
    drain: Drain


def services_of(request: Request) -> Services:
    return cast(Services, request.state.services)


async def get_services(request: Request) -> Services:
    return services_of(request)


async def disconnected(request: Request) -> None:
    """Wait until the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def require_json(request: Request) -> None:
    """Refuse a body that is not declared as JSON, which FastAPI would call a wrong value."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise ProblemError(ErrorCode.UNSUPPORTED_MEDIA_TYPE)


async def require_capacity(request: Request) -> None:
    """Refuse what would wait for too long, before any work is done for it."""
    shedder = services_of(request).shedder
    if shedder is None:
        return
    try:
        shedder.check(current_client())
    except ProblemError:
        mark_refusal(request.scope, RefusalCause.SHED)
        raise


async def korean_today() -> date:
    """The day in Korea, wherever the service runs."""
    return korean_day()


class RequireScope(SecurityBase):
    """A dependency that lets only callers with a scope, or with any of several, pass: the middleware has verified the key.

    For the OpenAPI document it is the scheme of the key's header; `routes.openapi` adds the other way to send it."""

    def __init__(self, *scopes: AccessScope) -> None:
        self.scheme_name = KEY_SCHEME
        self.model = APIKey(**{"in": APIKeyIn.header, "name": API_KEY_HEADER})
        self.scopes = frozenset(scopes)
        self._names = " 또는 ".join(scopes)

    async def __call__(self, request: Request) -> ApiClient:
        client: ApiClient = request.state.client
        if self.scopes.isdisjoint(client.scopes):
            raise ProblemError(ErrorCode.FORBIDDEN, f"이 API 키에는 {self._names} 권한이 없습니다.")
        return client


known_client = RequireScope(*AccessScope)
"""The caller, whatever it may do."""


TodayDep = Annotated[date, Depends(korean_today)]
ServicesDep = Annotated[Services, Depends(get_services)]
