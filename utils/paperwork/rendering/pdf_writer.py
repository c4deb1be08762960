"""A document as PDF."""

from __future__ import annotations

from utils.paperwork.layout import PaperDocument
from utils.paperwork.rendering.formats import FormatUnavailable


def write_pdf(document: PaperDocument) -> bytes:
    """Return the document as the bytes of a PDF file."""
    raise FormatUnavailable("이 형식은 아직 만들 수 없습니다.")
