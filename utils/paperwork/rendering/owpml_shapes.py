"""The letters, paragraphs and borders that an HWPX document is written with; each is known by its number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from utils.paperwork.rendering import page

FONT = "함초롬돋움"
"""Comes with Hancom Office; other programs take their own Korean font for it."""


class Letters(IntEnum):
    """Shapes of letters, by their number in the header."""

    body = 0
    bold = 1
    title = 2
    heading = 3
    part = 4
    note = 5
    cell = 6
    header_cell = 7
    marginal = 8
    draft = 9
    bold_note = 10


LETTERS: dict[Letters, tuple[float, bool, str]] = {
    Letters.body: (page.BODY_PT, False, "000000"),
    Letters.bold: (page.BODY_PT, True, "000000"),
    Letters.title: (page.TITLE_PT, True, "000000"),
    Letters.heading: (page.HEADING_PT, True, "000000"),
    Letters.part: (page.PART_PT, True, "000000"),
    Letters.note: (page.NOTE_PT, False, page.NOTE_COLOUR),
    Letters.cell: (page.TABLE_PT, False, "000000"),
    Letters.header_cell: (page.TABLE_PT, True, "000000"),
    Letters.marginal: (page.MARGINAL_PT, False, "000000"),
    Letters.draft: (page.MARGINAL_PT, True, page.DRAFT_COLOUR),
    Letters.bold_note: (page.NOTE_PT, True, page.NOTE_COLOUR),
}
"""Size in points, bold, colour."""


class Borders(IntEnum):
    """Borders and fills, by their number in the header."""

    none = 1
    cell = 2
    header_cell = 3
    blank = 4


@dataclass(frozen=True, slots=True)
class ParagraphShape:
    """A shape of paragraphs. ``style`` is the number of its style; lengths in points.

    ``heading`` is NONE, OUTLINE (with ``level`` from 0) or BULLET.
    """

    number: int
    letters: Letters
    alignment: str = "LEFT"
    before: float = 0
    after: float = 4
    left: float = 0
    first: float = 0
    spacing: int = 160
    keeps_next: bool = False
    heading: str = "NONE"
    level: int = 0
    style: int = 0


BODY = {
    alignment: ParagraphShape(number, Letters.body, alignment.upper())
    for number, alignment in enumerate(("left", "center", "right"))
}
NOTE = {
    alignment: ParagraphShape(number, Letters.note, alignment.upper(), left=6, spacing=150)
    for number, alignment in enumerate(("left", "center", "right"), 3)
}
TITLE = ParagraphShape(6, Letters.title, "CENTER", after=16)
HEADINGS = {
    1: ParagraphShape(7, Letters.heading, before=12, keeps_next=True, heading="OUTLINE", level=0, style=1),
    2: ParagraphShape(8, Letters.part, before=8, keeps_next=True, heading="OUTLINE", level=1, style=2),
}
NUMBERED = ParagraphShape(9, Letters.body, left=16, first=-16, after=2)
BULLET = ParagraphShape(10, Letters.body, left=16, first=-12, after=2, heading="BULLET")
CELL = ParagraphShape(11, Letters.cell, after=0, spacing=140)
HEADER_CELL = ParagraphShape(12, Letters.header_cell, "CENTER", after=0, spacing=140)
DATE = ParagraphShape(13, Letters.body, "CENTER", after=0)
ROLE = ParagraphShape(14, Letters.bold, after=0)
SIGNATURES = ParagraphShape(15, Letters.cell, "CENTER", before=10, after=0)
MARGINAL = ParagraphShape(16, Letters.marginal, "CENTER", after=0)
TABLE = ParagraphShape(17, Letters.cell, before=4, after=8)

SHAPES = (
    *BODY.values(), *NOTE.values(), TITLE, *HEADINGS.values(), NUMBERED, BULLET, CELL, HEADER_CELL, DATE, ROLE, SIGNATURES,
    MARGINAL, TABLE,
)  # fmt: skip

STYLES = (
    ("바탕글", "Normal", BODY["left"]),
    ("개요 1", "Outline 1", HEADINGS[1]),
    ("개요 2", "Outline 2", HEADINGS[2]),
)
"""Name, English name and shape of each style, by its number."""
