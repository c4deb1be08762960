"""The single way in for all file formats."""

from __future__ import annotations

from collections.abc import Callable

from utils.paperwork.layout import PaperDocument
from utils.paperwork.rendering.docx_writer import write_docx
from utils.paperwork.rendering.formats import DocumentFormat, RenderedFile
from utils.paperwork.rendering.hwpx_writer import write_hwpx
from utils.paperwork.rendering.pdf_writer import write_pdf
from utils.paperwork.rendering.writable import writable

_WRITERS: dict[DocumentFormat, Callable[[PaperDocument], bytes]] = {
    DocumentFormat.pdf: write_pdf,
    DocumentFormat.docx: write_docx,
    DocumentFormat.hwpx: write_hwpx,
}


def render(document: PaperDocument, file_format: DocumentFormat) -> RenderedFile:
    """Return the document as a file of ``file_format``.

    It takes CPU time in proportion to the text (docs/decisions/0046-files-of-documents.md) and is safe to call from
    several threads at once; never call it on the event loop.

    Raises `UnwritableDocument` for a text that cannot be written whole, and `FormatUnavailable` where the packages of
    the format are not installed.
    """
    content = _WRITERS[file_format](writable(document))
    return RenderedFile(content, file_format.media_type, file_format.value)
