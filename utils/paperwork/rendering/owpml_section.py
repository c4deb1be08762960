"""The page of an HWPX section. Hancom Office refuses a section that leaves out what it never uses, such as notes."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from utils.paperwork.rendering import page
from utils.paperwork.rendering.owpml import child, units
from utils.paperwork.rendering.owpml_shapes import Borders

_MARGINAL_MM = 10.0  # the room of header and footer, which is counted apart from the margins


def add_section(run: Element) -> None:
    """Add size and margins of the page to the first run of a section."""
    section = child(
        run, "hp:secPr", id="", textDirection="HORIZONTAL", spaceColumns=1134, tabStop=8000, tabStopVal=4000,
        tabStopUnit="HWPUNIT", outlineShapeIDRef=1, memoShapeIDRef=0, textVerticalWidthHead=0, masterPageCnt=0,
    )  # fmt: skip
    child(section, "hp:grid", lineGrid=0, charGrid=0, wonggojiFormat=False)
    child(section, "hp:startNum", pageStartsOn="BOTH", page=0, pic=0, tbl=0, equation=0)
    child(
        section, "hp:visibility", hideFirstHeader=False, hideFirstFooter=False, hideFirstMasterPage=False, border="SHOW_ALL",
        fill="SHOW_ALL", hideFirstPageNum=False, hideFirstEmptyLine=False, showLineNumber=False,
    )  # fmt: skip
    child(section, "hp:lineNumberShape", restartType=0, countBy=0, distance=0, startNumber=0)
    sheet = child(
        section, "hp:pagePr", landscape="WIDELY", width=units(page.PAGE_WIDTH_MM), height=units(page.PAGE_HEIGHT_MM),
        gutterType="LEFT_ONLY",
    )  # fmt: skip
    child(
        sheet, "hp:margin", header=units(_MARGINAL_MM), footer=units(_MARGINAL_MM), gutter=0,
        left=units(page.MARGIN_SIDE_MM), right=units(page.MARGIN_SIDE_MM), top=units(page.MARGIN_TOP_MM - _MARGINAL_MM),
        bottom=units(page.MARGIN_BOTTOM_MM - _MARGINAL_MM),
    )  # fmt: skip
    _notes(section, "footNotePr", -1, 283, "EACH_COLUMN")
    _notes(section, "endNotePr", 14692344, 0, "END_OF_DOCUMENT")
    for kind in ("BOTH", "EVEN", "ODD"):
        fill = child(
            section, "hp:pageBorderFill", type=kind, borderFillIDRef=Borders.none.value, textBorder="PAPER",
            headerInside=False, footerInside=False, fillArea="PAPER",
        )  # fmt: skip
        child(fill, "hp:offset", left=1417, right=1417, top=1417, bottom=1417)
    columns = child(child(run, "hp:ctrl"), "hp:colPr", id="", type="NEWSPAPER", layout="LEFT", colCount=1)
    columns.attrib.update(sameSz="1", sameGap="0")


def _notes(section: Element, name: str, length: int, between: int, place: str) -> None:
    notes = child(section, f"hp:{name}")
    child(notes, "hp:autoNumFormat", type="DIGIT", userChar="", prefixChar="", suffixChar=")", supscript=False)
    child(notes, "hp:noteLine", length=length, type="SOLID", width="0.12 mm", color="#000000")
    child(notes, "hp:noteSpacing", betweenNotes=between, belowLine=567, aboveLine=850)
    child(notes, "hp:numbering", type="CONTINUOUS", newNum=1)
    child(notes, "hp:placement", place=place, beneathText=False)
