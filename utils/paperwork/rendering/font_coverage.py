"""The characters that a font has glyphs for (OpenType 1.9, table "cmap")."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_HEADER = struct.Struct(">4sHHHH")
_TABLE = struct.Struct(">4sIII")
_ENCODING = struct.Struct(">HHI")
_SEGMENTED = struct.Struct(">HHIII")
_GROUP = struct.Struct(">III")
_SEGMENTED_COVERAGE = 12  # the format of a subtable for all of Unicode


def covered(font: Path) -> frozenset[int]:
    """Return the code points that the font shows. Raises `ValueError` for a font without a table for all of Unicode."""
    content = font.read_bytes()
    subtable = _subtable(content, _cmap(content))
    *_, groups = _SEGMENTED.unpack_from(content, subtable)
    ranges = _GROUP.iter_unpack(content[subtable + _SEGMENTED.size : subtable + _SEGMENTED.size + groups * _GROUP.size])
    return frozenset(point for first, last, _glyph in ranges for point in range(first, last + 1))


def _cmap(content: bytes) -> int:
    _version, tables, *_ = _HEADER.unpack_from(content)
    for number in range(tables):
        tag, _checksum, offset, _length = _TABLE.unpack_from(content, _HEADER.size + number * _TABLE.size)
        if tag == b"cmap":
            return int(offset)
    raise ValueError("The font has no table cmap.")


def _subtable(content: bytes, cmap: int) -> int:
    for offset in _encodings(content, cmap):
        if struct.unpack_from(">H", content, cmap + offset)[0] == _SEGMENTED_COVERAGE:
            return cmap + offset
    raise ValueError("The font has no segmented coverage (format 12).")


def _encodings(content: bytes, cmap: int) -> Iterator[int]:
    _version, tables = struct.unpack_from(">HH", content, cmap)
    for number in range(tables):
        yield _ENCODING.unpack_from(content, cmap + 4 + number * _ENCODING.size)[2]
