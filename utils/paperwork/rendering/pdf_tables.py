"""Summaries and row headers of tables for a screen reader, which Typst does not write yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO

from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, PdfObject, TextStringObject

from utils.paperwork.layout import Table

_ROW_GROUPS = ("/THead", "/TBody")


def describe_tables(pdf: bytes, tables: Sequence[Table]) -> bytes:
    """Return the tagged PDF with the caption as summary of each table and headers of rows (ISO 32000-1, table 349).

    ``tables`` are those of the document, in order. The changes are added behind the file, as an incremental update.
    """
    if not tables:
        return pdf
    writer = PdfWriter(BytesIO(pdf), incremental=True)
    structure = writer.root_object["/StructTreeRoot"].get_object()
    assert isinstance(structure, DictionaryObject)
    for element, table in zip(_tables(structure), tables, strict=True):
        summary = {NameObject("/O"): NameObject("/Table"), NameObject("/Summary"): TextStringObject(table.caption)}
        _attributes(element).append(DictionaryObject(summary))
        if table.has_header_column:
            _head_rows(element)
    stream = BytesIO()
    writer.write(stream)
    return stream.getvalue()


def _tables(element: DictionaryObject) -> Iterator[DictionaryObject]:
    for child in _children(element):
        if child.get("/S") == "/Table":
            yield child
        elif child.get("/S") == "/Document":
            yield from _tables(child)


def _head_rows(table: DictionaryObject) -> None:
    groups = [child for child in _children(table) if child.get("/S") in _ROW_GROUPS]
    for row in [row for group in groups or [table] for row in _children(group)]:
        first, *others = _children(row)
        for cell in (first, *others):
            # An explicit list of headers, even an empty one, hides those that head the row.
            for attributes in _attributes(cell):
                attributes.pop("/Headers", None)
        if first.get("/S") == "/TD":
            first[NameObject("/S")] = NameObject("/TH")
            scope = {NameObject("/O"): NameObject("/Table"), NameObject("/Scope"): NameObject("/Row")}
            _attributes(first).append(DictionaryObject(scope))


def _children(element: DictionaryObject) -> list[DictionaryObject]:
    return [kid for kid in _listed(element, "/K") if isinstance(kid, DictionaryObject)]


def _attributes(element: DictionaryObject) -> ArrayObject:
    """Return the list of an element's attributes, made where there is none."""
    listed = ArrayObject(_listed(element, "/A"))
    element[NameObject("/A")] = listed
    return listed


def _listed(element: DictionaryObject, key: str) -> list[PdfObject]:
    """Return the values of a key that may be missing, a single value or a list."""
    if key not in element:
        return []
    value = element[key]
    values = value if isinstance(value, ArrayObject) else [value]
    return [found for each in values if (found := each.get_object()) is not None]
