"""A document as DOCX (Office Open XML, ECMA-376)."""

from __future__ import annotations

from io import BytesIO

import docx
from docx.document import Document
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK
from docx.oxml.ns import qn
from docx.shared import Mm
from docx.table import Table as DocxTable
from docx.table import _Cell as Cell
from docx.table import _Row as Row
from docx.text.paragraph import Paragraph as DocxParagraph

from utils.paperwork.layout import (
    Block,
    Heading,
    ItemList,
    PageBreak,
    PaperDocument,
    Paragraph,
    Signatory,
    Signatures,
    Table,
)
from utils.paperwork.rendering import page
from utils.paperwork.rendering.docx_styles import (
    CELL_STYLE,
    NOTE_STYLE,
    NUMBERED_STYLE,
    SIGNATURE_STYLE,
    element,
    prepare,
)

_ALIGNMENTS = {
    "left": WD_ALIGN_PARAGRAPH.LEFT,
    "center": WD_ALIGN_PARAGRAPH.CENTER,
    "right": WD_ALIGN_PARAGRAPH.RIGHT,
}


def write_docx(document: PaperDocument) -> bytes:
    """Return the document as the bytes of a DOCX file; its texts are writable already (`rendering.writable`)."""
    written = docx.Document()
    prepare(written, document.title, document.is_draft)
    _fill(_add(written, "Title"), document.title)
    for block in document.blocks:
        _write(written, block)
    stream = BytesIO()
    written.save(stream)
    return stream.getvalue()


def _write(document: Document, block: Block) -> None:
    match block:
        case Heading():
            _fill(_add(document, f"Heading{block.level}"), block.text)
        case Paragraph():
            written = _add(document, NOTE_STYLE if block.is_note else None)
            written.alignment = _ALIGNMENTS[block.alignment]
            _fill(written, block.text, bold=block.is_bold)
        case ItemList(numbered=True):
            for number, item in enumerate(block.items, 1):
                _fill(_add(document, NUMBERED_STYLE), f"{number}. {item}")
        case ItemList():
            for item in block.items:
                _fill(_add(document, "ListBullet"), item)
        case Table():
            _table(document, block)
        case Signatures():
            _signatures(document, block)
        case PageBreak():
            document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)


def _add(document: Document, style: str | None = None) -> DocxParagraph:
    """Return a new last paragraph with the style of that identifier, which is not looked up: that takes most of the time."""
    added = document.add_paragraph()
    added._p.style = style
    return added


def _fill(paragraph: DocxParagraph, text: str, *, bold: bool | None = None) -> None:
    """Write the text; a line feed becomes a line break within the paragraph."""
    paragraph.add_run(text).bold = bold


def _table(document: Document, table: Table) -> None:
    widths = page.shares(table)
    written = _empty_table(document, len(table.rows), widths)
    written.style, repeated = "Table Grid", page.repeated_rows(table)
    properties = written._tbl.tblPr
    properties.append(element("tblCaption", val=table.caption))
    look = properties.find(qn("w:tblLook"))
    if look is not None:
        look.set(qn("w:firstRow"), str(int(table.header_rows > 0)))
        look.set(qn("w:firstColumn"), str(int(table.has_header_column)))
    for number, (row, texts) in enumerate(zip(written.rows, table.rows, strict=True)):
        if number < repeated:
            row._tr.get_or_add_trPr().append(element("tblHeader"))
        if page.stays_whole(texts, widths):
            row._tr.get_or_add_trPr().append(element("cantSplit"))
        for column, (cell, text) in enumerate(zip(row.cells, texts, strict=True)):
            _cell(cell, text, page.is_header(table, number, column))
    _gap(document)


def _empty_table(document: Document, rows: int, shares: list[float]) -> DocxTable:
    """Return a table of the text's width or less, whose columns keep their widths in every program."""
    table: DocxTable = document.add_table(rows, len(shares))
    table.alignment, table.autofit = WD_TABLE_ALIGNMENT.CENTER, False
    widths = [Mm(page.TEXT_WIDTH_MM * share) for share in shares]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    for row in table._tbl.tr_lst:
        for cell, width in zip(row.tc_lst, widths, strict=True):
            cell.width = width
    return table


def _cell(cell: Cell, text: str, is_header: bool) -> None:
    paragraph = cell.paragraphs[0]
    paragraph._p.style = CELL_STYLE
    _fill(paragraph, text, bold=True if is_header else None)
    if is_header:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        cell._tc.get_or_add_tcPr().append(element("shd", val="clear", color="auto", fill=page.HEADER_FILL))


def _gap(document: Document) -> None:
    """Set a table apart from what follows; without a paragraph between them two tables become one."""
    document.add_paragraph().paragraph_format.line_spacing = 0.6


def _signatures(document: Document, signatures: Signatures) -> None:
    """Write the date and the signatories so that all of them stay on one page."""
    date = document.add_paragraph()
    date.alignment = WD_ALIGN_PARAGRAPH.CENTER
    date.paragraph_format.space_before = date.paragraph_format.space_after = Mm(6)
    date.paragraph_format.keep_with_next = True
    _fill(date, signatures.date)
    for number, signatory in enumerate(signatures.signatories, 1):
        _signatory(document, signatory, is_last=number == len(signatures.signatories))


def _signatory(document: Document, signatory: Signatory, *, is_last: bool) -> None:
    role = document.add_paragraph()
    role.paragraph_format.keep_with_next = True
    role.paragraph_format.space_before = Mm(4)
    _fill(role, signatory.role, bold=True)
    if not signatory.lines:
        return
    table = _empty_table(document, len(signatory.lines), [page.LABEL_SHARE, page.VALUE_SHARE])
    for row, texts in zip(table.rows, signatory.lines, strict=True):
        is_end = is_last and row._tr is table._tbl.tr_lst[-1]
        _signature_line(row, texts, keep=not is_end)


def _signature_line(row: Row, texts: tuple[str, str], *, keep: bool) -> None:
    row._tr.get_or_add_trPr().append(element("cantSplit"))
    for cell, text in zip(row.cells, texts, strict=True):
        paragraph = cell.paragraphs[0]
        paragraph._p.style = SIGNATURE_STYLE
        paragraph.paragraph_format.keep_with_next = keep
        _fill(paragraph, text)
    rule = element("tcBorders")
    rule.append(element("bottom", val="single", sz="4", space="0", color="000000"))
    row.cells[1]._tc.get_or_add_tcPr().append(rule)
