"""``/api/documents``: the types of documents, and the documents themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request, Response
from fastapi.exceptions import RequestValidationError

from agents.paperwork.generation import FIELDS, GeneratedDocument
from routes.dependencies import RequireScope, ServicesDep, TodayDep, require_capacity, require_json
from routes.openapi import Responses, problem_responses
from schemas.chat import ActionType
from schemas.paperwork import PAPER_FORMATS, PaperCheck, PaperRequest, PaperType, PaperTypeList
from schemas.problems import ErrorCode, FieldProblem
from utils.http.access import AccessScope
from utils.http.downloads import attachment
from utils.http.problems import ProblemError
from utils.observability.metrics import Metrics, PaperOutcome
from utils.paperwork.preparation.preparation import DocumentRefused, FieldsInvalid, UnknownDocumentType
from utils.paperwork.rendering.formats import DocumentFormat, FormatUnavailable, UnwritableDocument
from utils.paperwork.templates.template import Template, shipped_templates

router = APIRouter(
    prefix="/api/documents", tags=["documents"], dependencies=[Depends(RequireScope(AccessScope.DOCUMENTS))]
)

WARNINGS_HEADER, MISSING_HEADER, DRAFTED_HEADER = "X-Document-Warnings", "X-Document-Missing", "X-Document-Drafted"
DOCUMENT_HEADERS = ("Content-Disposition", WARNINGS_HEADER, MISSING_HEADER, DRAFTED_HEADER)
_UNKNOWN_TYPE = "알 수 없는 문서 종류입니다. GET /api/documents/types에 있는 type이어야 합니다."

_BINARY = {"schema": {"type": "string", "format": "binary"}}
FILE_RESPONSES: Responses = {
    200: {
        "description": "문서 파일. dry_run이면 확인 결과(JSON)입니다.",
        "model": PaperCheck,
        "content": {kind.media_type: _BINARY for kind in DocumentFormat},
        "headers": {
            "Content-Disposition": {
                "description": "RFC 6266: filename*에 한국어 이름이 있습니다.",
                "schema": {"type": "string"},
            },
            WARNINGS_HEADER: {
                "description": "확인할 것의 수. 내용은 dry_run으로 봅니다.",
                "schema": {"type": "integer"},
            },
            MISSING_HEADER: {"description": "비어 있는 법정 기재사항의 수.", "schema": {"type": "integer"}},
            DRAFTED_HEADER: {
                "description": "모델이 초안을 쓴 칸의 이름(쉼표로 나눔).",
                "schema": {"type": "string"},
            },
        },
    },
    **problem_responses(body=True),
}
_EXAMPLE = {
    "type": "employment_contract",
    "format": "docx",
    "fields": {
        "kind": "part_time",
        "employer_name": "온기카페",
        "worker_name": "한지우",
        "start_date": "2026-12-01",
        "weekly_hours": 20,
        "wage_type": "hourly",
        "wage": 11000,
    },
}


@router.get("/types", summary="문서의 종류와 칸", responses=problem_responses())
async def document_types() -> PaperTypeList:
    """All types of documents with the JSON Schema of their fields."""
    return PaperTypeList(types=[_paper_type(template) for template in shipped_templates().values()])


@router.post(
    "/generate",
    summary="문서 만들기",
    response_class=Response,
    responses=FILE_RESPONSES,
    dependencies=[Depends(require_json), Depends(require_capacity)],
)
async def generate_document(
    request: Request,
    services: ServicesDep,
    today: TodayDep,
    paper: Annotated[PaperRequest, Body(openapi_examples={"알바 근로계약서": {"value": _EXAMPLE}})],
) -> Response:
    """A document of the fields given; the rest stays blank. What breaks the law is refused with field and article."""

    async def work() -> GeneratedDocument:
        result = await services.actions.execute(ActionType.DOCUMENT_GENERATION, paper.model_dump(), today)
        assert isinstance(result, GeneratedDocument)
        return result

    return await document_response(paper, work, request.state.metrics)


async def document_response(
    paper: PaperRequest, work: Callable[[], Awaitable[GeneratedDocument]], metrics: Metrics
) -> Response:
    """Return the file, or the result of a dry run, and count how it ended.

    Raises:
        ProblemError: the document cannot be written as it was asked for.
        RequestValidationError: the fields are not those of the type.
    """
    outcome = PaperOutcome.FAILED
    try:
        made = await work()
        outcome = PaperOutcome.CHECKED if made.file is None else PaperOutcome.WRITTEN
        return _response(made)
    except UnknownDocumentType as error:
        outcome = PaperOutcome.INVALID
        raise _invalid(FieldProblem(path="type", message=_UNKNOWN_TYPE)) from error
    except FieldsInvalid as invalid:
        outcome = PaperOutcome.INVALID
        errors = [{**error, "loc": ("body", FIELDS, *error["loc"])} for error in invalid.errors]
        raise RequestValidationError(errors) from invalid
    except DocumentRefused as refused:
        outcome = PaperOutcome.REFUSED
        found = [
            FieldProblem(
                path=f"{FIELDS}.{finding.path}",
                message=f"{finding.message} ({finding.article})" if finding.article else finding.message,
            )
            for finding in refused.findings
        ]
        raise _invalid(*found) from refused
    except UnwritableDocument as error:
        outcome = PaperOutcome.INVALID
        raise _invalid(FieldProblem(path=FIELDS, message=error.message)) from error
    except FormatUnavailable as error:
        raise ProblemError(ErrorCode.SERVICE_UNAVAILABLE, error.message) from error
    finally:
        known = paper.type if paper.type in shipped_templates() else "-"
        metrics.documents.labels(known, paper.format, outcome.value).inc()


def _invalid(*errors: FieldProblem) -> ProblemError:
    return ProblemError(ErrorCode.VALIDATION_FAILED, errors=errors)


def _response(made: GeneratedDocument) -> Response:
    check = made.check
    headers = {
        "Cache-Control": "no-store",  # names and wages
        WARNINGS_HEADER: str(len(check.warnings)),
        MISSING_HEADER: str(len(check.missing)),
        DRAFTED_HEADER: ",".join(check.drafted),
    }
    if made.file is None:
        return Response(check.model_dump_json(), media_type="application/json", headers=headers)
    stem = check.file_name.removesuffix(f".{made.file.extension}")
    headers["Content-Disposition"] = attachment(stem, made.file.extension, plain=check.type)
    return Response(made.file.content, media_type=made.file.media_type, headers=headers)


def _paper_type(template: Template) -> PaperType:
    return PaperType(
        type=template.key,
        label=template.label,
        description=template.description,
        formats=list(PAPER_FORMATS),
        laws=list(template.laws),
        guidance=list(template.guidance),
        drafted_fields=[field.name for field in template.drafted_fields],
        fields_schema=template.model.model_json_schema(),
    )
