"""A document as accessible PDF: PDF/UA-1 (ISO 14289-1) and PDF/A-2a (ISO 19005-2), set by Typst."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from utils.config.settings import PROJECT_ROOT
from utils.paperwork.layout import Block, Heading, ItemList, PageBreak, PaperDocument, Paragraph, Signatures, Table
from utils.paperwork.rendering import page
from utils.paperwork.rendering.font_coverage import covered
from utils.paperwork.rendering.formats import DRAFT_MARK, FormatUnavailable
from utils.paperwork.rendering.pdf_tables import describe_tables

if TYPE_CHECKING:
    import typst

_TEMPLATE = PROJECT_ROOT / "data" / "paperwork" / "document.typ"
_LONG = 100_000  # characters of data
_REMEMBERED = 12  # compilations
_SYMBOLS = "☐☑☒✓✔✗✘"
"""Boxes to tick, which the Korean fonts lack; the third font of the template has them."""
_HANGUL_ONLY = re.compile(r"[ -~가-힣\n]*")


def write_pdf(document: PaperDocument) -> bytes:
    """Return the document as the bytes of a PDF file; its texts are writable already (`rendering.writable`).

    The texts reach Typst as data, so none of them is read as markup, and the compiler has no file or package to open. A
    character that the embedded fonts lack is written as its code point: 〔U+1F600〕.

    Raises `FormatUnavailable` without the extra "documents".
    """
    data = _data(document)
    written = _compiler(data).compile(format="pdf", pdf_standards=["a-2a", "ua-1"])
    assert isinstance(written, bytes)
    if len(data) > _LONG:
        _forget()
    return describe_tables(written, [block for block in document.blocks if isinstance(block, Table)])


def pictures(document: PaperDocument, pixels_per_inch: float) -> list[bytes]:
    """Return the pages as PNG. Raises `FormatUnavailable` without the extra "documents"."""
    written = _compiler(_data(document)).compile(format="png", ppi=pixels_per_inch)
    return [written] if isinstance(written, bytes) else written or []


def _compiler(data: str) -> typst.Compiler:
    try:
        import typst
    except ImportError as missing:
        raise FormatUnavailable(
            "PDF를 만드는 구성 요소가 서버에 설치되어 있지 않습니다. 운영자가 “make install-documents”를 실행해야 합니다. "
            "DOCX와 HWPX는 바로 내려받을 수 있습니다."
        ) from missing
    return typst.Compiler(
        _TEMPLATE.read_bytes(),
        root=_TEMPLATE.parent,
        font_paths=_fonts(),
        ignore_system_fonts=True,
        sys_inputs={"paper": data},
    )


def _forget() -> None:
    """Make Typst drop what it keeps of a long document: hundreds of MB, for as many compilations as are done here."""
    import typst

    for _ in range(_REMEMBERED):
        typst.Compiler(b"#set page(width: 1cm)", root=_TEMPLATE.parent, ignore_system_fonts=True).compile()


@cache
def _fonts() -> typst.Fonts:
    import pylopdf_fonts_ko
    import typst

    return typst.Fonts(include_system_fonts=False, font_paths=[pylopdf_fonts_ko.sans_path().parent])


@cache
def _shown() -> frozenset[int]:
    """Return the code points that the embedded fonts have glyphs for."""
    import pylopdf_fonts_ko

    fonts = (pylopdf_fonts_ko.sans_path(), pylopdf_fonts_ko.serif_path())
    return frozenset(map(ord, _SYMBOLS)).union(*map(covered, fonts))


def _data(document: PaperDocument) -> str:
    """Return what the template is filled with, as JSON."""
    filled = {
        "title": _legible(document.title),
        "mark": DRAFT_MARK if document.is_draft else None,
        "sizes": {
            "title": page.TITLE_PT,
            "heading": page.HEADING_PT,
            "part": page.PART_PT,
            "body": page.BODY_PT,
            "table": page.TABLE_PT,
            "note": page.NOTE_PT,
            "marginal": page.MARGINAL_PT,
        },
        "margins": {"top": page.MARGIN_TOP_MM, "bottom": page.MARGIN_BOTTOM_MM, "side": page.MARGIN_SIDE_MM},
        "signing": {
            "label": page.LABEL_SHARE,
            "value": page.VALUE_SHARE,
            "syllables": page.syllables(page.VALUE_SHARE, page.BODY_PT),
            "label-syllables": page.syllables(page.LABEL_SHARE, page.BODY_PT),
        },
        "blocks": _blocks(document.blocks),
    }
    return orjson.dumps(filled).decode()


def _blocks(blocks: tuple[Block, ...]) -> list[dict[str, Any]]:
    """Return the blocks; a part without an article before it is a heading of the first level, as PDF/UA-1 wants (7.4)."""
    written = []
    has_article = False
    for block in blocks:
        filled = _block(block)
        if isinstance(block, Heading):
            has_article = has_article or block.level == 1
            filled["level"] = block.level if has_article else 1
        written.append(filled)
    return written


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Heading():
            return {"kind": "heading", "level": block.level, "text": _legible(block.text)}
        case Paragraph():
            return {
                "kind": "paragraph",
                "text": _legible(block.text),
                "alignment": block.alignment,
                "bold": block.is_bold,
                "note": block.is_note,
            }
        case ItemList():
            return {"kind": "numbered" if block.numbered else "bullets", "items": [*map(_legible, block.items)]}
        case Table():
            return {
                "kind": "table",
                "shares": page.shares(block),
                "syllables": [*map(page.syllables, page.shares(block))],
                "headers": page.repeated_rows(block),
                "rows": [_row(block, number) for number in range(len(block.rows))],
            }
        case Signatures():
            people = [
                {
                    "role": _legible(person.role),
                    "lines": [[*map(_legible, line)] for line in person.lines],
                    "whole": page.sign_together([person]),
                }
                for person in block.signatories
            ]
            whole = page.sign_together(block.signatories)
            return {"kind": "signatures", "date": _legible(block.date), "people": people, "whole": whole}
        case PageBreak():
            return {"kind": "page break"}


def _row(table: Table, number: int) -> list[dict[str, Any]]:
    row = table.rows[number]
    is_whole = page.stays_whole(row, page.shares(table))
    return [
        {"text": _legible(text), "header": page.is_header(table, number, column), "breakable": not is_whole}
        for column, text in enumerate(row)
    ]


def _legible(text: str) -> str:
    """Return the text with the code point, in brackets, for each character that no embedded font shows."""
    if _HANGUL_ONLY.fullmatch(text):
        return text
    return "".join(character if _is_shown(character) else f"〔U+{ord(character):04X}〕" for character in text)


def _is_shown(character: str) -> bool:
    return ord(character) in _shown() or character == "\n" or unicodedata.category(character) == "Cf"
