"""Clean the text of a model while it arrives."""

from __future__ import annotations

import re
import unicodedata

from utils.sanitizing.sanitize import clean_text

# ECMA-48 control sequences and strings (colours, cursor moves, terminal hyperlinks), 7-bit and 8-bit, of bounded length
_SEQUENCE = r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}"
_STRING = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]{0,512}"
_SHORT = r"\x1b[ -/]{0,8}"
_ESCAPE = re.compile(rf"{_SEQUENCE}[@-~]|{_STRING}(?:\x07|\x1b\\|\x9c)|{_SHORT}[0-OQ-WYZ\\`-~]")
_UNFINISHED = re.compile(rf"(?:{_SEQUENCE}|{_STRING}\x1b?|{_SHORT})\Z")
_INTRODUCER = re.compile(r"[\x1b\x90\x98\x9b\x9d-\x9f]")
_MAX_OPEN_RUN = 64  # loose jamo or combining marks


class OutputCleaner:
    """Cleans a text that comes in pieces: no control, bidirectional or escape characters, NFC, no white space around it.

    What comes out of `feed`, put together, is the whole text without leading or trailing white space, wherever it was
    split: an end that may yet change meaning (white space, half a sequence, half a syllable) waits for the next piece.

        cleaner = OutputCleaner()
        text = "".join(cleaner.feed(piece) for piece in pieces) + cleaner.flush()
    """

    def __init__(self) -> None:
        self._uncertain = ""  # as written
        self._blanks: list[str] = []  # white space that is shown only before more text
        self._started = False

    def feed(self, piece: str) -> str:
        """The text that is certain by now; empty when all of it has to wait."""
        text = self._uncertain + piece
        certain = _certain_length(text)
        self._uncertain = text[certain:]
        return self._cleaned(text[:certain])

    def flush(self) -> str:
        """Return the text that is still held back; call it at the end."""
        text, self._uncertain = self._uncertain, ""
        return self._cleaned(text)

    def _cleaned(self, written: str) -> str:
        text = clean_text(_ESCAPE.sub("", written))
        visible = text.rstrip()
        if not visible:
            self._blanks.append(text)
            return ""
        shown = "".join([*self._blanks, visible])
        self._blanks = [text[len(visible) :]]
        if not self._started:
            self._started = True
            shown = shown.lstrip()
        return shown


def _certain_length(text: str) -> int:
    first = end = len(text[: _before_unfinished_escape(text)].rstrip("\r"))
    while first > 0 and end - first < _MAX_OPEN_RUN and _may_go_on(text[first - 1]):
        first -= 1
    return first


def _may_go_on(character: str) -> bool:
    """Return True if the next character may belong to the same syllable or letter."""
    return "\u1100" <= character <= "\u11ff" or unicodedata.combining(character) > 0


def _before_unfinished_escape(text: str) -> int:
    position = 0
    while introducer := _INTRODUCER.search(text, position):
        start = introducer.start()
        if escape := _ESCAPE.match(text, start):
            position = escape.end()
        elif _UNFINISHED.match(text, start):
            return start
        else:
            position = start + 1
    return len(text)
