"""Samples of documents, and what the rules find in changed ones."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from utils.config.settings import PROJECT_ROOT
from utils.paperwork.layout import lines_of
from utils.paperwork.preparation.preparation import PreparedDocument, prepared, validated_fields
from utils.paperwork.rules.findings import Finding, Severity
from utils.paperwork.rules.registry import findings_of

TODAY = date(2026, 11, 23)
SAMPLES = PROJECT_ROOT / "data" / "paperwork" / "samples"


def sample(key: str, **changes: Any) -> dict[str, Any]:
    """Return the fields of the sample of a type; a change to None leaves a field out."""
    fields: dict[str, Any] = json.loads((SAMPLES / f"{key}.json").read_text(encoding="utf-8")) | changes
    return {name: value for name, value in fields.items() if value is not None}


def found(key: str, fields: dict[str, Any], today: date = TODAY) -> tuple[Finding, ...]:
    """Return what the rules of a type find in fields."""
    return findings_of(key, validated_fields(key, fields), today)


def errors(key: str, fields: dict[str, Any], today: date = TODAY) -> dict[str, str]:
    """Return the articles of the errors by field."""
    return {
        finding.path: finding.article for finding in found(key, fields, today) if finding.severity is Severity.ERROR
    }


def warnings(key: str, fields: dict[str, Any], today: date = TODAY) -> dict[str, str]:
    """Return the articles of the warnings by field."""
    return {
        finding.path: finding.article for finding in found(key, fields, today) if finding.severity is Severity.WARNING
    }


def document_of(key: str, fields: dict[str, Any], today: date = TODAY) -> PreparedDocument:
    """Return the prepared document of fields."""
    return prepared(key, validated_fields(key, fields), today)


def text_of(key: str, fields: dict[str, Any], today: date = TODAY) -> str:
    """Return the text of a document, line by line."""
    return "\n".join(lines_of(document_of(key, fields, today).document))
