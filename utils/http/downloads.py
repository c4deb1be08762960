"""Names of files that are sent over HTTP, in any script (RFC 6266, RFC 8187)."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

MAX_STEM_BYTES = 180
"""Of a name's stem in UTF-8: file systems end at 255 bytes, and browsers add numbers to names they know."""

_SEPARATORS = re.compile(r"[\\/:*?\"<>|\r\n]")  # of paths and lines, and what Windows refuses in a name
_NO_LETTERS = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
_ATTRIBUTE_CHARACTERS = "!#$&+-.^_`|~"  # besides letters and digits (RFC 8187, section 3.2.1)


def safe_stem(wanted: str, *, otherwise: str = "document") -> str:
    """Return ``wanted`` as a file name without its ending that every file system takes, in NFC.

    Characters of paths become one underscore, white space one space, invisible ones go, and what is longer than
    `MAX_STEM_BYTES` is cut between characters. ``otherwise`` stands in where nothing is left.
    """
    spaced = _SEPARATORS.sub("_", wanted[: 4 * MAX_STEM_BYTES])
    visible = "".join(character for character in spaced if unicodedata.category(character) not in _NO_LETTERS)
    joined = re.sub(r"_{2,}", "_", " ".join(unicodedata.normalize("NFC", visible).split()))
    cut = joined.encode()[:MAX_STEM_BYTES].decode(errors="ignore").strip("._ ")
    if cut.partition(".")[0].lower() in _DEVICES:
        cut = f"_{cut}"
    return cut or otherwise


def attachment(stem: str, extension: str, *, plain: str = "document") -> str:
    """Return the value of a ``Content-Disposition`` header that saves the answer as ``stem``.``extension``.

    ``filename*`` has the name in UTF-8; ``filename``, for clients that do not know it, the name where it is ASCII and else
    ``plain``. ``plain`` and ``extension``, which has no dot, are ours.
    """
    name = f"{safe_stem(stem)}.{extension}"
    ascii_name = name if name.isascii() else f"{plain}.{extension}"
    return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe=_ATTRIBUTE_CHARACTERS)}"
