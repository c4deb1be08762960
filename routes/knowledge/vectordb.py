"""``/api/vectordb``: what the knowledge base holds, and plain searches in it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from routes.dependencies import RequireScope, Services, ServicesDep, require_capacity, require_json
from routes.openapi import problem_responses
from schemas.chat import ShortText
from schemas.problems import ErrorCode, FieldProblem
from schemas.vectordb import (
    CollectionKey,
    CollectionList,
    DocumentDetail,
    DocumentFilter,
    DocumentKind,
    DocumentList,
    PageSearchRequest,
    PageSearchResults,
    SearchResults,
    VectorSearchRequest,
    VectorStats,
)
from utils.http.access import AccessScope
from utils.http.problems import ProblemError
from utils.sanitizing.sanitize import clean_text

router = APIRouter(prefix="/api/vectordb", tags=["vectordb"], dependencies=[Depends(RequireScope(AccessScope.CHAT))])

_MOST_OFFSET = 10_000_000


@router.get("/stats", summary="지식베이스의 크기와 버전", responses=problem_responses())
async def stats(services: ServicesDep) -> VectorStats:
    """Sizes and identities of the index version in use."""
    return services.knowledge.stats()


@router.get("/collections", summary="컬렉션 목록", responses=problem_responses())
async def collections(services: ServicesDep) -> CollectionList:
    """All collections with their sizes."""
    return CollectionList(collections=services.knowledge.stats().collections)


@router.post(
    "/search",
    summary="지식베이스 검색",
    response_model=SearchResults,
    dependencies=[Depends(require_json), Depends(require_capacity)],
    responses=problem_responses(body=True),
)
async def search(query: VectorSearchRequest, services: ServicesDep) -> Response:
    """Passages for a query, of one collection or of all."""
    _require_collection(query.collection, services)
    found = await services.knowledge.search(query.model_copy(update={"query": clean_text(query.query)}))
    return Response(found.model_dump_json(), media_type="application/json")


@router.post(
    "/search/pages",
    summary="PDF 문서를 쪽으로 검색",
    response_model=PageSearchResults,
    dependencies=[Depends(require_json), Depends(require_capacity)],
    responses=problem_responses(body=True),
)
async def search_pages(query: PageSearchRequest, services: ServicesDep) -> Response:
    """The pages of PDF documents that answer a query and those around them, each with its whole text."""
    _require_collection(query.collection, services)
    found = await services.knowledge.search_pages(query.model_copy(update={"query": clean_text(query.query)}))
    return Response(found.model_dump_json(), media_type="application/json")


@router.get("/documents", summary="문서 목록", responses=problem_responses(ErrorCode.VALIDATION_FAILED))
async def documents(
    services: ServicesDep,
    collection: Annotated[CollectionKey | None, Query(description="한 컬렉션만; 비우면 모두.")] = None,
    title: Annotated[ShortText, Query(description="제목에 들어 있는 말.")] = "",
    source: Annotated[ShortText | None, Query(min_length=1, description="출처의 이름, 그대로.")] = None,
    doc_type: Annotated[DocumentKind | None, Query(description="문서의 종류.")] = None,
    offset: Annotated[int, Query(ge=0, le=_MOST_OFFSET, description="건너뛸 문서 수.")] = 0,
    limit: Annotated[int, Query(ge=1, le=200, description="문서 수.")] = 50,
) -> DocumentList:
    """A page of the documents of the index, by collection and in the order in which they were read."""
    _require_collection(collection, services)
    wanted = DocumentFilter(source=source, doc_type=[doc_type] if doc_type else None)
    return await services.knowledge.documents(collection, wanted, title, offset, limit)


@router.get(
    "/documents/{document_id:path}",
    summary="문서 하나",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.VALIDATION_FAILED),
)
async def document(
    document_id: Annotated[str, Path(min_length=1, max_length=512, description="PDF는 파일 전체의 id도 됩니다.")],
    services: ServicesDep,
    offset: Annotated[int, Query(ge=0, le=_MOST_OFFSET, description="건너뛸 글 수.")] = 0,
    limit: Annotated[int, Query(ge=1, le=200, description="글 수.")] = 100,
) -> DocumentDetail:
    """A document with its passages."""
    found = await services.knowledge.document(document_id, offset, limit)
    if found is None:
        raise ProblemError(ErrorCode.NOT_FOUND, "그런 문서가 없습니다.")
    return found


def _require_collection(key: str | None, services: Services) -> None:
    """Refuse the key of a domain that there is not, or not any more."""
    if key is not None and key not in services.packs().keys():  # noqa: SIM118 - a method that gives the keys in their order
        problem = FieldProblem(path="collection", message="허용된 값이 아닙니다.")
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem])
