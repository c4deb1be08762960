"""Wire types of ``/api/documents``: the types of documents with their fields, a request for one, and what a look at it finds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, JsonValue, StrictBool, StringConstraints

from schemas.chat import Strict

PaperFormat = Literal["pdf", "docx", "hwpx"]
PAPER_FORMATS: tuple[PaperFormat, ...] = ("pdf", "docx", "hwpx")


class PaperType(BaseModel):
    """A type of document. ``fields_schema`` is the JSON Schema of ``fields`` in a request for it."""

    type: str
    label: str
    description: str
    formats: list[PaperFormat]
    laws: list[str] = Field(description="근거 조문.")
    guidance: list[str] = Field(description="쓸 때와 쓴 뒤에 알아 둘 것.")
    drafted_fields: list[str] = Field(description="`draft`를 켜면 모델이 초안을 쓰는 칸.")
    fields_schema: dict[str, Any]


class PaperTypeList(BaseModel):
    """All types of documents."""

    types: list[PaperType]


class PaperRequest(Strict):
    """A document to write. A field left out, null or empty stays a blank to fill in by hand."""

    type: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,47}$")] = Field(
        description="문서의 종류: GET /api/documents/types의 type.",
        json_schema_extra={"examples": ["employment_contract"]},
    )
    format: PaperFormat = Field("docx", description="파일 형식. pdf는 문서 패키지를 설치한 서버에서 됩니다.")
    fields: dict[str, JsonValue] = Field(
        default_factory=dict, description="칸의 이름과 값: GET /api/documents/types의 fields_schema를 따릅니다."
    )
    dry_run: StrictBool = Field(
        False, description="true이면 파일을 만들지 않고 확인할 것과 빈 필수 사항만 알려 줍니다."
    )
    draft: StrictBool = Field(
        False,
        description="true이면 비어 있는 서술 칸(drafted_fields)의 초안을 모델이 씁니다. 모델이 없으면 빈칸으로 둡니다.",
    )


class PaperNote(BaseModel):
    """A warning, or a demanded item that is blank: the field, a sentence or its label, and the article."""

    path: str = Field(description="칸의 위치(fields.wage처럼).")
    message: str
    article: str


class PaperCheck(BaseModel):
    """The result of a dry run: the document can be written, and this is what its parties should know."""

    type: str
    title: str
    file_name: str
    warnings: list[PaperNote] = Field(description="쓰기 전에 확인할 것.")
    missing: list[PaperNote] = Field(description="법이 적으라고 정했는데 비어 있는 것. 문서에는 밑줄로 남습니다.")
    drafted: list[str] = Field(description="모델이 초안을 쓴 칸.")
