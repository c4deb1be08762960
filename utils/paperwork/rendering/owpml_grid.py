"""Tables of OWPML, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from utils.paperwork.rendering import page
from utils.paperwork.rendering.owpml import Paragraphs, child, sub_list, units
from utils.paperwork.rendering.owpml_shapes import Borders, ParagraphShape

_ROW_MM = 8.0  # rows grow with their text
_PADDING = {"left": 510, "right": 510, "top": 255, "bottom": 255}


class Grid:
    """A table in a run of its own. ``element`` is its XML.

    ``breaks`` says where it may break over two pages: NONE, TABLE (between rows) or CELL (also within them). A table that
    breaks nowhere is set like a letter, so that it moves to the next page with its line.
    """

    def __init__(self, paragraphs: Paragraphs, run: Element, rows: int, widths: Sequence[float], breaks: str) -> None:
        self.paragraphs, self.widths = paragraphs, widths
        self._rows, self._height = 0, 0.0
        is_letter = breaks == "NONE"
        self.element = child(
            run, "hp:tbl", id=paragraphs.number(), zOrder=0, numberingType="TABLE", textWrap="TOP_AND_BOTTOM",
            textFlow="BOTH_SIDES", lock=False, dropcapstyle="None", pageBreak=breaks, repeatHeader=False, rowCnt=rows,
            colCnt=len(widths), cellSpacing=0, borderFillIDRef=Borders.none.value, noAdjust=False,
        )  # fmt: skip
        run.append(run[0])  # the text of the run, which is empty, comes behind the table
        self._size = child(
            self.element, "hp:sz", width=units(page.TEXT_WIDTH_MM * sum(widths)), widthRelTo="ABSOLUTE",
            height=0, heightRelTo="ABSOLUTE", protect=False,
        )  # fmt: skip
        child(
            self.element, "hp:pos", treatAsChar=is_letter, affectLSpacing=False, flowWithText=True, allowOverlap=False,
            holdAnchorAndSO=False, vertRelTo="PARA", horzRelTo="COLUMN", vertAlign="TOP", horzAlign="LEFT", vertOffset=0,
            horzOffset=0,
        )  # fmt: skip
        distance = 0 if is_letter else units(1)
        child(self.element, "hp:outMargin", left=0, right=0, top=distance, bottom=distance)

    def pad(self) -> None:
        """Set the distance of all cells' texts from their borders; the rows come behind it."""
        child(self.element, "hp:inMargin", **_PADDING)

    def row(self, *, height: float = _ROW_MM, vertical: str = "CENTER") -> Row:
        """Return a new row below the others, of at least ``height`` mm."""
        self._rows += 1
        self._height += height
        self._size.set("height", str(units(self._height)))
        return Row(self, child(self.element, "hp:tr"), self._rows - 1, height, vertical)


class Row:
    """A row of a grid, filled from left to right."""

    def __init__(self, grid: Grid, element: Element, number: int, height: float, vertical: str) -> None:
        self._grid, self._element, self._number = grid, element, number
        self._height, self._vertical = units(height), vertical
        self._column = 0

    def cell(self, shape: ParagraphShape, text: str, borders: Borders, *, span: int = 1) -> None:
        """Add a cell that takes ``span`` columns."""
        cell = child(
            self._element, "hp:tc", name="", header=borders is Borders.header_cell, hasMargin=False, protect=False,
            editable=False, dirty=False, borderFillIDRef=borders.value,
        )  # fmt: skip
        self._grid.paragraphs.add(sub_list(cell, vertical=self._vertical), shape, text)
        width = sum(self._grid.widths[self._column : self._column + span])
        child(cell, "hp:cellAddr", colAddr=self._column, rowAddr=self._number)
        child(cell, "hp:cellSpan", colSpan=span, rowSpan=1)
        child(cell, "hp:cellSz", width=units(page.TEXT_WIDTH_MM * width), height=self._height)
        child(cell, "hp:cellMargin", **_PADDING)
        self._column += span
