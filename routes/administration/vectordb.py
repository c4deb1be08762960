"""``/api/vectordb``: changing the knowledge base. Everything here needs the admin scope.

A body is read only once the caller, its type and the queue have been found fit, and never beyond ``MAX_UPLOAD_BYTES``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from routes.administration.conditions import ActorDep
from routes.dependencies import RequireScope, ServicesDep, korean_today
from routes.openapi import problem_responses
from schemas.administration.audit import AuditKind, Details
from schemas.problems import ErrorCode, FieldProblem
from schemas.vectordb import DOMAIN_KEY, IndexJob, IndexVersions, JobList, RolledBack, StatuteChanges, VersionName
from utils.administration.audit_records import target_of_document
from utils.http.access import AccessScope
from utils.http.problems import ProblemError
from utils.sanitizing.sanitize import printable
from vectorstores.collections import Collections
from vectorstores.errors import IngestError
from vectorstores.jobs.records import Upload

router = APIRouter(prefix="/api/vectordb", tags=["vectordb"], dependencies=[Depends(RequireScope(AccessScope.ADMIN))])

UPLOAD_PATH = "/api/vectordb/ingest"
_MAX_FILES = 20
_MAX_FIELD_BYTES = 1024
_LONGEST_LENGTH = 16  # digits; the body limit has refused what is more
_MAX_JOBS = 200
_MAX_CHANGES = 500
_MAX_OFFSET = 1_000_000
_FIELDS = frozenset({"files", "collection", "restore"})
_BOOLEANS = {"true": True, "false": False}
_JOB: dict[str, Any] = {
    "id": "20261121T093000Z5f0c1d2e",
    "kind": "ingest",
    "state": "queued",
    "created": "2026-11-21T09:30:00Z",
    "files": ["연말정산 안내.pdf"],
    "collection": "finance_tax",
}
_ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "작업을 받았습니다. Location 주소에서 진행을 봅니다.",
        "headers": {"Location": {"schema": {"type": "string"}, "description": "작업의 주소"}},
        "content": {"application/json": {"example": _JOB}},
    }
}
_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "additionalProperties": False,
                    "properties": {
                        "files": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": _MAX_FILES,
                            "items": {"type": "string", "format": "binary"},
                            "description": "답변 단위(.md, .tar.gz), JSONL, PDF, 법령·판례 Markdown(.md, .tar.gz), 안내문(.md, .txt)",
                        },
                        "collection": {
                            "type": "string",
                            "format": DOMAIN_KEY,
                            "description": "넣을 컬렉션. PDF와 안내문에는 필요합니다.",
                        },
                        "restore": {
                            "type": "boolean",
                            "default": False,
                            "description": "이 파일들에서 전에 지운 문서도 다시 넣습니다.",
                        },
                    },
                }
            }
        },
    }
}


@dataclass(frozen=True, slots=True)
class IngestForm:
    """A checked upload."""

    files: tuple[Upload, ...]
    domain: str | None
    restore: bool


async def read_form(request: Request, services: ServicesDep) -> AsyncIterator[IngestForm]:
    """The upload; its temporary files go with the request."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    declared = request.headers.get("content-length", "")
    if media_type != "multipart/form-data":
        raise ProblemError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Content-Type은 multipart/form-data여야 합니다.")
    services.management.check_room(int(declared) if declared.isdecimal() and len(declared) < _LONGEST_LENGTH else 0)
    limits = {"max_files": _MAX_FILES, "max_fields": len(_FIELDS) + 1, "max_part_size": _MAX_FIELD_BYTES}
    try:
        form = await request.form(**limits)
    except HTTPException as error:
        if error.status_code != 400:
            raise
        detail = f"올린 내용을 읽을 수 없습니다. 파일은 {_MAX_FILES}개까지 files 항목에 넣어 주세요."
        raise ProblemError(ErrorCode.MALFORMED_REQUEST, detail) from error
    try:
        yield _checked(form, Collections(services.packs()))
    finally:
        await form.close()


def _checked(form: FormData, collections: Collections) -> IngestForm:
    problems = [
        FieldProblem(path=printable(name, 100), message="알 수 없는 항목입니다.")
        for name in form
        if name not in _FIELDS
    ]
    given = form.getlist("files")
    files = tuple(Upload(part.filename or "", part.file) for part in given if isinstance(part, UploadFile))
    if not files or len(files) < len(given):
        problems.append(FieldProblem(path="files", message="파일이 필요합니다."))
    domain = None
    if (key := form.get("collection") or None) is not None:
        try:
            domain = collections.find(key if isinstance(key, str) else "").domain
        except IngestError:
            problems.append(FieldProblem(path="collection", message="허용된 값이 아닙니다."))
    restore = form.get("restore") or "false"
    if restore not in _BOOLEANS:
        problems.append(FieldProblem(path="restore", message="true 또는 false여야 합니다."))
    if problems:
        raise ProblemError(ErrorCode.VALIDATION_FAILED, errors=problems)
    return IngestForm(files, domain, _BOOLEANS[str(restore)])


@router.post(
    "/ingest",
    summary="문서를 올려 지식베이스에 넣는다",
    status_code=202,
    response_model=IndexJob,
    responses={**_ACCEPTED, **problem_responses(ErrorCode.CONFLICT, body=True)},
    openapi_extra=_FORM,
)
async def ingest(
    request: Request,
    response: Response,
    form: Annotated[IngestForm, Depends(read_form)],
    services: ServicesDep,
    actor: ActorDep,
) -> IndexJob:
    """Keep the files and queue a job that reads them. Documents are replaced by id, pages of a PDF by the file."""
    told: Details = {"files": len(form.files), "restore": form.restore}
    async with services.audit.writing(AuditKind.INDEX_INGEST, form.domain or "index", actor, told) as result:
        job = await services.management.ingest(form.files, form.domain, form.restore)
        result.details["job"] = job.id
    response.headers["Location"] = _address(request, job)
    return job


@router.get(
    "/jobs/{job_id}",
    name="index_job",
    summary="색인 작업의 상태",
    responses={
        200: {"content": {"application/json": {"example": {**_JOB, "state": "done", "added": 426}}}},
        **problem_responses(ErrorCode.NOT_FOUND, ErrorCode.VALIDATION_FAILED),
    },
)
async def index_job(job_id: str, services: ServicesDep) -> IndexJob:
    """queued, running, done, failed or cancelled, with counts and what could not be read, by file and line."""
    return await services.management.job(job_id)


@router.get("/jobs", summary="최근 색인 작업", responses=problem_responses(ErrorCode.VALIDATION_FAILED))
async def index_jobs(
    services: ServicesDep,
    limit: Annotated[int, Query(ge=1, le=_MAX_JOBS, description="작업 수, 최근 것부터.")] = 20,
) -> JobList:
    """The latest jobs, the youngest first."""
    return await services.management.jobs(limit)


@router.post(
    "/jobs/{job_id}/cancel",
    summary="색인 작업을 취소한다",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.VALIDATION_FAILED),
)
async def cancel_job(job_id: str, services: ServicesDep, actor: ActorDep) -> IndexJob:
    """Take a job out of the queue, or stop it; its record stays. One that is done in that moment stays done."""
    async with services.audit.writing(AuditKind.INDEX_CANCEL, "index", actor, {"job": job_id}):
        return await services.management.cancel(job_id)


@router.delete(
    "/documents/{document_id:path}",
    summary="문서를 지운다",
    status_code=202,
    response_model=IndexJob,
    responses={**_ACCEPTED, **problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.VALIDATION_FAILED)},
)
async def delete_document(
    request: Request,
    response: Response,
    document_id: Annotated[str, Path(min_length=1, max_length=512, description="PDF는 파일 전체의 id도 됩니다.")],
    services: ServicesDep,
    actor: ActorDep,
    purge: Annotated[
        bool,
        Query(
            description="흔적 없이 파기합니다: 이전 버전, 올린 파일, 캐시, 작업 기록에서도 없애고 되돌릴 수 없습니다."
        ),
    ] = False,
) -> IndexJob:
    """Queue a job that removes a document; the same file does not bring it back. With ``purge`` nothing can."""
    kind = AuditKind.INDEX_PURGE if purge else AuditKind.INDEX_DELETE
    async with services.audit.writing(kind, target_of_document(document_id), actor) as result:
        job = await services.management.delete(document_id, purge)
        result.details["job"] = job.id
    response.headers["Location"] = _address(request, job)
    return job


@router.get("/versions", summary="보관하는 색인 버전", responses=problem_responses())
async def index_versions(services: ServicesDep) -> IndexVersions:
    """The version in use and the one that a rollback goes to, each with its size and what it was made with."""
    return await services.management.versions()


@router.post("/rollback", summary="바로 전 색인 버전으로 되돌린다", responses=problem_responses(ErrorCode.CONFLICT))
async def rollback(services: ServicesDep, actor: ActorDep) -> RolledBack:
    """Use the index version before the current one; once more returns to the current one."""
    async with services.audit.writing(AuditKind.INDEX_ROLLBACK, "index", actor) as result:
        back = await services.management.rollback()
        result.before, result.after = back.previous, back.version
        return back


@router.get(
    "/statute-changes",
    summary="두 색인 버전 사이에 바뀐 법령 조문",
    responses=problem_responses(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.VALIDATION_FAILED),
)
async def statute_changes(
    services: ServicesDep,
    today: Annotated[date, Depends(korean_today)],
    before: Annotated[VersionName | None, Query(alias="from", description="비어 있으면 바로 전 버전.")] = None,
    after: Annotated[VersionName | None, Query(alias="to", description="비어 있으면 지금 버전.")] = None,
    offset: Annotated[int, Query(ge=0, le=_MAX_OFFSET, description="건너뛸 조문 수.")] = 0,
    limit: Annotated[int, Query(ge=1, le=_MAX_CHANGES, description="조문 수.")] = 100,
) -> StatuteChanges:
    """Articles added, amended, repealed or still to take effect, with the answer units that cite them."""
    return await services.management.statute_changes(before, after, offset, limit, today)


def _address(request: Request, job: IndexJob) -> str:
    return request.url_for("index_job", job_id=job.id).path
