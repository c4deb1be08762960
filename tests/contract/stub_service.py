"""A service without a knowledge base, for what happens around the graph. Its behaviour follows the question."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from typing import Any, TypedDict, cast

from langgraph.graph import END, START, StateGraph

from agents.executor import build_executor
from agents.paperwork.generation import DocumentGeneration
from agents.serving.recorded_chat import AnswerMetrics, AnswerTraces, RecordedChat
from routes.dependencies import Services, UserDataService
from schemas.administration.audit import AuditKind, AuditPage, Details
from schemas.administration.domain_trials import DryRun, DryRunRequest, RoutePreview
from schemas.administration.domains import (
    Domain,
    DomainChange,
    DomainEdit,
    DomainFile,
    DomainFiles,
    DomainList,
    PackChange,
    Rejection,
)
from schemas.assistants import AssistantItem, Medium
from schemas.chat import AnswerMeta, ChatRequest, ChatResponse, SourceItem
from schemas.events import DoneEvent, SourceEvent, Stage, StatusEvent, StreamEvent, TokenEvent
from schemas.knowledge.articles import ArticleResults, MissingArticleItem
from schemas.knowledge.pages import ChunkResults, PageAnswer, PageAnswerRequest, PageQuery, WidenedQuery
from schemas.problems import ErrorCode
from schemas.vectordb import (
    CollectionStats,
    DocumentDetail,
    DocumentFilter,
    DocumentList,
    IndexJob,
    IndexVersions,
    JobKind,
    JobList,
    JobState,
    PageSearchRequest,
    PageSearchResults,
    RolledBack,
    SearchResultItem,
    SearchResults,
    StatuteChanges,
    VectorSearchRequest,
    VectorStats,
)
from tests.support.packs import shipped_packs
from utils.administration.audit_records import Actor, AuditFilter, WriteResult
from utils.administration.domain_edits import domain_of, rejection_of
from utils.config.settings import Settings
from utils.http.load_shedding import LoadShedder
from utils.http.problems import ProblemError
from utils.http.rate_limiter import RateLimiter
from utils.observability.health import AVAILABLE, HealthMonitor, Probe, ProbeResult
from utils.observability.telemetry import Telemetry
from utils.resilience.cancellation import cancel_and_wait
from utils.resilience.deadline import DeadlineExceeded
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.jobs.records import Upload

ANSWER = "부가가치세 확정신고는 7월 25일까지입니다[1]."
SOURCE = SourceItem(index=1, title="부가가치세법 제49조", content="25일 이내", source="국가법령정보센터")
SECRET = "/srv/secret/path"


class _State(TypedDict, total=False):
    query: str
    answer: str


class StubExecutor:
    """Answers at once; ``오래`` takes for ever inside a nested graph, ``버그``, ``시간`` and ``중단`` fail."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.stopped = threading.Event()
        self.finished = threading.Event()
        self.received: list[ChatRequest] = []
        self._graph = self._outer_graph()

    async def answer(self, request: ChatRequest, request_id: str, client: str) -> ChatResponse:
        self.received.append(request)
        state = await self._graph.ainvoke({"query": request.message})
        return ChatResponse(
            content=state["answer"],
            domain="finance_tax",
            domains=["finance_tax"],
            kind="consult",
            sources=[SOURCE],
            session_id=request.session_id,
            model="extractive",
            request_id=request_id,
        )

    async def stream(self, request: ChatRequest, request_id: str, client: str) -> AsyncIterator[StreamEvent]:
        yield StatusEvent(stage=Stage.CLASSIFY, label="질문을 살펴보고 있습니다")
        if "도중" in request.message:
            yield TokenEvent(content="부분")
            raise RuntimeError(SECRET)
        run = asyncio.create_task(self.answer(request, request_id, client))
        try:
            response = await asyncio.shield(run)
        finally:
            await cancel_and_wait(run)
        yield SourceEvent(source=SOURCE)
        for word in response.content.split(" "):
            yield TokenEvent(content=word + " ")
        yield DoneEvent(**{name: getattr(response, name) for name in AnswerMeta.model_fields})

    def _outer_graph(self) -> Any:
        inner = StateGraph(_State)
        inner.add_node("work", self._work)
        inner.add_edge(START, "work")
        inner.add_edge("work", END)
        nested = inner.compile()

        async def agent(state: _State) -> _State:
            return cast(_State, await nested.ainvoke(state))

        outer = StateGraph(_State)
        outer.add_node("agent", agent)
        outer.add_edge(START, "agent")
        outer.add_edge("agent", END)
        return outer.compile()

    async def _work(self, state: _State) -> _State:
        query = state["query"]
        if "버그" in query:
            raise RuntimeError(SECRET)
        if "시간" in query:
            raise DeadlineExceeded(SECRET)
        if "중단" in query:
            raise VectorStoreUnavailable(SECRET)
        if "오래" in query:
            self.started.set()
            try:
                await asyncio.sleep(60)
                self.finished.set()
            except asyncio.CancelledError:
                self.stopped.set()
                raise
        return {"answer": ANSWER}


class StubKnowledge:
    """Knowledge of a single collection with a single document."""

    def stats(self) -> VectorStats:
        collection = CollectionStats(key="finance_tax", name="finance_tax_db", documents=1, chunks=1)
        return VectorStats(
            version="v1", embedder="kiwi", tokenizer="kiwi", documents=1, chunks=1, collections=[collection]
        )

    async def search(self, request: VectorSearchRequest) -> SearchResults:
        if "중단" in request.query:
            raise VectorStoreUnavailable(SECRET)
        item = SearchResultItem(
            id="1",
            collection="finance_tax",
            title="부가가치세법 제49조",
            content="25일 이내",
            source="법령",
            relevance=0.9,
            similarity=0.8,
            bm25=3.0,
            found_by=["bm25"],
        )
        return SearchResults(results=[item])

    async def articles(self, reference: str) -> ArticleResults:
        if "제" not in reference:
            return ArticleResults(articles=[], missing=[])
        missing = MissingArticleItem(
            law="부가가치세법", article="제999조", statute_known=True, neighbours=[], detail="없는 조문입니다."
        )
        return ArticleResults(articles=[], missing=[missing])

    async def search_pages(self, request: PageSearchRequest) -> PageSearchResults:
        return PageSearchResults(page_scores=[], file_names={}, pages=[])

    async def documents(
        self, key: str | None, wanted: DocumentFilter, title: str, offset: int, limit: int
    ) -> DocumentList:
        return DocumentList(documents=[], total=0, offset=offset)

    async def document(self, document_id: str, offset: int, limit: int) -> DocumentDetail | None:
        return None


class StubManagement:
    """Takes everything and does nothing."""

    def __init__(self) -> None:
        now = datetime(2026, 11, 21, tzinfo=UTC)
        self._job = IndexJob(id="20261121T000000Z00000000", kind=JobKind.INGEST, state=JobState.QUEUED, created=now)

    def check_room(self, size: int | None = None) -> None:
        return

    async def ingest(self, files: Sequence[Upload], domain: str | None, restore: bool) -> IndexJob:
        return self._job.model_copy(update={"files": [file.name for file in files], "collection": domain})

    async def delete(self, document_id: str, purge: bool) -> IndexJob:
        kind = JobKind.PURGE if purge else JobKind.DELETE
        return self._job.model_copy(update={"kind": kind, "document": document_id})

    async def job(self, job_id: str) -> IndexJob:
        return self._job

    async def jobs(self, count: int) -> JobList:
        return JobList(jobs=[self._job] * min(count, 3))

    async def cancel(self, job_id: str) -> IndexJob:
        return self._job.model_copy(update={"state": JobState.CANCELLED})

    async def versions(self) -> IndexVersions:
        return IndexVersions(versions=[])

    async def rollback(self) -> RolledBack:
        return RolledBack(version="v0", previous="v1")

    async def statute_changes(
        self, before: str | None, after: str | None, offset: int, limit: int, today: date
    ) -> StatuteChanges:
        return StatuteChanges(
            from_version=before or "v0", to_version=after or "v1", counts={}, total=0, offset=offset, changes=[]
        )


class StubDomains:
    """The domain data that ship; every change is taken and none is made."""

    async def overview(self) -> DomainList:
        return DomainList(origin="database", etag="all", domains=[], rejections=[])

    async def domain(self, key: str) -> tuple[Domain, str]:
        found = next((pack for pack in shipped_packs().domains if pack.key == key), None)
        if found is None:
            raise ProblemError(ErrorCode.NOT_FOUND)
        return domain_of(found), "tag"

    async def rejection(self, kind: str) -> tuple[Rejection, str]:
        found = next((pack for pack in shipped_packs().rejections if pack.kind == kind), None)
        if found is None:
            raise ProblemError(ErrorCode.NOT_FOUND)
        return rejection_of(found), "tag"

    async def edit(
        self,
        key: str,
        edit: DomainEdit,
        actor: Actor,
        etags: frozenset[str] | None,
        *,
        creates: bool = False,
        new_collection: bool = False,
    ) -> DomainChange:
        return DomainChange(changed=[PackChange(key=key, kind="replaced", etag="new")], etag="all", in_force=True)

    async def replace_all(
        self, files: Sequence[DomainFile], actor: Actor, etags: frozenset[str], *, new_collection: bool = False
    ) -> DomainChange:
        return DomainChange(changed=[], etag="all", in_force=True)

    async def export(self) -> tuple[DomainFiles, str]:
        return DomainFiles(files=[DomainFile(name="a.toml", content="")]), "all"

    async def dry_run(self, wanted: DryRunRequest) -> DryRun:
        return DryRun(changes=[], sets=[], moved=[], complete=True)

    async def preview(self, question: str) -> RoutePreview:
        raise VectorStoreUnavailable(SECRET)


class StubPages:
    """A page with one chunk, whatever is asked."""

    async def search(self, query: PageQuery) -> ChunkResults:
        return ChunkResults(results=[])

    async def search_page(self, query: WidenedQuery) -> PageSearchResults:
        return PageSearchResults(page_scores=[], file_names={}, pages=[])

    async def answer(self, request: PageAnswerRequest) -> PageAnswer:
        return PageAnswer(content="", context="", pages=[], model="stub")


class StubAssistants:
    """The default assistant alone."""

    def __init__(self, chat: Any) -> None:
        self.chat = chat
        self.pages = StubPages()

    async def check(self, question: ChatRequest) -> None:
        if question.image is not None:
            raise ProblemError(ErrorCode.VALIDATION_FAILED)

    async def transcribed(self, data: bytes) -> str:
        return "부가세는 언제 내나요?"

    def get(self, name: str) -> StubAssistants:
        if name != "bizi":
            raise ProblemError(ErrorCode.NOT_FOUND)
        return self

    def listed(self) -> list[AssistantItem]:
        return [
            AssistantItem(
                name="bizi",
                label="창업·경영 상담",
                description="문서를 근거로 답합니다.",
                is_default=True,
                ready=True,
                takes=[Medium.TEXT],
                abilities=[],
                needs=[],
            )
        ]


class StubAudit:
    """Keeps what was noted; ``broken`` notes nothing."""

    def __init__(self) -> None:
        self.noted: list[tuple[AuditKind, str, str]] = []
        self.broken = False

    @asynccontextmanager
    async def writing(
        self, kind: AuditKind, target: str, actor: Actor, details: Details | None = None
    ) -> AsyncIterator[WriteResult]:
        if self.broken:
            raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE)
        self.noted.append((kind, target, actor.client))
        yield WriteResult()

    async def page(self, wanted: AuditFilter, limit: int) -> AuditPage:
        return AuditPage(entries=[])


class StubServices:
    """A services factory; keeps what a test wants to look at."""

    def __init__(self, probes: tuple[Probe, ...] = (), shedder: LoadShedder | None = None) -> None:
        self.shedder = shedder
        self.user_data: UserDataService | None = None
        self.audit = StubAudit()
        self.chat = StubExecutor()
        self.probes = probes or (Probe("index", _available, required=True),)
        self.closed = threading.Event()

    @asynccontextmanager
    async def __call__(self, settings: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
        monitor = HealthMonitor(self.probes, interval=0.05)
        limiter = RateLimiter.from_settings(settings)
        recorders: list[Any] = [AnswerMetrics(telemetry.metrics), AnswerTraces.from_settings(settings)]
        chat = RecordedChat(cast("Any", self.chat), recorders)
        told = Services(
            chat,
            StubKnowledge(),
            shipped_packs,
            StubManagement(),
            monitor,
            {"llm": "extractive"},
            build_executor(DocumentGeneration()),
            limiter,
            self.shedder,
            user_data=self.user_data,
            domains=StubDomains(),
            audit=self.audit,
            assistants=StubAssistants(chat),
        )
        yield told
        self.closed.set()


async def _available() -> ProbeResult:
    return AVAILABLE
