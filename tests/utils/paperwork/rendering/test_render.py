"""The same text in every file format, whatever it says."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

import docx
import pytest
from pypdf import PdfReader

from tests.support.paper_samples import CONTRACT, SIGNATURES, long_document
from tests.support.rendered_text import pdf_pages, text_of
from utils.paperwork.layout import Heading, ItemList, PaperDocument, Paragraph, Table, lines_of
from utils.paperwork.rendering.formats import DRAFT_MARK, DocumentFormat, UnwritableDocument
from utils.paperwork.rendering.render import render

each_format = pytest.mark.parametrize("file_format", DocumentFormat)


def _words(text: str) -> str:
    return " ".join(text.split())


def _letters(text: str) -> str:
    """The text without white space and bullets."""
    return "".join(unicodedata.normalize("NFC", text).replace("•", "").split())


def _of(*texts: str) -> PaperDocument:
    """A document with the texts in every kind of block."""
    table = Table((("머리", *texts), ("칸", *texts)), caption="표")
    return PaperDocument("제목", (*map(Paragraph, texts), ItemList(texts), table, SIGNATURES), "제목")


@each_format
def test_every_line_stands_in_every_format_in_order(file_format: DocumentFormat) -> None:
    file = render(CONTRACT, file_format)
    assert (file.media_type, file.extension) == (file_format.media_type, file_format.value)
    found = _words(text_of(file.content, file_format).replace("•", ""))
    assert found == _words("\n".join(lines_of(CONTRACT)))


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script> & &amp; ]]> <!-- -->",
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]> &b;',
        "{{ title }} {% for a in b %} ${jndi:ldap://a}",
        '#let x = 1 *굵게* _기울임_ $x^2$ `코드` <표지> @ref #read("/etc/passwd") \\ // 주석 /* */',
        '#import "@preview/a:0.1.0" \\input{/etc/passwd} = 제목 + 1. - /항목: a',
        "=cmd|'/c calc'!A1 =HYPERLINK(\"http://127.0.0.1\") +1 -1 @SUM(1)",
        "각도 é ệ 한 e\u0301 o\u0323",
        "학교법인 代表理事 ①②③ ㈜가온 ㎡ ☐ ☑ ※ “인용” · ㆍ 「법」",
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_stays_text(text: str) -> None:
    document = _of(text)
    wanted = _letters("\n".join(lines_of(document)))
    for file_format in DocumentFormat:
        assert _letters(text_of(render(document, file_format).content, file_format)) == wanted


def test_invisible_marks_do_not_hide_words_from_a_search() -> None:
    document = PaperDocument("제목", (Paragraph("계\u200b약\u2060금\ufeff 반\u00ad환 가\u200d온"),), "제목")
    for file_format in DocumentFormat:
        assert "계약금 반환 가온" in _words(text_of(render(document, file_format).content, file_format))


@pytest.mark.parametrize("text", ["a" * 10_000, "가" * 10_000, "가나다라마바사 " * 1_250], ids=["a", "가", "words"])
def test_a_paragraph_of_ten_thousand_characters_is_whole(text: str) -> None:
    document = PaperDocument("제목", (Paragraph(text),), "제목")
    for file_format in DocumentFormat:
        found = text_of(render(document, file_format).content, file_format)
        assert _letters(found) == _letters("\n".join(lines_of(document)))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("계약\x00금", "U+0000"),
        ("\x1b[31m", "U+001B"),
        ("금액 \u202e000,001", "U+202E"),
        ("\u2067가\u2069", "U+2067"),
        ("절반 \ud83d", "U+D83D"),
        ("\uffff", "U+FFFF"),
        ("e" + "\u0301" * 60_000, "기호가 너무 많습니다"),
        ("가" * 600_000, "너무 깁니다"),
        ("\n" * 20_000, "너무 깁니다"),
    ],
    ids=["null", "escape", "turned", "isolated", "half", "no character", "marks", "letters", "lines"],
)
@each_format
def test_what_no_file_can_hold_is_refused(text: str, named: str, file_format: DocumentFormat) -> None:
    for document in (_of(text), PaperDocument("제목", (Heading(text),), "제목")):
        with pytest.raises(UnwritableDocument) as refused:
            render(document, file_format)
        assert refused.value.message.isprintable()
    with pytest.raises(UnwritableDocument) as refused:
        render(_of(text), file_format)
    assert named in refused.value.message


@pytest.mark.parametrize("rows", [((),), (("가", "나"), ("다",)), (("가",) * 13,)])
def test_a_table_that_is_none_is_refused(rows: tuple[tuple[str, ...], ...]) -> None:
    with pytest.raises(UnwritableDocument):
        render(PaperDocument("제목", (Table(rows, caption="표"),), "제목"), DocumentFormat.docx)


@each_format
def test_a_title_too_long_for_a_list_of_headings_is_refused(file_format: DocumentFormat) -> None:
    with pytest.raises(UnwritableDocument):
        render(replace(CONTRACT, title="제목 " * 200), file_format)


@pytest.mark.parametrize(
    "file_format", [pytest.param(DocumentFormat.pdf, marks=pytest.mark.slow), DocumentFormat.docx, DocumentFormat.hwpx]
)
def test_two_hundred_pages_are_whole(file_format: DocumentFormat) -> None:
    document = long_document(325)
    content = render(document, file_format).content
    if file_format is DocumentFormat.pdf:
        assert len(PdfReader(BytesIO(content)).pages) >= 200
    assert _letters(text_of(content, file_format)) == _letters("\n".join(lines_of(document)))


def test_a_draft_says_so_on_every_page() -> None:
    pages = pdf_pages(render(CONTRACT, DocumentFormat.pdf).content)
    assert len(pages) == 2
    assert all(DRAFT_MARK in page for page in pages)
    word = docx.Document(BytesIO(render(CONTRACT, DocumentFormat.docx).content))
    assert [section.header.paragraphs[0].text for section in word.sections] == [DRAFT_MARK]
    with ZipFile(BytesIO(render(CONTRACT, DocumentFormat.hwpx).content)) as package:
        section = package.read("Contents/section0.xml").decode()
    assert DRAFT_MARK in section.partition("<hp:header")[2].partition("</hp:header>")[0]
    assert 'applyPageType="BOTH"' in section


@each_format
def test_what_is_no_draft_does_not_say_so(file_format: DocumentFormat) -> None:
    content = render(replace(CONTRACT, is_draft=False), file_format).content
    if file_format is DocumentFormat.pdf:
        assert not any(DRAFT_MARK in page for page in pdf_pages(content))
        return
    with ZipFile(BytesIO(content)) as package:
        assert not any(DRAFT_MARK.encode() in package.read(name) for name in package.namelist())


def test_many_threads_write_the_same_files() -> None:
    jobs = [(replace(CONTRACT, title=f"계약서 {number}"), list(DocumentFormat)[number % 3]) for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        files = list(pool.map(lambda job: render(*job), jobs))
    for (document, file_format), file in zip(jobs, files, strict=True):
        assert document.title in text_of(file.content, file_format)
