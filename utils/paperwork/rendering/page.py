"""Measures of the page, the same in every file format."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from utils.paperwork.layout import Signatory, Table

PAGE_WIDTH_MM, PAGE_HEIGHT_MM = 210.0, 297.0
MARGIN_TOP_MM, MARGIN_BOTTOM_MM, MARGIN_SIDE_MM = 25.0, 20.0, 22.0
TEXT_WIDTH_MM = PAGE_WIDTH_MM - 2 * MARGIN_SIDE_MM

TITLE_PT, HEADING_PT, PART_PT, BODY_PT, TABLE_PT, NOTE_PT, MARGINAL_PT = 18.0, 11.5, 10.5, 10.5, 10.0, 9.0, 8.5
LINE_SPACING = 1.45

LABEL_SHARE, VALUE_SHARE = 0.28, 0.52
"""Of the text's width: the labels of a signature and the room behind them."""

HEADER_FILL = "F0F0F0"
DRAFT_COLOUR = "B00020"
NOTE_COLOUR = "404040"

_MM_PER_PT = 25.4 / 72
_CELL_PADDING_MM = 4.5
_KEPT_LINES = 20  # of a table row, or of all signatures: what is higher may break over two pages


def shares(table: Table) -> list[float]:
    """Return the width of each column as a share of the text's width; they sum to 1."""
    columns = len(table.rows[0])
    widths = table.widths or (1.0,) * columns
    if len(widths) != columns or min(widths) <= 0:
        raise ValueError(f"{len(widths)} widths for {columns} columns: {widths}")
    return [width / sum(widths) for width in widths]


def is_header(table: Table, row: int, column: int) -> bool:
    """Return True for a cell that names others."""
    return row < table.header_rows or (table.has_header_column and column == 0)


def syllables(share: float, size_pt: float = TABLE_PT) -> int:
    """Return how many Hangul syllables fit on a line of a cell that takes ``share`` of the text's width."""
    return max(1, int((share * TEXT_WIDTH_MM - _CELL_PADDING_MM) / (size_pt * _MM_PER_PT)))


def stays_whole(row: Sequence[str], widths: Sequence[float]) -> bool:
    """Return True for a table row that is low enough to be kept on one page."""
    return _height(row, widths) <= _KEPT_LINES


def repeated_rows(table: Table) -> int:
    """Return how many header rows are repeated on each page; none where they would leave little room for others."""
    widths = shares(table)
    height = sum(_height(row, widths) for row in table.rows[: table.header_rows])
    return table.header_rows if height <= _KEPT_LINES and table.header_rows < len(table.rows) else 0


def sign_together(signatories: Sequence[Signatory]) -> bool:
    """Return True if the signatories are few enough to be kept on one page."""
    room = syllables(VALUE_SHARE)
    return sum(2 + sum(_lines(value, room) for _, value in person.lines) for person in signatories) <= 1.5 * _KEPT_LINES


def _height(row: Sequence[str], widths: Sequence[float]) -> int:
    return max(_lines(text, syllables(width)) for text, width in zip(row, widths, strict=True))


def _lines(text: str, room: int) -> int:
    return sum(max(1, ceil(len(line) / room)) for line in text.split("\n"))
