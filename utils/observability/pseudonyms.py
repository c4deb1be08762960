"""Placeholders for personal data on its way to somebody else's model, and the data put back into what comes from there."""

from __future__ import annotations

import re

from utils.observability.personal_data import KINDS, replace_personal_data

_PLACEHOLDER = re.compile(rf"\[(?:{'|'.join(KINDS)})\d{{1,4}}\]")
# A placeholder that has begun at the end of a text, to be told from a source mark such as [1].
_PARTS_OF_KINDS = "|".join(kind[:length] for kind in KINDS for length in range(1, len(kind)))
_BEGUN = re.compile(rf"\[(?:{_PARTS_OF_KINDS}|(?:{'|'.join(KINDS)})\d{{0,4}})?\Z")


class Pseudonyms:
    """The placeholders of one conversation with a model: equal data has the same one, such as ``[전화번호1]``.

    names = Pseudonyms()
    sent = names.masked("010-1234-5678로 전화하면 되나요?")   # "[전화번호1]로 전화하면 되나요?"
    names.restored("[전화번호1]로 전화하세요.")               # "010-1234-5678로 전화하세요."
    """

    def __init__(self) -> None:
        self._placeholder_of: dict[str, str] = {}
        self._data_of: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def __bool__(self) -> bool:
        """True if anything was masked."""
        return bool(self._data_of)

    def masked(self, text: str) -> str:
        """Return ``text`` with placeholders; those that it already holds are never given out."""
        taken = frozenset(_PLACEHOLDER.findall(text))

        def placeholder(kind: str, found: str) -> str:
            known = self._placeholder_of.get(found)
            while known is None or known in taken:
                self._counts[kind] = self._counts.get(kind, 0) + 1
                known = f"[{kind}{self._counts[kind]}]"
            self._placeholder_of[found] = known
            self._data_of[known] = found
            return known

        return replace_personal_data(text, placeholder)

    def restored(self, text: str) -> str:
        """Return ``text`` with the data in place of its placeholders; unknown ones stay."""
        return _PLACEHOLDER.sub(lambda match: self._data_of.get(match[0], match[0]), text)

    def restored_pieces(self) -> PieceRestorer:
        """Return what restores a text that comes in pieces."""
        return PieceRestorer(self)


class PieceRestorer:
    """Restores a text that comes in pieces: what may yet become a placeholder waits for the next piece."""

    def __init__(self, names: Pseudonyms) -> None:
        self._names = names
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """The text that is certain by now."""
        if not self._names:
            return piece
        text = self._waiting + piece
        begun = _BEGUN.search(text)
        certain = begun.start() if begun else len(text)
        self._waiting = text[certain:]
        return self._names.restored(text[:certain])

    def flush(self) -> str:
        """Return what is still held back; call it at the end."""
        text, self._waiting = self._waiting, ""
        return text
