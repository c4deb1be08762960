"""Everyday words in an analysed question, and the formal terms that take their places.

A word is found where its morphemes are: it begins where a morpheme begins and ends where one ends (주민증 is not 민증, 월급여 is
not 월급), or within the stem of a verb (통장이 막 + 히). One of several words is found in any spacing, one without a space only
unbroken (알 바 is not 알바).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from utils.protocols import Morpheme

_PREDICATE = ("VV", "VA", "VX", "XSV", "XSA")
_ENDING = ("E", "VX")
_NOTHING = re.compile("(?!)")


@dataclass(frozen=True, slots=True)
class TermContext:
    """When an everyday word means its formal term: not beside a word of ``not_beside``, unless one of ``beside`` is there, too;
    and never beside one of ``never_beside``."""

    beside: tuple[str, ...] = ()
    not_beside: tuple[str, ...] = ()
    never_beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """A word at characters ``start`` to ``end``, verb endings behind it included; ``is_verb`` where it ends as a verb."""

    word: str
    start: int
    end: int
    is_verb: bool


class EverydayWords:
    """Finds everyday words and replaces them; ``formal`` maps each to its term."""

    def __init__(self, formal: Mapping[str, str], contexts: Mapping[str, TermContext]) -> None:
        self._formal = formal
        self._words = _WordTable(formal)
        self._contexts = {
            term: tuple(map(_WordTable, (context.never_beside, context.beside, context.not_beside)))
            for term, context in contexts.items()
        }

    def may_occur(self, text: str) -> bool:
        """Tell whether the letters of a word stand in ``text``, as that word or within another."""
        return self._words.may_occur(text)

    def replaced(self, text: str, analysis: Callable[[str], Sequence[Morpheme]], *, repeat: bool = False) -> str:
        """Return ``text`` with the words replaced, the longest first.

        A term that is there already replaces nothing; if it may ``repeat``, only not the word that it stands in itself.
        """
        morphemes = analysis(text)
        taken = bytearray(len(text) + 1)
        places: list[_Place] = []
        terms: dict[str, str] = {}
        kept_out: set[str] = set()
        for place in sorted(self._words.places(text, morphemes), key=lambda place: -len(place.word)):
            word = place.word
            if word in kept_out or any(taken[place.start : place.end]):
                continue
            if word not in terms:
                term = self._formal[word]
                is_said = not repeat and any(term in said for said in (text, *terms.values()))
                is_said = is_said or (repeat and _stands_around(term, place, text))
                if is_said or not self._is_meant(term, text, morphemes):
                    kept_out.add(word)
                    continue
                terms[word] = term
            taken[place.start : place.end] = b"\1" * (place.end - place.start)
            places.append(place)
        return _with_terms(text, sorted(places, key=lambda place: place.start), terms)

    def _is_meant(self, term: str, text: str, morphemes: Sequence[Morpheme]) -> bool:
        if term not in self._contexts:
            return True
        never_beside, beside, not_beside = (any(words.places(text, morphemes)) for words in self._contexts[term])
        return not never_beside and (beside or not not_beside)


class _WordTable:
    """Words that are looked for together."""

    def __init__(self, words: Iterable[str]) -> None:
        patterns = {word: r"\s{0,3}".join(map(re.escape, word.split())) for word in words}
        self._any = re.compile("|".join(patterns.values())) if patterns else _NOTHING
        self._by_first: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
        for word, pattern in patterns.items():
            self._by_first.setdefault(word[0], []).append((word, re.compile(pattern)))

    def may_occur(self, text: str) -> bool:
        return self._any.search(text) is not None

    def places(self, text: str, morphemes: Sequence[Morpheme]) -> Iterator[_Place]:
        """Yield where the words are, those that overlap included."""
        before = -1
        for number, morpheme in enumerate(morphemes):
            start = morpheme.start
            if start == before:  # 줘 is 주 + 어 at one place
                continue
            before = start
            for word, pattern in self._by_first.get(text[start : start + 1], ()):
                match = pattern.match(text, start)
                place = _place(word, match.end(), morphemes, number) if match else None
                if place is not None:
                    yield place


def _place(word: str, end: int, morphemes: Sequence[Morpheme], number: int) -> _Place | None:
    """Return the place of a word that begins with morpheme ``number`` and whose letters go to ``end``.

    None where it ends within another word.
    """
    start, last_letter = morphemes[number].start, end
    ends = is_verb = False
    for index in range(number, len(morphemes)):
        morpheme = morphemes[index]
        if morpheme.start > end:
            break
        is_stem = morpheme.tag.startswith(_PREDICATE) and morpheme.start < last_letter
        is_ending = morpheme.tag.startswith(_ENDING)
        if morpheme.start < last_letter <= morpheme.end:
            ends |= is_stem or morpheme.end == last_letter
            is_verb |= is_stem or is_ending
        if is_verb and (is_stem or is_ending):
            end = max(end, morpheme.end)
    return _Place(word, start, end, is_verb) if ends else None


def _stands_around(term: str, place: _Place, text: str) -> bool:
    """Return True if the word at ``place`` is a part of its own term there: 시장 in 전통시장."""
    reach = len(term) - (place.end - place.start)
    return term in text[max(0, place.start - reach) : place.end + max(0, reach)]


def _with_terms(text: str, places: Iterable[_Place], terms: Mapping[str, str]) -> str:
    pieces: list[str] = []
    done = 0
    for place in places:
        gap = " " if place.is_verb and text[place.end : place.end + 1].isalnum() else ""
        pieces += [text[done : place.start], terms[place.word], gap]
        done = place.end
    return "".join([*pieces, text[done:]])
