"""HWPX files as Hancom Office reads them: checked by a reader and by schemas that are not ours."""

from __future__ import annotations

from io import BytesIO
from xml.etree import ElementTree
from zipfile import ZIP_STORED, ZipFile

import pytest

from tests.support.paper_samples import CONTRACT
from tests.support.rendered_text import HP
from utils.paperwork.rendering.formats import DocumentFormat
from utils.paperwork.rendering.render import render


@pytest.fixture(scope="module")
def content() -> bytes:
    return render(CONTRACT, DocumentFormat.hwpx).content


@pytest.fixture(scope="module")
def section(content: bytes) -> ElementTree.Element:
    with ZipFile(BytesIO(content)) as package:
        return ElementTree.fromstring(package.read("Contents/section0.xml"))


def test_the_package_says_first_what_it_is(content: bytes) -> None:
    with ZipFile(BytesIO(content)) as package:
        first = package.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", ZIP_STORED)
        assert package.read(first) == b"application/hwp+zip"
        container = ElementTree.fromstring(package.read("META-INF/container.xml"))
        named = [file.get("full-path") for file in container.iter() if file.get("full-path")]
        listed = ElementTree.fromstring(package.read("Contents/content.hpf"))
        named += [item.get("href") for item in listed.iter() if item.get("href")]
        assert set(named) <= set(package.namelist())
        assert "Contents/section0.xml" in named
    assert content[30:57] == b"mimetypeapplication/hwp+zip"


def test_another_reader_finds_it_valid(content: bytes) -> None:
    """python-hwpx knows the schemas of KS X 6101, and what Hancom Office refuses to open."""
    validator = pytest.importorskip("hwpx.tools.validator")
    packages = pytest.importorskip("hwpx.tools.package_validator")
    for report in (validator.validate_document(content), packages.validate_package(content)):
        assert [str(issue) for issue in report.issues] == []
    assert packages.validate_editor_open_safety(content).reopen_ok


def test_another_reader_finds_its_text(content: bytes) -> None:
    hwpx = pytest.importorskip("hwpx")
    document = hwpx.HwpxDocument.open(content)
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert CONTRACT.title in texts[0]
    assert any("제1조 (근로계약기간)" in text for text in texts)


def test_headings_are_levels_of_the_outline(content: bytes) -> None:
    with ZipFile(BytesIO(content)) as package:
        header = ElementTree.fromstring(package.read("Contents/header.xml"))
    head = "{http://www.hancom.co.kr/hwpml/2011/head}"
    levels = [heading.get("level") for heading in header.iter(f"{head}heading") if heading.get("type") == "OUTLINE"]
    assert levels == ["0", "1"]
    assert [style.get("name") for style in header.iter(f"{head}style")] == ["바탕글", "개요 1", "개요 2"]


def test_header_cells_are_repeated_and_the_caption_describes_the_table(section: ElementTree.Element) -> None:
    wages, worker, signatures = section.iter(f"{HP}tbl")
    assert (wages.get("repeatHeader"), worker.get("repeatHeader")) == ("1", "0")
    assert [cell.get("header") for cell in wages.iter(f"{HP}tc")] == ["1"] * 3 + ["0"] * 6
    assert wages.findtext(f"{HP}shapeComment") == "임금의 구성"
    assert (wages.get("pageBreak"), signatures.get("pageBreak")) == ("TABLE", "NONE")


def test_pages_are_numbered(section: ElementTree.Element) -> None:
    footer = next(section.iter(f"{HP}footer"))
    assert [number.get("numType") for number in footer.iter(f"{HP}autoNum")] == ["PAGE", "TOTAL_PAGE"]


def test_a_page_break_begins_the_next_block(section: ElementTree.Element) -> None:
    breaks = [paragraph for paragraph in section.findall(f"{HP}p") if paragraph.get("pageBreak") == "1"]
    assert ["".join(paragraph.itertext()) for paragraph in breaks] == ["가운데 글"]
