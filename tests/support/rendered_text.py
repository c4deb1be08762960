"""The text of a written document, read by a library that did not write it where there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from xml.etree import ElementTree
from zipfile import ZipFile

import docx
from docx.table import Table
from pypdf import PdfReader

from utils.paperwork.rendering.formats import DRAFT_MARK, DocumentFormat

_MARGINAL = re.compile(rf"^{re.escape(DRAFT_MARK)}|\s*\d+ / \d+\s*\Z")
HP = "{http://www.hancom.co.kr/hwpml/2011/paragraph}"


def text_of(content: bytes, file_format: DocumentFormat) -> str:
    """Return the text without headers and footers, line feeds as they come."""
    readers = {DocumentFormat.pdf: _pdf, DocumentFormat.docx: _docx, DocumentFormat.hwpx: _hwpx}
    return readers[file_format](content)


def pdf_pages(content: bytes) -> list[str]:
    """Return the text of each page with its header and footer."""
    return [page.extract_text() for page in PdfReader(BytesIO(content)).pages]


def _pdf(content: bytes) -> str:
    return "\n".join(_MARGINAL.sub("", page) for page in pdf_pages(content))


def _docx(content: bytes) -> str:
    lines = []
    for item in docx.Document(BytesIO(content)).iter_inner_content():
        lines += [cell.text for row in item.rows for cell in row.cells] if isinstance(item, Table) else [item.text]
    return "\n".join(lines)


def _hwpx(content: bytes) -> str:
    with ZipFile(BytesIO(content)) as package:
        section = ElementTree.fromstring(package.read("Contents/section0.xml"))
    for control in section.iter(f"{HP}ctrl"):  # header and footer
        control.clear()
    return "\n".join(_hwpx_lines(section))


def _hwpx_lines(section: ElementTree.Element) -> Iterator[str]:
    for text in section.iter(f"{HP}t"):
        yield text.text or ""
        for line_break in text:
            yield line_break.tail or ""
