"""A finished document as blocks: templates are turned into these, and each file format is written from them alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Alignment = Literal["left", "center", "right"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A title within the document.

    ``level`` 1 is an article or a section, 2 a part of it; the document's own title is `PaperDocument.title`.
    """

    text: str
    level: Literal[1, 2] = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; a line feed within it begins a new line of the same paragraph."""

    text: str
    alignment: Alignment = "left"
    is_bold: bool = False
    is_note: bool = False
    """Smaller and set apart: an explanation, a warning, the mark of a draft."""


@dataclass(frozen=True, slots=True)
class ItemList:
    """Items one under the other; ``numbered`` writes 1., 2., … before them, else a bullet."""

    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text.

    ``rows`` all have the same number of cells. ``widths`` are shares of the text's width that sum to 1, or empty for
    equal ones. ``header_rows`` first rows and, with ``has_header_column``, the first cell of each row are headers.
    ``caption`` says what the table holds, also to a screen reader.
    """

    rows: tuple[tuple[str, ...], ...]
    caption: str
    header_rows: int = 1
    has_header_column: bool = False
    widths: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Signatory:
    """A person or company that signs: the role ("사업주") and label-value lines; an empty value stays a blank to fill in."""

    role: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Signatures:
    """The date and the places to sign, kept together on a page."""

    date: str
    signatories: tuple[Signatory, ...]


@dataclass(frozen=True, slots=True)
class PageBreak:
    """The end of a page: the next block begins on a new one."""


Block = Heading | Paragraph | ItemList | Table | Signatures | PageBreak


@dataclass(frozen=True, slots=True)
class PaperDocument:
    """A document ready to be written as a file.

    ``file_stem`` is the file's name without its ending, in Korean, free of characters that file systems refuse.
    """

    title: str
    blocks: tuple[Block, ...]
    file_stem: str
    is_draft: bool = False
    """Holds text that a model wrote: every page says so."""


def lines_of(document: PaperDocument) -> list[str]:
    """Return the text of the document line by line, in reading order: what every file format has to hold."""
    lines = [document.title]
    for block in document.blocks:
        match block:
            case Heading() | Paragraph():
                lines += block.text.split("\n")
            case ItemList():
                lines += [f"{number}. {item}" if block.numbered else item for number, item in enumerate(block.items, 1)]
            case Table():
                lines += [cell for row in block.rows for cell in row]
            case Signatures():
                lines.append(block.date)
                for signatory in block.signatories:
                    lines.append(signatory.role)
                    lines += [part for line in signatory.lines for part in line]
            case PageBreak():
                pass
    return [line for line in lines if line.strip()]
