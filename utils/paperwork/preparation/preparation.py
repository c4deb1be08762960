"""The one way to a document: validate the fields, look them over by the rules, compute, and write the blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from pydantic import ValidationError

from utils.paperwork.layout import PaperDocument
from utils.paperwork.preparation.computed import ComputationRefused, computed_values
from utils.paperwork.rules.findings import Finding, Severity
from utils.paperwork.rules.registry import findings_of
from utils.paperwork.templates.field_types import FieldsModel
from utils.paperwork.templates.statutory import MissingItem, missing_items
from utils.paperwork.templates.template import Template, shipped_templates
from utils.paperwork.templates.values import printed_values
from utils.paperwork.templates.writing import written


class UnknownDocumentType(LookupError):
    """There is no template of that key."""


class FieldsInvalid(ValueError):
    """The fields are not those of the type; ``errors`` are pydantic's, their places within the fields."""

    def __init__(self, errors: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(f"{len(errors)} invalid fields")
        self.errors = tuple(errors)


class DocumentRefused(ValueError):
    """The fields break rules of law; ``findings`` are those that keep the document from being written."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with what its parties should know: warnings, and demanded items that are still blank."""

    document: PaperDocument
    warnings: tuple[Finding, ...]
    missing: tuple[MissingItem, ...]


def template_of(key: str) -> Template:
    """Return the template of a type.

    Raises:
        UnknownDocumentType: there is none.
    """
    try:
        return shipped_templates()[key]
    except KeyError as error:
        raise UnknownDocumentType(key) from error


def validated_fields(key: str, fields: Mapping[str, Any]) -> FieldsModel:
    """Return the fields of a type as its model.

    Raises:
        UnknownDocumentType: there is no such type.
        FieldsInvalid: a field is unknown, missing or out of bounds.
    """
    template = template_of(key)
    try:
        return template.model.model_validate(dict(fields))
    except ValidationError as error:
        raise FieldsInvalid(cast("Sequence[Mapping[str, Any]]", error.errors())) from error


def prepared(key: str, values: FieldsModel, today: date, drafted: Sequence[str] = ()) -> PreparedDocument:
    """Return the document of validated values; ``drafted`` names the fields whose text a model wrote.

    Raises:
        UnknownDocumentType: there is no such type.
        DocumentRefused: the values break rules of law.
    """
    template = template_of(key)
    findings = findings_of(key, values, today)
    if errors := [finding for finding in findings if finding.severity is Severity.ERROR]:
        raise DocumentRefused(errors)
    try:
        computed = computed_values(key, values, today)
    except ComputationRefused as refused:
        raise DocumentRefused([refused.finding]) from refused
    context = {**printed_values(template.fields, values), **computed}
    return PreparedDocument(written(template, context, tuple(drafted)), findings, missing_items(template, values))
