"""Text as it is compared: one small letter for every way of writing it, with the way back to where it stands."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache

# Look-alikes that compatibility folding leaves alone.
_TWINS = str.maketrans("аеорсухіѕјԁһӏոɡιο", "aeopcyxisjdhlngio")
_UNFOLDED = re.compile(r"[^ -@\[-~가-힣\n\t]+")
_KEPT = re.compile(r"[^\s*_`~\"'“”‘’´]+")


def fold(text: str) -> str:
    """``text`` in compatibility form and small letters, character by character, so that offsets stay those of ``text``.

    A character that unfolds into several stays as it is.
    """
    return _UNFOLDED.sub(lambda odd: "".join(map(_folded, odd.group())), text)


class Squeezed:
    """Folded text without white space, quotation marks and emphasis, which people and attackers put anywhere."""

    def __init__(self, folded: str) -> None:
        self.folded = folded
        pieces: list[str] = []
        self._starts: list[int] = []  # of each piece, in the squeezed text
        self._origins: list[int] = []  # … and in the folded one
        length = 0
        for piece in _KEPT.finditer(folded):
            pieces.append(piece.group())
            self._starts.append(length)
            self._origins.append(piece.start())
            length += len(pieces[-1])
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the folded text the characters from ``start`` up to ``end`` of the squeezed one stand."""
        return self._origin(start), self._origin(end - 1) + 1

    def _origin(self, at: int) -> int:
        piece = bisect_right(self._starts, at) - 1
        return self._origins[piece] + at - self._starts[piece]


@lru_cache(4096)
def _folded(character: str) -> str:
    folded = unicodedata.normalize("NFKC", character).casefold().translate(_TWINS)
    return folded if len(folded) == 1 else character
