"""Finding many known words in one analysed Korean text.

A word is found where a morpheme begins, whatever the spacing ("사업자 등록", "사업자등록"), and the longest one wins
("퇴직소득세" is not also "퇴직"). Words of one or two syllables must end where a morpheme ends ("방법" is not "법").
A word that ends in 다 is also found as the dictionary form of a verb or an adjective ("내보내려면" is "내보내다").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from utils.protocols import Morpheme

_SHORT = 2
_PREDICATES = ("VV", "VA")
# A short word must stand as a noun, a foreign word, a numeral or an interjection, and one of a single syllable not after
# an adnominal ending: the 법 of "친해지는 법" is a way, not the law.
_FREE = ("NNG", "NNP", "NR", "SL", "SN", "XR", "IC", "MAG")
_DERIVING = frozenset({"적", "생", "학"})


@dataclass(frozen=True, slots=True)
class WordMatch:
    """A known word at morphemes ``first`` to ``last`` (inclusive)."""

    word: str
    first: int
    last: int


class MatchText:
    """An analysed text made ready for matching: without white space, with the place of each morpheme in it."""

    __slots__ = ("last_at", "morphemes", "squeezed", "starts")

    def __init__(self, text: str, morphemes: Sequence[Morpheme]) -> None:
        offsets = [0, *accumulate(not character.isspace() for character in text)]
        self.squeezed = "".join(text.split()).lower()
        self.morphemes = morphemes
        self.starts = [offsets[morpheme.start] for morpheme in morphemes]
        self.last_at = {offsets[morpheme.end]: number for number, morpheme in enumerate(morphemes)}


class KeywordMatcher:
    """Matches a fixed set of words; ``find`` takes time in the length of the text, not in the number of words."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words: dict[str, str] = {}
        self._lengths: dict[str, list[int]] = {}
        lengths: dict[str, set[int]] = {}
        for word in words:
            key = normalise(word)
            self._words[key] = word
            lengths.setdefault(key[:1], set()).add(len(key))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def find(self, text: MatchText) -> list[WordMatch]:
        """Every known word of ``text``, the longest at each morpheme, overlaps included."""
        matches = []
        for number, morpheme in enumerate(text.morphemes):
            match = self._longest_at(text, number)
            if match is None and morpheme.tag.startswith(_PREDICATES):
                word = self._words.get(normalise(morpheme.form + "다"))
                match = WordMatch(word, number, number) if word is not None else None
            if match is not None:
                matches.append(match)
        return matches

    def _longest_at(self, text: MatchText, number: int) -> WordMatch | None:
        start, squeezed = text.starts[number], text.squeezed
        for length in self._lengths.get(squeezed[start : start + 1], ()):
            end = start + length
            word = self._words.get(squeezed[start:end])
            if word is None or end > len(squeezed) or (length <= _SHORT and not _stands_alone(text, number, length)):
                continue
            last = number
            while last + 1 < len(text.starts) and text.starts[last + 1] < end:
                last += 1
            return WordMatch(word, number, last)
        return None


def _stands_alone(text: MatchText, number: int, length: int) -> bool:
    """Return True if the short word that begins at morpheme ``number`` ends with a morpheme and is not part of another word."""
    last = text.last_at.get(text.starts[number] + length)
    if last is None or not text.morphemes[number].tag.startswith(_FREE):
        return False
    if length == 1 and number > 0 and text.morphemes[number - 1].tag == "ETM":
        return False
    return not _is_derived(text.morphemes, last)


def _is_derived(morphemes: Sequence[Morpheme], last: int) -> bool:
    """Return True if a suffix makes another word of the word that ends at ``last``: 유학 + 생, 법 + 적."""
    if last + 1 == len(morphemes):
        return False
    suffix = morphemes[last + 1]
    return suffix.tag == "XSN" and suffix.form in _DERIVING and suffix.start == morphemes[last].end


def without_overlaps(matches: Iterable[WordMatch]) -> list[WordMatch]:
    """The matches in order, each that begins inside an earlier one left out."""
    kept: list[WordMatch] = []
    for match in matches:
        if not kept or match.first > kept[-1].last:
            kept.append(match)
    return kept


def normalise(word: str) -> str:
    """The form in which words are compared: lower case, no white space."""
    return "".join(word.lower().split())
