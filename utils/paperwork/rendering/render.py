"""The single way in for all file formats."""

from __future__ import annotations

from collections.abc import Callable

from utils.paperwork.layout import PaperDocument
from utils.paperwork.rendering.formats import DocumentFormat, RenderedFile
from utils.paperwork.rendering.writable import writable


def render(document: PaperDocument, file_format: DocumentFormat) -> RenderedFile:
    """Return the document as a file of ``file_format``.

    It takes CPU time in proportion to the text (docs/decisions/0046-files-of-documents.md) and is safe to call from
    several threads at once; never call it on the event loop.

    Raises `UnwritableDocument` for a text that cannot be written whole, and `FormatUnavailable` where the packages of
    the format are not installed.
    """
    content = _writer(file_format)(writable(document))
    return RenderedFile(content, file_format.media_type, file_format.value)


def _writer(file_format: DocumentFormat) -> Callable[[PaperDocument], bytes]:
    # not at the top: the packages of DOCX and PDF take a tenth of a second, which the start does not pay
    match file_format:
        case DocumentFormat.pdf:
            from utils.paperwork.rendering.pdf_writer import write_pdf

            return write_pdf
        case DocumentFormat.docx:
            from utils.paperwork.rendering.docx_writer import write_docx

            return write_docx
        case DocumentFormat.hwpx:
            from utils.paperwork.rendering.hwpx_writer import write_hwpx

            return write_hwpx
