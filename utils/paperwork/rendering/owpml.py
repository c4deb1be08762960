"""Elements of OWPML (KS X 6101), the XML of HWPX files, and the paragraphs of which its texts are made."""

from __future__ import annotations

from itertools import count
from xml.etree.ElementTree import Element, SubElement, tostring

from utils.paperwork.rendering.owpml_shapes import Letters, ParagraphShape

UNITS_PER_MM = 7200 / 25.4

_NAMESPACES = {
    "ha": "http://www.hancom.co.kr/hwpml/2011/app",
    "hp": "http://www.hancom.co.kr/hwpml/2011/paragraph",
    "hp10": "http://www.hancom.co.kr/hwpml/2016/paragraph",
    "hs": "http://www.hancom.co.kr/hwpml/2011/section",
    "hc": "http://www.hancom.co.kr/hwpml/2011/core",
    "hh": "http://www.hancom.co.kr/hwpml/2011/head",
    "hhs": "http://www.hancom.co.kr/hwpml/2011/history",
    "hm": "http://www.hancom.co.kr/hwpml/2011/master-page",
    "hpf": "http://www.hancom.co.kr/schema/2011/hpf",
    "dc": "http://purl.org/dc/elements/1.1/",
    "opf": "http://www.idpf.org/2007/opf/",
    "ooxmlchart": "http://www.hancom.co.kr/hwpml/2016/ooxmlchart",
    "hwpunitchar": "http://www.hancom.co.kr/hwpml/2016/HwpUnitChar",
    "epub": "http://www.idpf.org/2007/ops",
    "config": "urn:oasis:names:tc:opendocument:xmlns:config:1.0",
}
_OTHERS = {
    "hv": "http://www.hancom.co.kr/hwpml/2011/version",
    "ocf": "urn:oasis:names:tc:opendocument:xmlns:container",
    "odf": "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0",
}


def root(name: str, /, **attributes: str) -> Element:
    """Return the outermost element of a part. It declares all namespaces, as Hancom Office expects, whether used or not."""
    prefix = name.partition(":")[0]
    namespaces = {prefix: _OTHERS[prefix], "hpf": _NAMESPACES["hpf"]} if prefix in _OTHERS else _NAMESPACES
    return Element(name, {f"xmlns:{key}": value for key, value in namespaces.items()} | attributes)


def child(parent: Element, name: str, /, **attributes: object) -> Element:
    """Return a new last child with its attributes; True and False become 1 and 0."""
    return SubElement(
        parent, name, {key: str(int(value) if isinstance(value, bool) else value) for key, value in attributes.items()}
    )


def part(element: Element) -> bytes:
    """Return the element as a part of the package."""
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{tostring(element, "unicode")}'.encode()


def units(millimetres: float) -> int:
    """Return a length in the unit of OWPML, 1/7200 inch."""
    return round(millimetres * UNITS_PER_MM)


class Paragraphs:
    """Writer of paragraphs with numbers of their own."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def number(self) -> int:
        """Return a number that no other element has."""
        return next(self._numbers)

    def add(
        self,
        parent: Element,
        shape: ParagraphShape,
        text: str = "",
        *,
        letters: Letters | None = None,
        breaks: bool = False,
    ) -> Element:
        """Return a new paragraph with the text; ``breaks`` sets it on a new page. A line feed becomes a line break."""
        made = child(
            parent, "hp:p", id=self.number(), paraPrIDRef=shape.number, styleIDRef=shape.style, pageBreak=breaks,
            columnBreak=False, merged=False,
        )  # fmt: skip
        add_text(add_run(made, letters or shape.letters), text)
        return made


def add_run(paragraph: Element, letters: Letters) -> Element:
    """Return a new run of the paragraph."""
    return child(paragraph, "hp:run", charPrIDRef=letters.value)


def add_text(run: Element, text: str) -> None:
    """Add the text to the run; a line feed becomes a line break."""
    first, *others = text.split("\n")
    written = child(run, "hp:t")
    written.text = first
    for line in others:
        child(written, "hp:lineBreak").tail = line


def sub_list(parent: Element, *, vertical: str = "CENTER") -> Element:
    """Return a list of paragraphs within a cell, a header or a footer."""
    return child(
        parent, "hp:subList", id="", textDirection="HORIZONTAL", lineWrap="BREAK", vertAlign=vertical, linkListIDRef=0,
        linkListNextIDRef=0, textWidth=0, textHeight=0, hasTextRef=False, hasNumRef=False,
    )  # fmt: skip
