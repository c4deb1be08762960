"""The reference of all types of documents, their fields and articles, as it stands in ``docs/documents.md``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from utils.config.settings import PROJECT_ROOT
from utils.paperwork.templates.field_types import FieldSpec, FieldType
from utils.paperwork.templates.template import Template, shipped_templates

PAGE = PROJECT_ROOT / "docs" / "documents.md"
_BEGIN, _END = "<!-- types: written by `python -m utils.paperwork.templates reference` -->", "<!-- end of types -->"
_LABELS = {
    FieldType.TEXT: "글(한 줄)",
    FieldType.LONG_TEXT: "글",
    FieldType.DATE: "날짜",
    FieldType.TIME: "시각",
    FieldType.WON: "금액(원)",
    FieldType.INTEGER: "정수",
    FieldType.HOURS: "시간",
    FieldType.PERCENT: "%",
    FieldType.CHOICE: "선택",
    FieldType.FLAG: "예/아니요",
    FieldType.ROWS: "목록",
}


def with_reference(page: str) -> str:
    """Return the page with its part between the marks written anew.

    Raises:
        ValueError: the page has no marks.
    """
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError("the page has no marks to write between")
    return f"{before}{_BEGIN}\n\n{reference()}\n{_END}{after}"


def write_reference(page: Path = PAGE) -> None:
    """Write the reference into the page."""
    page.write_text(with_reference(page.read_text(encoding="utf-8")), encoding="utf-8")


def reference() -> str:
    """Return a section for each type: articles, guidance, and a table of its fields."""
    return "\n".join(line for template in shipped_templates().values() for line in _section(template))


def _section(template: Template) -> Iterator[str]:
    yield f"### {template.label} — `{template.key}`"
    yield ""
    yield f"{template.description}. 근거: {', '.join(template.laws)}."
    yield ""
    yield "| 칸 | 이름 | 형식 | 근거 |"
    yield "|---|---|---|---|"
    for field in template.fields:
        yield _row("", field)
        for column in field.columns:
            yield _row(f"{field.name}[].", column)
    yield ""


def _row(prefix: str, field: FieldSpec) -> str:
    kind = " · ".join(field.choices) if field.choices else _LABELS[field.type]
    needed = " **필수**" if field.required else ""
    return f"| {prefix}{field.name} | {field.label} | {kind}{needed} | {field.article} |"
