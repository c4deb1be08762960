"""A document as HWPX: a package (KS X 6101) of XML parts that Hancom Office opens as its own."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from xml.etree.ElementTree import Element
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from utils.paperwork.layout import (
    Block,
    Heading,
    ItemList,
    PageBreak,
    PaperDocument,
    Paragraph,
    Signatures,
    Table,
    lines_of,
)
from utils.paperwork.rendering import owpml_parts, owpml_shapes, page
from utils.paperwork.rendering.formats import DRAFT_MARK, DocumentFormat
from utils.paperwork.rendering.owpml import Paragraphs, add_run, add_text, child, part, root, sub_list
from utils.paperwork.rendering.owpml_grid import Grid
from utils.paperwork.rendering.owpml_section import add_section
from utils.paperwork.rendering.owpml_shapes import Borders, Letters, ParagraphShape

_PREVIEW = 1000  # characters that a file manager shows


def write_hwpx(document: PaperDocument) -> bytes:
    """Return the document as the bytes of an HWPX file; its texts are writable already (`rendering.writable`)."""
    parts = {
        "version.xml": owpml_parts.version(),
        "settings.xml": owpml_parts.settings(),
        "META-INF/container.xml": owpml_parts.container(),
        "META-INF/manifest.xml": owpml_parts.manifest(),
        "Contents/content.hpf": owpml_parts.contents(document.title),
        "Contents/header.xml": owpml_parts.header(),
        "Contents/section0.xml": part(_Section(document).root),
        "Preview/PrvText.txt": "\r\n".join(lines_of(document))[:_PREVIEW].encode(),
    }
    stream = BytesIO()
    with ZipFile(stream, "w") as package:
        # The first entry says what the package is, readable at a fixed place of the file: not compressed.
        package.writestr(ZipInfo("mimetype"), DocumentFormat.hwpx.media_type, ZIP_STORED)
        for name, content in parts.items():
            package.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return stream.getvalue()


class _Section:
    """The only section of a document; ``root`` is its XML."""

    def __init__(self, document: PaperDocument) -> None:
        self.root = root("hs:sec")
        self._paragraphs = Paragraphs()
        self._begins_page = False
        title = self._add(owpml_shapes.TITLE)
        for run in list(title):
            title.remove(run)
        self._page(add_run(title, Letters.title), document.is_draft)
        add_text(add_run(title, Letters.title), document.title)
        for block in document.blocks:
            self._write(block)

    def _write(self, block: Block) -> None:
        match block:
            case Heading():
                self._add(owpml_shapes.HEADINGS[block.level], block.text)
            case Paragraph():
                self._paragraph(block)
            case ItemList(numbered=True):
                for number, item in enumerate(block.items, 1):
                    self._add(owpml_shapes.NUMBERED, f"{number}. {item}")
            case ItemList():
                for item in block.items:
                    self._add(owpml_shapes.BULLET, item)
            case Table():
                self._table(block)
            case Signatures():
                self._signatures(block)
            case PageBreak():
                self._begins_page = True

    def _add(self, shape: ParagraphShape, text: str = "", letters: Letters | None = None) -> Element:
        added = self._paragraphs.add(self.root, shape, text, letters=letters, breaks=self._begins_page)
        self._begins_page = False
        return added

    def _paragraph(self, block: Paragraph) -> None:
        shapes, bold = (owpml_shapes.NOTE, Letters.bold_note) if block.is_note else (owpml_shapes.BODY, Letters.bold)
        self._add(shapes[block.alignment], block.text, bold if block.is_bold else None)

    def _page(self, run: Element, is_draft: bool) -> None:
        """Add the page, its number and the mark of a draft."""
        add_section(run)
        if is_draft:
            mark = child(child(run, "hp:ctrl"), "hp:header", id=1, applyPageType="BOTH")
            self._paragraphs.add(sub_list(mark), owpml_shapes.MARGINAL, DRAFT_MARK, letters=Letters.draft)
        footer = child(child(run, "hp:ctrl"), "hp:footer", id=2, applyPageType="BOTH")
        numbers = self._paragraphs.add(sub_list(footer), owpml_shapes.MARGINAL)[0]
        for kind, behind in (("PAGE", " / "), ("TOTAL_PAGE", "")):
            number = child(child(numbers, "hp:ctrl"), "hp:autoNum", num=1, numType=kind)
            child(number, "hp:autoNumFormat", type="DIGIT", userChar="", prefixChar="", suffixChar="", supscript=False)
            add_text(numbers, behind)

    def _table(self, table: Table) -> None:
        widths = page.shares(table)
        is_whole = all(page.stays_whole(row, widths) for row in table.rows)
        # TABLE breaks between rows, CELL also within them.
        grid = self._grid(owpml_shapes.TABLE, len(table.rows), widths, breaks="TABLE" if is_whole else "CELL")
        grid.element.set("repeatHeader", str(int(page.repeated_rows(table) > 0)))
        child(grid.element, "hp:shapeComment").text = table.caption
        grid.pad()
        for number, texts in enumerate(table.rows):
            row = grid.row()
            for column, text in enumerate(texts):
                is_header = page.is_header(table, number, column)
                shape = owpml_shapes.HEADER_CELL if is_header else owpml_shapes.CELL
                row.cell(shape, text, Borders.header_cell if is_header else Borders.cell)

    def _signatures(self, signatures: Signatures) -> None:
        """Write the date and the signatories as one table that looks like none, so that all of them stay on one page."""
        rows = 1 + sum(1 + len(person.lines) for person in signatures.signatories)
        breaks = "NONE" if page.sign_together(signatures.signatories) else "TABLE"
        grid = self._grid(owpml_shapes.SIGNATURES, rows, (page.LABEL_SHARE, page.VALUE_SHARE), breaks=breaks)
        grid.pad()
        grid.row(height=14).cell(owpml_shapes.DATE, signatures.date, Borders.none, span=2)
        for person in signatures.signatories:
            grid.row(height=13, vertical="BOTTOM").cell(owpml_shapes.ROLE, person.role, Borders.none, span=2)
            for label, value in person.lines:
                row = grid.row(height=10, vertical="BOTTOM")
                row.cell(owpml_shapes.CELL, label, Borders.none)
                row.cell(owpml_shapes.CELL, value, Borders.blank)

    def _grid(self, shape: ParagraphShape, rows: int, widths: Sequence[float], *, breaks: str) -> Grid:
        return Grid(self._paragraphs, self._add(shape)[0], rows, widths, breaks)
