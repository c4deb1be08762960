"""The file formats of a document, and the ways in which writing one can fail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

DRAFT_MARK = "초안 · 인공지능이 쓴 문장이 들어 있습니다. 서명하거나 보내기 전에 사람이 확인해야 합니다."
"""Stands at the top of every page of a draft."""


class DocumentFormat(StrEnum):
    """A file format, by the ending of its files."""

    pdf = "pdf"
    docx = "docx"
    hwpx = "hwpx"

    @property
    def media_type(self) -> str:
        """Return the media type that the format's files are sent with."""
        return _MEDIA_TYPES[self]


_MEDIA_TYPES = {
    DocumentFormat.pdf: "application/pdf",
    DocumentFormat.docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    DocumentFormat.hwpx: "application/hwp+zip",
}


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A written file. ``extension`` has no dot."""

    content: bytes
    media_type: str
    extension: str


class UnwritableDocument(ValueError):
    """The document holds what no file can hold whole. ``message`` tells a person why, in Korean."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class FormatUnavailable(RuntimeError):
    """The format needs packages that are not installed. ``message`` tells a person which, in Korean."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
