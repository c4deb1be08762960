"""Finding the known words that are one typing error away: symmetric deletion (Garbe 2012) over keys of the two-set keyboard.

Two words are one error apart only if they are equal once at most one key is left out of each, so every word is filed under
itself and under each of its forms with a key left out; a look-up is a binary search over the hashes of these forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from utils.korean.hangul import keys_beside, keys_of


class KeyNeighbours:
    """The words one key error away from a text; takes some 110 bytes a word. Hashes hold within one process only."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = list(dict.fromkeys(words))
        self._keys = [keys_of(word) for word in self._words]
        forms = [_forms(keys) for keys in self._keys]
        hashes = np.fromiter((hash(form) for some in forms for form in some), dtype=np.int64)
        owners = np.repeat(np.arange(len(forms), dtype=np.int32), [len(some) for some in forms])
        order = np.argsort(hashes, kind="stable")
        self._hashes: NDArray[np.int64] = hashes[order]
        self._owners: NDArray[np.int32] = owners[order]

    def near(self, texts: Sequence[str]) -> list[list[str]]:
        """Return, for each text, the known words within one keystroke: a key missing, extra or wrong, or two neighbouring keys swapped.

        The word itself is among them if it is known.
        """
        keys = [keys_of(text) for text in texts]
        forms = [_forms(key) for key in keys]
        hashes = np.fromiter((hash(form) for some in forms for form in some), dtype=np.int64)
        starts = np.searchsorted(self._hashes, hashes, side="left").tolist()
        ends = np.searchsorted(self._hashes, hashes, side="right").tolist()
        found: list[list[str]] = []
        place = 0
        for key, some in zip(keys, forms, strict=True):
            owners = {
                owner
                for start, end in zip(starts[place : place + len(some)], ends[place : place + len(some)], strict=True)
                if start < end
                for owner in self._owners[start:end].tolist()
            }
            found.append([self._words[owner] for owner in sorted(owners) if one_error_apart(key, self._keys[owner])])
            place += len(some)
        return found


def one_error_apart(first: str, second: str) -> bool:
    """Return True if the texts differ by at most one key: missing, extra, wrong, or swapped with the next (Damerau 1964)."""
    shorter, longer = sorted((first, second), key=len)
    if len(longer) - len(shorter) > 1:
        return False
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    if len(shorter) != len(longer):
        return shorter[start:] == longer[start + 1 :]
    swapped = shorter[start : start + 2] == longer[start : start + 2][::-1]
    return shorter[start + 1 :] == longer[start + 1 :] or (swapped and shorter[start + 2 :] == longer[start + 2 :])


def is_slip(typed: str, meant: str) -> bool:
    """Return True unless a wrong key lies away from the right one on the keyboard; the texts are one error apart."""
    first, second = keys_of(typed), keys_of(meant)
    mistaken = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    return len(first) != len(second) or len(mistaken) != 1 or mistaken[0][1] in keys_beside(mistaken[0][0])


def _forms(keys: str) -> list[str]:
    return [keys, *{keys[:at] + keys[at + 1 :] for at in range(len(keys))}]
