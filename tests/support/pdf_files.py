"""PDF files made by hand: Korean text in a font with a table of its characters, pages without text, and hostile ones."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

from pypdf import PdfReader, PdfWriter

_IMAGE_PAGE = "q 500 0 0 700 50 50 cm /Im0 Do Q"
_FONT = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /Made /Encoding /Identity-H /ToUnicode 4 0 R /DescendantFonts "
    b"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Made /DW 1000 "
    b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>"
)


def make_pdf(pages: Sequence[str | None], labels: str = "", *, title: str = "") -> bytes:
    """A file with these pages; None is a scanned one, an image without text. ``labels`` is a /PageLabels array's inside."""
    letters = sorted({letter for page in pages if page for letter in page if letter != "\n"})
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(len(pages)))
    named = f"/PageLabels << /Nums [{labels}] >>" if labels else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {named} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        _FONT,
        _stream(_to_unicode(letters)),
        _stream(
            b"\x00", b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
        ),
    ]
    for number, page in enumerate(pages):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            b"/Resources << /Font << /F1 3 0 R >> /XObject << /Im0 5 0 R >> >> "
            + f"/Contents {7 + 2 * number} 0 R >>".encode()
        )
        objects.append(_stream(_text_page(page) if page is not None else _IMAGE_PAGE.encode()))
    return _assembled(objects, title)


def make_bomb(unpacked: int = 100_000_000) -> bytes:
    """Return a page whose content is a few kilobytes packed and ``unpacked`` bytes of text unpacked."""
    content = b"BT /F1 12 Tf (" + b"A" * unpacked + b") Tj ET"
    return _assembled([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        _stream(content),
    ])  # fmt: skip


def encrypted(data: bytes, password: str) -> bytes:
    """The file under a password; an empty one only forbids printing and such."""
    writer = PdfWriter()
    writer.append(PdfReader(io.BytesIO(data)))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _text_page(text: str) -> bytes:
    lines = (f"<{line.encode('utf-16-be').hex()}> Tj T*" for line in text.split("\n"))
    return ("BT /F1 12 Tf 14 TL 50 780 Td\n" + "\n".join(lines) + "\nET").encode()


def _to_unicode(letters: Sequence[str]) -> bytes:
    codes = [letter.encode("utf-16-be").hex() for letter in letters]
    blocks = "".join(
        f"{len(part)} beginbfchar\n" + "".join(f"<{code}> <{code}>\n" for code in part) + "endbfchar\n"
        for part in (codes[start : start + 100] for start in range(0, len(codes), 100))
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Made def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{blocks}endcmap end end"
    ).encode()


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    packed = zlib.compress(data)
    head = f"<< /Length {len(packed)} /Filter /FlateDecode ".encode() + entries + b" >>"
    return head + b"\nstream\n" + packed + b"\nendstream"


def _assembled(objects: Sequence[bytes], title: str = "") -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places = []
    made = f"<< /Title ({title}) /CreationDate (D:20260105093000+09'00') >>".encode()
    for number, content in enumerate([*objects, made], start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    start = len(out)
    size = len(places) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
