"""``/api/domains/…``: the domain data as files, and trying out changes and questions before anything is stored."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Response

from routes.administration.conditions import ActorDep, SeenTags, require_admin, tagged
from routes.administration.domains import JSON_BODY, NewCollection, write_responses
from routes.dependencies import ServicesDep, require_capacity
from routes.openapi import problem_responses
from schemas.administration.domain_trials import DryRun, DryRunRequest, PreviewRequest, RoutePreview
from schemas.administration.domains import DomainChange, DomainFiles
from schemas.problems import ErrorCode
from utils.sanitizing.sanitize import clean_text

router = APIRouter(prefix="/api/domains", tags=["domains"], dependencies=[Depends(require_admin)])

DATA_FILES_PATH = "/api/domains/data-files"
DRY_RUN_PATH = "/api/domains/dry-run"
MAX_BODY_BYTES = 2_097_152
"""Of all domain data in one body, with the questions to try them on: fifteen times what ships."""


@router.get("/data-files", summary="분야 정보를 파일로 내보낸다", responses=problem_responses())
async def export_files(response: Response, services: ServicesDep) -> DomainFiles:
    """All domain data as the files that ship (TOML). What has not been edited keeps its comments."""
    files, etag = await services.domains.export()
    tagged(response, etag)
    return files


@router.put(
    "/data-files", summary="파일로 분야 정보를 모두 바꾼다", dependencies=JSON_BODY, responses=write_responses()
)
async def import_files(
    given: DomainFiles,
    response: Response,
    services: ServicesDep,
    actor: ActorDep,
    seen: SeenTags,
    new_collection: NewCollection = False,
) -> DomainChange:
    """Put files in place of all domain data, whole or not at all; what no file is of goes."""
    change = await services.domains.replace_all(given.files, actor, seen, new_collection=new_collection)
    tagged(response, change.etag)
    return change


@router.post(
    "/dry-run",
    summary="바꾸면 어떤 질문의 분야가 달라지는지 본다",
    dependencies=[*JSON_BODY, Depends(require_capacity)],
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, body=True),
)
async def dry_run(wanted: DryRunRequest, services: ServicesDep) -> DryRun:
    """Try a change on representative questions, phrasings of the documents, logged questions and others; nothing is stored."""
    questions = [clean_text(question) for question in wanted.questions]
    return await services.domains.dry_run(wanted.model_copy(update={"questions": questions}))


@router.post(
    "/route-preview",
    summary="질문이 어느 분야로 가는지, 왜 그런지 본다",
    dependencies=[*JSON_BODY, Depends(require_capacity)],
    responses=problem_responses(body=True),
)
async def route_preview(asked: PreviewRequest, services: ServicesDep) -> RoutePreview:
    """The domains of a question by the data in force, with scores, matched words and the nearest representative questions."""
    return await services.domains.preview(clean_text(asked.question))
