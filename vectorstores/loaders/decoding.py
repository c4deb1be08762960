"""Bytes from outside as text, and the names of files as they can be shown and stored."""

from __future__ import annotations

UTF_8 = "UTF-8"
CP949 = "CP949"


def decoded(data: bytes) -> tuple[str, str]:
    """``(text, encoding)`` of UTF-8, or of CP949, in which Korean Windows programs still save.

    A UTF-8 text with some broken bytes is not tried as CP949: that may succeed and give other words.

    Raises:
        UnicodeDecodeError: it is neither, at the byte where UTF-8 fails.
    """
    try:
        return data.decode("utf-8-sig"), UTF_8
    except UnicodeDecodeError as error:
        if _is_damaged_utf8(data):
            raise
        try:
            return data.decode("cp949"), CP949
        except UnicodeDecodeError:
            raise error from None


def readable_name(name: str) -> str:
    """A file's name whose bytes are not UTF-8 (unpacked from a Windows archive) as text that can be printed and stored."""
    data = name.encode("utf-8", "surrogateescape")
    try:
        return decoded(data)[0]
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _is_damaged_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return sum(character > "\x7f" for character in text) > 2 * broken
