"""``/api/assistants/{name}/search``: the chunks and pages of an assistant's PDF documents, and answers from them."""

from __future__ import annotations

from typing import TypeVar

from fastapi import APIRouter, Depends, Response

from routes.assistants.assistants import AssistantDep
from routes.dependencies import RequireScope, require_capacity, require_json
from routes.openapi import problem_responses
from schemas.knowledge.pages import ChunkResults, PageAnswer, PageAnswerRequest, PageQuery, WidenedQuery
from schemas.problems import ErrorCode
from schemas.vectordb import PageSearchResults
from utils.http.access import AccessScope
from utils.sanitizing.sanitize import clean_text

Query = TypeVar("Query", bound=PageQuery)

router = APIRouter(
    prefix="/api/assistants/{name}/search",
    tags=["assistants"],
    dependencies=[Depends(RequireScope(AccessScope.CHAT)), Depends(require_json), Depends(require_capacity)],
    responses=problem_responses(ErrorCode.NOT_FOUND, body=True),
)


@router.post("", summary="한 비서의 PDF에서 가까운 조각", response_model=ChunkResults)
async def search(query: PageQuery, assistant: AssistantDep) -> Response:
    """The chunks of its pages that are nearest to a query."""
    return _json(await assistant.pages.search(_cleaned(query)))


@router.post("/pages", summary="한 비서의 PDF를 쪽으로 검색", response_model=PageSearchResults)
async def search_pages(query: WidenedQuery, assistant: AssistantDep) -> Response:
    """The pages of the nearest chunks and those around them, each with its whole text."""
    return _json(await assistant.pages.search_page(_cleaned(query)))


@router.post("/answer", summary="고른 쪽이나 조각에서 답하기", response_model=PageAnswer)
async def answer(request: PageAnswerRequest, assistant: AssistantDep) -> Response:
    """An answer from the pages chosen, or from those that are found."""
    return _json(await assistant.pages.answer(_cleaned(request)))


def _cleaned(query: Query) -> Query:
    return query.model_copy(update={"query": clean_text(query.query)})


def _json(found: ChunkResults | PageSearchResults | PageAnswer) -> Response:
    return Response(found.model_dump_json(), media_type="application/json")
