"""DOCX files as Word reads them."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import docx
from docx.document import Document
from docx.oxml.ns import qn

from tests.support.paper_samples import CONTRACT
from utils.paperwork.rendering.formats import DocumentFormat
from utils.paperwork.rendering.render import render


def _document() -> Document:
    return docx.Document(BytesIO(render(CONTRACT, DocumentFormat.docx).content))


def test_headings_are_headings() -> None:
    styles = [paragraph.style.name for paragraph in _document().paragraphs if paragraph.style is not None]
    assert styles[0] == "Title"
    assert [style for style in styles if style.startswith("Heading")] == ["Heading 1", "Heading 2"]
    assert styles.count("List Bullet") == 2


def test_header_rows_are_repeated_and_rows_stay_whole() -> None:
    table = _document().tables[0]
    marked = [row._tr.trPr.find(qn("w:tblHeader")) is not None for row in table.rows]
    assert marked == [True, False, False]
    assert all(row._tr.trPr.find(qn("w:cantSplit")) is not None for row in table.rows)
    assert table._tbl.tblPr.find(qn("w:tblCaption")).get(qn("w:val")) == "임금의 구성"


def test_a_blank_is_room_above_a_line() -> None:
    value = _document().tables[2].rows[1].cells[1]
    assert value.text == ""
    assert value._tc.tcPr.find(qn("w:tcBorders")).find(qn("w:bottom")).get(qn("w:val")) == "single"


def test_its_language_and_its_fonts_are_korean() -> None:
    document = _document()
    for name in ("Normal", "Title", "Heading 1", "List Bullet"):
        fonts = document.styles[name].element.rPr.rFonts
        assert fonts.get(qn("w:eastAsia")) == "맑은 고딕"
        assert not any(key.endswith("Theme") for key in fonts.attrib)
    language = document.styles.element.find(f".//{qn('w:lang')}")
    assert language.get(qn("w:eastAsia")) == language.get(qn("w:val")) == "ko-KR"


def test_its_properties_name_no_person_and_no_program() -> None:
    properties = _document().core_properties
    assert (properties.title, properties.language) == (CONTRACT.title, "ko-KR")
    assert (properties.author, properties.last_modified_by, properties.comments) == ("", "", "")


def test_pages_are_numbered_by_fields() -> None:
    footer = _document().sections[0].footer.paragraphs[0]._p
    assert [field.get(qn("w:instr")) for field in footer.iter(qn("w:fldSimple"))] == ["PAGE", "NUMPAGES"]


def test_the_text_of_a_document_makes_no_field_and_no_link() -> None:
    with ZipFile(BytesIO(render(CONTRACT, DocumentFormat.docx).content)) as package:
        body = package.read("word/document.xml").decode()
    assert "w:fldSimple" not in body
    assert "w:instrText" not in body
    assert "w:hyperlink" not in body
