"""Styles, language and page of a DOCX document (ECMA-376, part 1)."""

from __future__ import annotations

from typing import Any

from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_LINE_SPACING
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor
from docx.styles.style import ParagraphStyle
from docx.text.paragraph import Paragraph

from utils.paperwork.rendering import page
from utils.paperwork.rendering.formats import DRAFT_MARK

FONT = "맑은 고딕"
"""Comes with Windows and with Word for Mac; other programs take their own Korean font for it."""

NOTE_STYLE, NUMBERED_STYLE, CELL_STYLE, SIGNATURE_STYLE = "Note", "NumberedText", "TableText", "SignatureText"
"""Identifiers of styles, which are their names as well."""


def element(name: str, **attributes: str) -> Any:
    """Return a new element of WordprocessingML with attributes of its namespace."""
    made = OxmlElement(f"w:{name}")
    for key, value in attributes.items():
        made.set(qn(f"w:{key}"), value)
    return made


def prepare(document: Document, title: str, is_draft: bool) -> None:
    """Set page, styles, language, properties, page numbers and the mark of a draft."""
    _page(document)
    _styles(document)
    _properties(document, title)
    section = document.sections[0]
    _page_numbers(section.footer.paragraphs[0])
    if is_draft:
        mark = section.header.paragraphs[0]
        mark.alignment = WD_ALIGN_PARAGRAPH.CENTER
        run = mark.add_run(DRAFT_MARK)
        run.font.size, run.font.bold, run.font.color.rgb = Pt(page.MARGINAL_PT), True, _colour(page.DRAFT_COLOUR)


def _page(document: Document) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Mm(page.PAGE_WIDTH_MM), Mm(page.PAGE_HEIGHT_MM)
    section.top_margin, section.bottom_margin = Mm(page.MARGIN_TOP_MM), Mm(page.MARGIN_BOTTOM_MM)
    section.left_margin = section.right_margin = Mm(page.MARGIN_SIDE_MM)
    section.header_distance = section.footer_distance = Mm(10)


def _styles(document: Document) -> None:
    defaults = document.styles.element.find(qn("w:docDefaults"))
    language = defaults.find(f".//{qn('w:lang')}")
    for key in ("val", "eastAsia"):
        language.set(qn(f"w:{key}"), "ko-KR")
    normal = _style(document, "Normal", page.BODY_PT, after=4)
    normal.paragraph_format.line_spacing = page.LINE_SPACING
    normal.paragraph_format.line_spacing_rule = WD_LINE_SPACING.MULTIPLE
    # A Hangul word stays whole at the end of a line, and Hangul is not set apart from figures and Latin letters (제 1 조).
    for name, value in (("wordWrap", "1"), ("autoSpaceDE", "0"), ("autoSpaceDN", "0")):
        normal.element.get_or_add_pPr().insert_element_before(element(name, val=value), "w:spacing")
    title = _style(document, "Title", page.TITLE_PT, after=16, bold=True)
    title.paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER
    borders = title.element.pPr.find(qn("w:pBdr"))
    if borders is not None:
        title.element.pPr.remove(borders)
    for name, size, before in (("Heading 1", page.HEADING_PT, 12), ("Heading 2", page.PART_PT, 8)):
        heading = _style(document, name, size, before=before, after=4, bold=True)
        heading.paragraph_format.keep_with_next = True
    _style(document, "List Bullet", page.BODY_PT, after=2)
    numbered = _added(document, NUMBERED_STYLE, page.BODY_PT, after=2)
    numbered.paragraph_format.left_indent, numbered.paragraph_format.first_line_indent = Mm(6), Mm(-6)
    note = _added(document, NOTE_STYLE, page.NOTE_PT, after=4)
    note.font.color.rgb = _colour(page.NOTE_COLOUR)
    note.paragraph_format.left_indent = Mm(2)
    for name in (CELL_STYLE, SIGNATURE_STYLE):
        _added(document, name, page.TABLE_PT, before=1.5, after=1.5).paragraph_format.line_spacing = 1.25


def _added(document: Document, name: str, size: float, *, before: float = 0, after: float = 0) -> ParagraphStyle:
    document.styles.add_style(name, 1).base_style = document.styles["Normal"]
    return _style(document, name, size, before=before, after=after)


def _style(
    document: Document, name: str, size: float, *, before: float = 0, after: float = 0, bold: bool | None = None
) -> ParagraphStyle:
    style = document.styles[name]
    assert isinstance(style, ParagraphStyle), name
    style.font.name, style.font.size, style.font.bold = FONT, Pt(size), bold
    style.font.color.rgb = RGBColor(0, 0, 0)
    fonts = style.element.rPr.rFonts
    for key in list(fonts.attrib):
        if key.endswith("Theme"):  # a font of the theme would win over the named one
            del fonts.attrib[key]
    for key in ("ascii", "hAnsi", "eastAsia", "cs"):
        fonts.set(qn(f"w:{key}"), FONT)
    style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(after)
    return style


def _properties(document: Document, title: str) -> None:
    properties = document.core_properties
    properties.title, properties.language = title[:255], "ko-KR"
    properties.author = properties.last_modified_by = properties.comments = properties.keywords = ""


def _page_numbers(footer: Paragraph) -> None:
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    for instruction, behind in (("PAGE", " / "), ("NUMPAGES", "")):
        field = element("fldSimple", instr=instruction)
        run = footer.add_run("1")
        run.font.size = Pt(page.MARGINAL_PT)
        footer._p.remove(run._r)
        field.append(run._r)
        footer._p.append(field)
        if behind:
            footer.add_run(behind).font.size = Pt(page.MARGINAL_PT)


def _colour(code: str) -> RGBColor:
    return RGBColor.from_string(code)
