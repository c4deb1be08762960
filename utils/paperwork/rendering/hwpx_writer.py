"""A document as HWPX."""

from __future__ import annotations

from utils.paperwork.layout import PaperDocument
from utils.paperwork.rendering.formats import FormatUnavailable


def write_hwpx(document: PaperDocument) -> bytes:
    """Return the document as the bytes of a HWPX file."""
    raise FormatUnavailable("이 형식은 아직 만들 수 없습니다.")
