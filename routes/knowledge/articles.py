"""``/api/articles``: statute articles by the way people cite them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from routes.dependencies import RequireScope, ServicesDep
from routes.openapi import problem_responses
from schemas.knowledge.articles import LONGEST_REFERENCE, ArticleResults
from schemas.problems import ErrorCode, FieldProblem
from utils.http.access import AccessScope
from utils.http.problems import ProblemError
from utils.sanitizing.sanitize import clean_text

router = APIRouter(prefix="/api", tags=["vectordb"], dependencies=[Depends(RequireScope(AccessScope.CHAT))])

_NO_CITATION = "법 이름과 조문을 함께 적어 주세요. 예: 근로기준법 제26조"

Reference = Annotated[
    str,
    Query(
        min_length=1,
        max_length=LONGEST_REFERENCE,
        description="법과 조문. 줄임말, 항·호와 여러 조문도 됩니다.",
        examples=["근로기준법 제26조"],
    ),
]


@router.get("/articles", summary="법 조문 찾기", responses=problem_responses(ErrorCode.VALIDATION_FAILED))
async def articles(reference: Reference, services: ServicesDep) -> ArticleResults:
    """The text of cited articles, and which of them the knowledge base does not have; short names and any spacing are read."""
    found = await services.knowledge.articles(clean_text(reference))
    if not found.articles and not found.missing:
        problem = FieldProblem(path="reference", message=_NO_CITATION)
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=[problem])
    return found
