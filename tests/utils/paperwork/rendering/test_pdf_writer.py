"""PDF files that print well and that a screen reader reads."""

from __future__ import annotations

import sys
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from tests.support.paper_samples import CONTRACT, SIGNATURES, long_document
from tests.support.rendered_text import pdf_pages
from utils.paperwork.layout import Heading, PaperDocument, Paragraph, Table
from utils.paperwork.rendering.formats import DocumentFormat, FormatUnavailable
from utils.paperwork.rendering.pdf_writer import _SYMBOLS
from utils.paperwork.rendering.render import render


def _reader(document: PaperDocument) -> PdfReader:
    return PdfReader(BytesIO(render(document, DocumentFormat.pdf).content))


def _elements(reader: PdfReader) -> list[Any]:
    """All elements of the structure, in reading order."""
    root: Any = reader.root_object["/StructTreeRoot"]
    found, waiting = [], [root]
    while waiting:
        element = waiting.pop(0).get_object()
        if isinstance(element, dict):
            found.append(element)
            kids = element.get("/K", [])
            kids = kids.get_object() if hasattr(kids, "get_object") else kids
            waiting[:0] = kids if isinstance(kids, list) else [kids]
    return found


def test_it_is_accessible() -> None:
    reader = _reader(CONTRACT)
    root: Any = reader.root_object
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"].startswith("ko")
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    metadata = root["/Metadata"].get_data().decode()
    assert "<pdfuaid:part>1</pdfuaid:part>" in metadata
    assert "<pdfaid:part>2</pdfaid:part>" in metadata
    assert reader.metadata is not None
    assert reader.metadata.title == CONTRACT.title
    assert reader.metadata.author is None
    kinds = [element.get("/S") for element in _elements(reader)]
    assert {"/H1", "/H2", "/P", "/L", "/Table", "/THead"} <= set(kinds)


def test_tables_say_what_they_hold_and_which_cells_head_the_others() -> None:
    elements = _elements(_reader(CONTRACT))
    summaries = [
        attributes["/Summary"]
        for element in elements
        if element.get("/S") == "/Table"
        for attributes in element["/A"]
        if "/Summary" in attributes
    ]
    assert summaries == ["임금의 구성", "근로자"]
    scopes = [
        attributes["/Scope"]
        for element in elements
        if element.get("/S") == "/TH"
        for attributes in element["/A"]
        if "/Scope" in attributes
    ]
    assert scopes == ["/Column"] * 3 + ["/Row"] * 2


def test_its_fonts_are_embedded() -> None:
    for page in _reader(CONTRACT).pages:
        resources: Any = page["/Resources"]
        for font in resources["/Font"].values():
            described = font.get_object()["/DescendantFonts"][0].get_object()["/FontDescriptor"]
            assert "/FontFile3" in described or "/FontFile2" in described


def test_pages_are_numbered_and_a_table_repeats_its_header() -> None:
    pages = pdf_pages(render(long_document(3), DocumentFormat.pdf).content)
    assert all(f"{number} / {len(pages)}" in page.split("\n") for number, page in enumerate(pages, 1))
    numbered = PaperDocument("글", (Table((("번호", "값"), *((str(number), "") for number in range(60))), "표"),), "글")
    assert ["번호" in page for page in pdf_pages(render(numbered, DocumentFormat.pdf).content)] == [True, True]


def test_words_stay_whole_at_the_end_of_a_line() -> None:
    words = "근로계약기간을 명시하여야 한다고 정하였으므로 서면으로 교부받았음을 확인한다".split() * 30
    lines = pdf_pages(render(PaperDocument("글", (Paragraph(" ".join(words)),), "글"), DocumentFormat.pdf).content)[0]
    assert len(lines.splitlines()) > 20
    assert set(lines.split()) == {*words, "글", "1", "/"}


def test_signatures_stay_on_one_page() -> None:
    for lines in range(28, 34):
        filled = PaperDocument("글", (Paragraph("줄\n" * lines), SIGNATURES), "글")
        last = pdf_pages(render(filled, DocumentFormat.pdf).content)[-1]
        assert "2026년 3월 2일" in last
        assert "홍길동" in last


def test_more_signatures_than_a_page_holds_are_all_there() -> None:
    many = replace(SIGNATURES, signatories=SIGNATURES.signatories * 30)
    pages = pdf_pages(render(PaperDocument("글", (many,), "글"), DocumentFormat.pdf).content)
    assert "".join(pages).count("홍길동") == 30


def test_a_row_higher_than_a_page_is_whole() -> None:
    text = "가나다 " * 600
    for rows in ((("항목", text),), (("항목", text), ("값", "")), (("항목", ""), ("값", text))):
        pages = pdf_pages(render(PaperDocument("글", (Table(rows, "표"),), "글"), DocumentFormat.pdf).content)
        assert "".join(pages).count("가나다") == 600
        assert max(page.count("가나다") for page in pages) < 400


def test_a_character_without_a_glyph_is_named() -> None:
    text = pdf_pages(
        render(PaperDocument("글", (Paragraph("웃음 🙂 한자 \U00020000"),), "글"), DocumentFormat.pdf).content
    )[0]
    assert "웃음 〔U+1F642〕 한자 〔U+20000〕" in text


def test_boxes_to_tick_have_glyphs() -> None:
    assert (
        _SYMBOLS in pdf_pages(render(PaperDocument("글", (Paragraph(_SYMBOLS),), "글"), DocumentFormat.pdf).content)[0]
    )


def test_a_part_without_an_article_is_no_gap_in_the_headings() -> None:
    elements = _elements(
        _reader(PaperDocument("글", (Heading("가. 처음", 2), Heading("제1조"), Heading("나. 다음", 2)), "글"))
    )
    assert [element["/S"] for element in elements if str(element.get("/S", "")).startswith("/H")] == [
        "/H1",
        "/H1",
        "/H2",
    ]


def test_without_its_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(FormatUnavailable) as missing:
        render(CONTRACT, DocumentFormat.pdf)
    assert "make install-documents" in missing.value.message
    assert render(CONTRACT, DocumentFormat.docx).content
    assert render(CONTRACT, DocumentFormat.hwpx).content
