"""The parts of an HWPX package beside the text: shapes, contents, settings (KS X 6101)."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from utils.paperwork.rendering import page
from utils.paperwork.rendering.owpml import child, part, root
from utils.paperwork.rendering.owpml_shapes import FONT, LETTERS, SHAPES, STYLES, Borders, ParagraphShape

_SCRIPTS = ("hangul", "latin", "hanja", "japanese", "other", "symbol", "user")
_EDGES = ("leftBorder", "rightBorder", "topBorder", "bottomBorder")
_KOREAN = 1042  # the number of the language in a style
_BULLET = "•"


def container() -> bytes:
    """Return META-INF/container.xml: where the package begins."""
    made = root("ocf:container")
    files = child(made, "ocf:rootfiles")
    child(files, "ocf:rootfile", **{"full-path": "Contents/content.hpf", "media-type": "application/hwpml-package+xml"})
    child(files, "ocf:rootfile", **{"full-path": "Preview/PrvText.txt", "media-type": "text/plain"})
    return part(made)


def manifest() -> bytes:
    """Return META-INF/manifest.xml, which names nothing: no part is encrypted."""
    return part(root("odf:manifest"))


def version() -> bytes:
    """Return version.xml. The first attribute is misspelled in every file there is."""
    made = root("hv:HCFVersion", tagetApplication="WORDPROCESSOR", major="5", minor="1", micro="1", buildNumber="0")
    made.attrib.update(os="10", xmlVersion="1.5", application="Hancom Office Hangul", appVersion="13, 0, 0, 0")
    return part(made)


def settings() -> bytes:
    """Return settings.xml: the caret at the beginning."""
    made = root("ha:HWPApplicationSetting")
    child(made, "ha:CaretPosition", listIDRef=0, paraIDRef=0, pos=0)
    return part(made)


def contents(title: str) -> bytes:
    """Return Contents/content.hpf: title and language, no person, and the list of parts."""
    made = root("opf:package", version="", **{"unique-identifier": "", "id": ""})
    metadata = child(made, "opf:metadata")
    child(metadata, "opf:title").text = title
    child(metadata, "opf:language").text = "ko"
    items, spine = child(made, "opf:manifest"), child(made, "opf:spine")
    for name, path in (("header", "Contents/header.xml"), ("section0", "Contents/section0.xml")):
        child(items, "opf:item", **{"id": name, "href": path, "media-type": "application/xml"})
        child(spine, "opf:itemref", idref=name, linear="yes")
    for name in ("settings", "version"):
        child(items, "opf:item", **{"id": name, "href": f"{name}.xml", "media-type": "application/xml"})
    return part(made)


def header() -> bytes:
    """Return Contents/header.xml: the shapes that paragraphs, letters and cells refer to."""
    made = root("hh:head", version="1.5", secCnt="1")
    child(made, "hh:beginNum", page=1, footnote=1, endnote=1, pic=1, tbl=1, equation=1)
    lists = child(made, "hh:refList")
    _fonts(lists)
    _borders(lists)
    _letters(lists)
    tabs = child(lists, "hh:tabProperties", itemCnt=1)
    child(tabs, "hh:tabPr", id=0, autoTabLeft=False, autoTabRight=False)
    _numberings(lists)
    shapes = child(lists, "hh:paraProperties", itemCnt=len(SHAPES))
    for shape in SHAPES:
        _paragraph(shapes, shape)
    styles = child(lists, "hh:styles", itemCnt=len(STYLES))
    for number, (name, english, shape) in enumerate(STYLES):
        child(
            styles, "hh:style", id=number, type="PARA", name=name, engName=english, paraPrIDRef=shape.number,
            charPrIDRef=shape.letters.value, nextStyleIDRef=0, langID=_KOREAN, lockForm=False,
        )  # fmt: skip
    compatible = child(made, "hh:compatibleDocument", targetProgram="HWP201X")
    child(compatible, "hh:layoutCompatibility")
    child(child(made, "hh:docOption"), "hh:linkinfo", path="", pageInherit=False, footnoteInherit=False)
    child(made, "hh:trackchageConfig", flags=56)
    return part(made)


def _fonts(lists: Element) -> None:
    faces = child(lists, "hh:fontfaces", itemCnt=len(_SCRIPTS))
    for script in _SCRIPTS:
        face = child(faces, "hh:fontface", lang=script.upper(), fontCnt=1)
        child(face, "hh:font", id=0, face=FONT, type="TTF", isEmbedded=False)


def _borders(lists: Element) -> None:
    fills = child(lists, "hh:borderFills", itemCnt=len(Borders))
    for kind in Borders:
        fill = child(fills, "hh:borderFill", id=kind.value, threeD=False, shadow=False, centerLine="NONE")
        fill.set("breakCellSeparateLine", "0")
        for diagonal in ("slash", "backSlash"):
            child(fill, f"hh:{diagonal}", type="NONE", Crooked=False, isCounter=False)
        for edge in _EDGES:
            is_drawn = kind in (Borders.cell, Borders.header_cell) or (kind is Borders.blank and edge == "bottomBorder")
            child(fill, f"hh:{edge}", type="SOLID" if is_drawn else "NONE", width="0.12 mm", color="#000000")
        child(fill, "hh:diagonal", type="NONE", width="0.1 mm", color="#000000")
        if kind is Borders.header_cell:
            brush = child(fill, "hc:fillBrush")
            child(brush, "hc:winBrush", faceColor=f"#{page.HEADER_FILL}", hatchColor="#999999", alpha=0)


def _letters(lists: Element) -> None:
    shapes = child(lists, "hh:charProperties", itemCnt=len(LETTERS))
    for kind, (size, is_bold, colour) in LETTERS.items():
        shape = child(
            shapes, "hh:charPr", id=kind.value, height=round(size * 100), textColor=f"#{colour}", shadeColor="none",
            useFontSpace=False, useKerning=False, symMark="NONE", borderFillIDRef=Borders.none.value,
        )  # fmt: skip
        for name, value in (("fontRef", 0), ("ratio", 100), ("spacing", 0), ("relSz", 100), ("offset", 0)):
            child(shape, f"hh:{name}", **dict.fromkeys(_SCRIPTS, value))
        if is_bold:
            child(shape, "hh:bold")
        child(shape, "hh:underline", type="NONE", shape="SOLID", color="#000000")
        child(shape, "hh:strikeout", shape="NONE", color="#000000")
        child(shape, "hh:outline", type="NONE")
        child(shape, "hh:shadow", type="NONE", color="#C0C0C0", offsetX=10, offsetY=10)


def _numberings(lists: Element) -> None:
    """Add outline levels that show no number, since 제1조 is written, and the bullet of lists."""
    numbering = child(child(lists, "hh:numberings", itemCnt=1), "hh:numbering", id=1, start=0)
    for level in range(1, 8):
        _head(numbering, level)
    bullet = child(child(lists, "hh:bullets", itemCnt=1), "hh:bullet", id=1, char=_BULLET, useImage=False)
    _head(bullet, 0)


def _head(parent: Element, level: int) -> None:
    child(
        parent, "hh:paraHead", start=1, level=level, align="LEFT", useInstWidth=level > 0, autoIndent=True, widthAdjust=0,
        textOffsetType="PERCENT", textOffset=50, numFormat="DIGIT", charPrIDRef=2**32 - 1, checkable=False,
    )  # fmt: skip


def _paragraph(shapes: Element, shape: ParagraphShape) -> None:
    made = child(
        shapes, "hh:paraPr", id=shape.number, tabPrIDRef=0, condense=0, fontLineHeight=False, snapToGrid=False,
        suppressLineNumbers=False, checked=False,
    )  # fmt: skip
    child(made, "hh:align", horizontal=shape.alignment, vertical="BASELINE")
    child(made, "hh:heading", type=shape.heading, idRef=int(shape.heading == "BULLET"), level=shape.level)
    # A Hangul word stays whole at the end of a line: Hancom Office keeps words for BREAK_WORD, against the wording of the
    # schema, and fills lines syllable by syllable for KEEP_WORD.
    child(
        made, "hh:breakSetting", breakLatinWord="KEEP_WORD", breakNonLatinWord="BREAK_WORD", widowOrphan=True,
        keepWithNext=shape.keeps_next, keepLines=False, pageBreakBefore=False, lineWrap="BREAK",
    )  # fmt: skip
    child(made, "hh:autoSpacing", eAsianEng=False, eAsianNum=False)
    # Programs that do not know the newer unit read the default, whose lengths count half.
    choice = child(made, "hp:switch")
    case = child(choice, "hp:case")
    case.set("hp:required-namespace", "http://www.hancom.co.kr/hwpml/2016/HwpUnitChar")
    _spaces(case, shape, 1)
    _spaces(child(choice, "hp:default"), shape, 2)
    child(
        made, "hh:border", borderFillIDRef=Borders.none.value, offsetLeft=0, offsetRight=0, offsetTop=0, offsetBottom=0,
        connect=False, ignoreMargin=False,
    )  # fmt: skip


def _spaces(parent: Element, shape: ParagraphShape, factor: int) -> None:
    margin = child(parent, "hh:margin")
    lengths = (
        ("intent", shape.first),
        ("left", shape.left),
        ("right", 0),
        ("prev", shape.before),
        ("next", shape.after),
    )
    for name, points in lengths:
        child(margin, f"hc:{name}", value=round(points * 100 * factor), unit="HWPUNIT")
    child(parent, "hh:lineSpacing", type="PERCENT", value=shape.spacing, unit="HWPUNIT")
