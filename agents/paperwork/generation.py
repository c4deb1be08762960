"""Generation of a document: the handler of the action `document_generation`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Protocol, TypeVar

from pydantic import ValidationError

from schemas.paperwork import PaperCheck, PaperNote, PaperRequest
from utils.paperwork.preparation.preparation import PreparedDocument, prepared, template_of, validated_fields
from utils.paperwork.rendering.formats import DocumentFormat, RenderedFile
from utils.paperwork.rendering.render import render
from utils.paperwork.rules.findings import Finding, warning
from utils.paperwork.templates.field_types import FieldsModel
from utils.paperwork.templates.template import Template

Result = TypeVar("Result")

FIELDS = "fields"
_NO_DRAFT = "모델을 쓸 수 없어 서술 칸의 초안을 쓰지 못했습니다. 빈칸으로 두었습니다."


class Drafter(Protocol):
    """Writes sections by a model; see `agents.paperwork.drafting.SectionDrafter`."""

    async def drafts(self, template: Template, values: FieldsModel) -> dict[str, str]: ...


@dataclass(frozen=True, slots=True)
class GeneratedDocument:
    """The check of a document, and its file; None after a dry run."""

    check: PaperCheck
    file: RenderedFile | None


class DocumentGeneration:
    """Checks, drafts, writes and renders documents; CPU-bound work runs in ``pool`` (threads shared fairly), never on the event loop."""

    def __init__(self, pool: Executor | None = None, drafter: Drafter | None = None) -> None:
        self._pool = pool
        self._drafter = drafter

    async def generate(self, request: PaperRequest, today: date) -> GeneratedDocument:
        """Return the document that a request asks for.

        Raises:
            UnknownDocumentType: there is no such type.
            FieldsInvalid: the fields are not those of the type.
            DocumentRefused: the fields break rules of law.
            UnwritableDocument: the text cannot be written whole.
            FormatUnavailable: what writes the format is not installed.
        """
        template = template_of(request.type)
        values = await self._in_pool(partial(validated_fields, request.type, request.fields))
        if request.draft:  # a document that would be refused is not worth a call of the model
            await self._in_pool(partial(prepared, request.type, values, today))
        values, drafted, notes = await self._with_drafts(template, values, wanted=request.draft)
        found = await self._in_pool(partial(prepared, request.type, values, today, drafted))
        check = _check(request, found, drafted, notes)
        if request.dry_run:
            return GeneratedDocument(check, None)
        file = await self._in_pool(partial(render, found.document, DocumentFormat(request.format)))
        return GeneratedDocument(check, file)

    async def _with_drafts(
        self, template: Template, values: FieldsModel, *, wanted: bool
    ) -> tuple[FieldsModel, tuple[str, ...], tuple[Finding, ...]]:
        empty = [field for field in template.drafted_fields if getattr(values, field.name) is None]
        if not wanted or not empty:
            return values, (), ()
        texts = await self._drafter.drafts(template, values) if self._drafter is not None else {}
        kept: dict[str, str] = {}
        for name, text in texts.items():
            limit = int(next(field.max or len(text) for field in empty if field.name == name))
            try:
                template.model.model_validate({**_required(template, values), name: text[:limit]})
            except ValidationError:  # what a user may not write, a model may not
                continue
            kept[name] = text[:limit]
        if not kept:
            return values, (), (warning(empty[0].name, _NO_DRAFT),)
        return values.model_copy(update=kept), tuple(kept), ()

    async def _in_pool(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(copy_context().run, work))


def _required(template: Template, values: FieldsModel) -> dict[str, object]:
    names = [field.name for field in template.fields if field.required]
    return values.model_dump(mode="json", include=set(names))


def _check(
    request: PaperRequest, found: PreparedDocument, drafted: tuple[str, ...], notes: tuple[Finding, ...]
) -> PaperCheck:
    return PaperCheck(
        type=request.type,
        title=found.document.title,
        file_name=f"{found.document.file_stem}.{request.format}",
        warnings=[
            PaperNote(path=f"{FIELDS}.{finding.path}", message=finding.message, article=finding.article)
            for finding in (*notes, *found.warnings)
        ],
        missing=[
            PaperNote(path=f"{FIELDS}.{item.path}", message=item.label, article=item.article) for item in found.missing
        ],
        drafted=list(drafted),
    )
