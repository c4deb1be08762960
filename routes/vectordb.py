"""``/api/vectordb``: what the knowledge base holds, and plain searches in it."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Response

from routes.dependencies import RequireScope, Services, ServicesDep, require_capacity, require_json
from routes.openapi import problem_responses
from schemas.problems import ErrorCode, FieldProblem
from schemas.vectordb import (
    CollectionList,
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


def _require_collection(key: str | None, services: Services) -> None:
    """Refuse the key of a domain that there is not, or not any more."""
    if key is not None and key not in services.packs().keys():  # noqa: SIM118 - a method that gives the keys in their order
        problem = FieldProblem(path="collection", message="허용된 값이 아닙니다.")
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem])
