"""Texts that go into a document to sign: kept as they were written, or refused with the reason; nothing is dropped unseen."""

from __future__ import annotations

import re
import unicodedata

from pydantic_core import PydanticCustomError

from utils.observability.personal_data import replace_personal_data

_RESIDENT = "주민등록번호"
_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029|\x0b|\x0c|\x85")
# Zero-width spaces and marks of byte order come with text that is pasted, and nobody has written them.
_PASTED = re.compile("[\u200b\u2060\ufeff\xad]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\ufdd0-\ufdef\U000e0000-\U000e0fff]")
# They make a text read otherwise than it is stored: two files of one contract would differ.
_REORDERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_STACKED = 8


def harmless_line(text: str) -> str:
    """Return a text of one line in NFC.

    Raises:
        PydanticCustomError: it has several lines, or what `harmless_text` refuses.
    """
    cleaned = harmless_text(text)
    if "\n" in cleaned:
        raise PydanticCustomError("several_lines", "several lines")
    return cleaned.replace("\t", " ")


def harmless_text(text: str) -> str:
    """Return a text in NFC, line ends as ``\\n``, without the invisible characters that come with pasting.

    Raises:
        PydanticCustomError: it has control characters, characters that change the direction of reading, letters under heaps of
            marks, a resident registration number (개인정보 보호법 제24조의2), or nothing that can be seen.
    """
    cleaned = unicodedata.normalize("NFC", _PASTED.sub("", _LINE_ENDS.sub("\n", text)))
    if _CONTROLS.search(cleaned):
        raise PydanticCustomError("control_character", "control character")
    if _REORDERING.search(cleaned):
        raise PydanticCustomError("reordering_character", "reordering character")
    if _heaps_marks(cleaned):
        raise PydanticCustomError("stacked_marks", "stacked marks")
    if has_resident_number(cleaned):
        raise PydanticCustomError("resident_number", "resident registration number")
    if not cleaned.strip():
        raise PydanticCustomError("nothing_visible", "nothing visible")
    return cleaned


def has_resident_number(text: str) -> bool:
    """Return whether a text holds a resident registration number, also with digits of full width or a part starred out."""
    found: list[str] = []

    def note(kind: str, match: str) -> str:
        if kind == _RESIDENT:
            found.append(match)
        return match

    replace_personal_data(unicodedata.normalize("NFKC", text), note)
    return bool(found)


def _heaps_marks(text: str) -> bool:
    """Letters with more marks than any script writes run over the lines above and below."""
    if text.isascii():
        return False
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > _STACKED:
            return True
    return False
