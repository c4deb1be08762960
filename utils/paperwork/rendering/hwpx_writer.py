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
    Signatory,
    Signatures,
    Table,
    lines_of,
)
from utils.paperwork.rendering import owpml_parts, owpml_shapes, page
from utils.paperwork.rendering.formats import DRAFT_MARK, DocumentFormat
from utils.paperwork.rendering.owpml import Paragraphs, add_run, add_text, child, part, root, sub_list, units
from utils.paperwork.rendering.owpml_section import add_section
from utils.paperwork.rendering.owpml_shapes import Borders, Letters, ParagraphShape

_ROW_HEIGHT = 8.0  # mm; rows grow with their text
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
        numbers = self._paragraphs.add(sub_list(footer), owpml_shapes.MARGINAL)
        for kind, behind in (("PAGE", " / "), ("TOTAL_PAGE", "")):
            number = child(child(numbers[0], "hp:ctrl"), "hp:autoNum", num=1, numType=kind)
            child(number, "hp:autoNumFormat", type="DIGIT", userChar="", prefixChar="", suffixChar="", supscript=False)
            add_text(numbers[0], behind)

    def _table(self, table: Table) -> None:
        widths = page.shares(table)
        is_whole = all(page.stays_whole(row, widths) for row in table.rows)
        # TABLE breaks between rows, CELL also within them.
        written = self._empty_table(
            self._add(owpml_shapes.CELL), len(table.rows), widths, breaks="TABLE" if is_whole else "CELL"
        )
        written.set("repeatHeader", str(int(0 < table.header_rows < len(table.rows))))
        child(written, "hp:shapeComment").text = table.caption
        child(written, "hp:inMargin", left=510, right=510, top=200, bottom=200)
        for number, texts in enumerate(table.rows):
            row = child(written, "hp:tr")
            for column, text in enumerate(texts):
                is_header = page.is_header(table, number, column)
                self._cell(
                    row, (number, column), widths[column], text, Borders.header_cell if is_header else Borders.cell
                )

    def _empty_table(self, anchor: Element, rows: int, widths: Sequence[float], *, breaks: str) -> Element:
        """Return a table in the paragraph; one that breaks nowhere is set like a letter, so that it moves with its line."""
        is_letter = breaks == "NONE"
        written = child(
            anchor[0], "hp:tbl", id=self._paragraphs.number(), zOrder=0, numberingType="TABLE", textWrap="TOP_AND_BOTTOM",
            textFlow="BOTH_SIDES", lock=False, dropcapstyle="None", pageBreak=breaks, repeatHeader=False, rowCnt=rows,
            colCnt=len(widths), cellSpacing=0, borderFillIDRef=Borders.none.value, noAdjust=False,
        )  # fmt: skip
        child(
            written, "hp:sz", width=units(page.TEXT_WIDTH_MM * sum(widths)), widthRelTo="ABSOLUTE",
            height=units(_ROW_HEIGHT * rows), heightRelTo="ABSOLUTE", protect=False,
        )  # fmt: skip
        child(
            written, "hp:pos", treatAsChar=is_letter, affectLSpacing=False, flowWithText=True, allowOverlap=False,
            holdAnchorAndSO=False, vertRelTo="PARA", horzRelTo="COLUMN", vertAlign="TOP", horzAlign="LEFT", vertOffset=0,
            horzOffset=0,
        )  # fmt: skip
        child(written, "hp:outMargin", left=0, right=0, top=0, bottom=0 if is_letter else 283)
        anchor[0].append(anchor[0][0])  # the text of the anchor, which is empty, comes behind the table
        return written

    def _cell(self, row: Element, address: tuple[int, int], width: float, text: str, borders: Borders) -> None:
        is_header = borders is Borders.header_cell
        cell = child(
            row, "hp:tc", name="", header=is_header, hasMargin=False, protect=False, editable=False, dirty=False,
            borderFillIDRef=borders.value,
        )  # fmt: skip
        shape = owpml_shapes.HEADER_CELL if is_header else owpml_shapes.CELL
        self._paragraphs.add(sub_list(cell), shape, text)
        child(cell, "hp:cellAddr", colAddr=address[1], rowAddr=address[0])
        child(cell, "hp:cellSpan", colSpan=1, rowSpan=1)
        child(cell, "hp:cellSz", width=units(page.TEXT_WIDTH_MM * width), height=units(_ROW_HEIGHT))
        child(cell, "hp:cellMargin", left=510, right=510, top=200, bottom=200)

    def _signatures(self, signatures: Signatures) -> None:
        """Write the date and the signatories so that all of them stay on one page."""
        self._add(owpml_shapes.DATE, signatures.date)
        for number, signatory in enumerate(signatures.signatories, 1):
            self._add(owpml_shapes.ROLE, signatory.role)
            if signatory.lines:
                self._signatory(signatory, is_last=number == len(signatures.signatories))

    def _signatory(self, signatory: Signatory, *, is_last: bool) -> None:
        anchor = self._add(owpml_shapes.LAST_SIGNATURE if is_last else owpml_shapes.SIGNATURE)
        widths = (page.LABEL_SHARE, page.VALUE_SHARE)
        breaks = "NONE" if page.sign_together([signatory]) else "CELL"
        table = self._empty_table(anchor, len(signatory.lines), widths, breaks=breaks)
        child(table, "hp:inMargin", left=510, right=510, top=200, bottom=200)
        for number, (label, value) in enumerate(signatory.lines):
            row = child(table, "hp:tr")
            self._cell(row, (number, 0), page.LABEL_SHARE, label, Borders.none)
            self._cell(row, (number, 1), page.VALUE_SHARE, value, Borders.blank)
