"""The text of a document as every format can hold it, or a refusal that says what is wrong with it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from itertools import groupby

from utils.paperwork.layout import (
    Block,
    Heading,
    ItemList,
    PageBreak,
    PaperDocument,
    Paragraph,
    Signatory,
    Signatures,
    Table,
)
from utils.paperwork.rendering.formats import UnwritableDocument

MAX_CHARACTERS = 500_000
"""Of a whole document: well above 200 full pages."""
MAX_PARTS = 10_000
"""Lines of paragraphs, items and table cells of a whole document."""
MAX_HEADING = 300
"""Characters of a title, a heading or a caption, which also stand in lists where they cannot be broken."""
MAX_COLUMNS = 12
"""Of a table: more leave no room for a word on an A4 page."""
MAX_MARKS = 30
"""Combining marks and invisible characters in a row: no script has so many on a letter, and programs that set text fail at
some number of them."""

_LINE_ENDS = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_PLAIN = re.compile(r"[ -~가-힣\n]*")
_INVISIBLE = re.compile("[\xad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
"""Marks that take no room and print nothing; a search in the file would no longer find the words that hold them."""
_UNWRITABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"  # control characters: XML 1.0, section 2.2, forbids most of them
    "|[\ud800-\udfff\ufffe\uffff]"  # half characters and no characters
    "|[\u202a-\u202e\u2066-\u2069]"  # order of reading turned round: the page would say something else than the file
)


def writable(document: PaperDocument) -> PaperDocument:
    """Return the document with every text in NFC, without invisible marks and with line feeds as its only line ends.

    Raises `UnwritableDocument` for control characters, halves of surrogate pairs, marks that turn the order of reading
    round, heaps of combining marks, tables without columns or with too many, and what is too long.
    """
    parts = [document.title, *(text for block in document.blocks for text in _texts(block))]
    if sum(map(len, parts)) > MAX_CHARACTERS or sum(1 + len(_LINE_ENDS.findall(part)) for part in parts) > MAX_PARTS:
        raise UnwritableDocument(
            f"문서가 너무 깁니다. 한 문서는 {MAX_CHARACTERS:,}자, 줄과 칸 {MAX_PARTS:,}개까지 만들 수 있습니다."
        )
    if max(map(len, (document.title, *_headings(document.blocks)))) > MAX_HEADING:
        raise UnwritableDocument(f"제목이 너무 깁니다. 제목은 {MAX_HEADING}자까지 쓸 수 있습니다.")
    return replace(
        document, title=_on_one_line(_text(document.title)), blocks=tuple(_block(block) for block in document.blocks)
    )


def _headings(blocks: tuple[Block, ...]) -> list[str]:
    captions = [block.caption for block in blocks if isinstance(block, Table)]
    return [*captions, *(block.text for block in blocks if isinstance(block, Heading))]


def _texts(block: Block) -> list[str]:
    match block:
        case Heading() | Paragraph():
            return [block.text]
        case ItemList():
            return list(block.items)
        case Table():
            return [block.caption, *(cell for row in block.rows for cell in row)]
        case Signatures():
            lines = [part for person in block.signatories for line in person.lines for part in line]
            return [block.date, *(person.role for person in block.signatories), *lines]
        case PageBreak():
            return []


def _block(block: Block) -> Block:
    match block:
        case Heading() | Paragraph():
            return replace(block, text=_text(block.text))
        case ItemList():
            return replace(block, items=_all(block.items))
        case Table():
            return _table(block)
        case Signatures():
            people = tuple(
                Signatory(_text(person.role), tuple((_text(label), _text(value)) for label, value in person.lines))
                for person in block.signatories
            )
            return Signatures(_text(block.date), people)
        case PageBreak():
            return block


def _table(table: Table) -> Table:
    columns = {len(row) for row in table.rows}
    if len(columns) != 1 or not 1 <= next(iter(columns)) <= MAX_COLUMNS:
        raise UnwritableDocument(f"표의 모든 줄은 칸 수가 같아야 하고, 칸은 1개에서 {MAX_COLUMNS}개까지입니다.")
    return replace(table, rows=tuple(map(_all, table.rows)), caption=_on_one_line(_text(table.caption)))


def _all(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_text, texts))


def _text(text: str) -> str:
    lines = _LINE_ENDS.sub("\n", text).replace("\t", "    ")
    found = _UNWRITABLE.search(lines)
    if found is not None:
        raise UnwritableDocument(
            f"문서에 쓸 수 없는 문자(U+{ord(found.group()):04X})가 들어 있습니다. 지우고 다시 시도해 주세요: "
            f"“{_surroundings(lines, found.start())}”"
        )
    if not _PLAIN.fullmatch(lines) and _marks_in_a_row(lines) > MAX_MARKS:
        raise UnwritableDocument(
            f"한 글자에 붙은 기호가 너무 많습니다({MAX_MARKS}개 초과). 지우고 다시 시도해 주세요: “{_on_one_line(lines)[:15]}…”"
        )
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", lines))


def _marks_in_a_row(text: str) -> int:
    """Return the length of the longest run of characters that take no room of their own."""
    runs = groupby(text, lambda character: unicodedata.category(character) in {"Mn", "Me", "Cf"})
    return max((sum(1 for _ in run) for is_mark, run in runs if is_mark), default=0)


def _surroundings(text: str, at: int) -> str:
    """Return the words before the character, so that a person finds the place."""
    return _on_one_line(_UNWRITABLE.sub("□", text[max(0, at - 15) : at + 1]))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
