"""Measures of the page, the same in every file format."""

from __future__ import annotations

from utils.paperwork.layout import Table

PAGE_WIDTH_MM, PAGE_HEIGHT_MM = 210.0, 297.0
MARGIN_TOP_MM, MARGIN_BOTTOM_MM, MARGIN_SIDE_MM = 25.0, 20.0, 22.0
TEXT_WIDTH_MM = PAGE_WIDTH_MM - 2 * MARGIN_SIDE_MM

TITLE_PT, HEADING_PT, PART_PT, BODY_PT, TABLE_PT, NOTE_PT, MARGINAL_PT = 18.0, 11.5, 10.5, 10.5, 10.0, 9.0, 8.5
LINE_SPACING = 1.45

LABEL_SHARE, VALUE_SHARE = 0.26, 0.50
"""Of the text's width: the labels of a signature and the room behind them."""

HEADER_FILL = "F0F0F0"
DRAFT_COLOUR = "B00020"
NOTE_COLOUR = "404040"

LONG_ROW = 600
"""Characters from which a table row may break over two pages; shorter ones stay whole."""


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
