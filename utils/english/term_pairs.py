"""Terms of two languages: what a question says in Korean, in English and the other way round, and identifiers taken apart.

Data, not code: the ``glossary.toml`` of an assistant. A document may stand in one language only, whatever the question is asked in.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType

from utils.english.lexicon import stem

_HANGUL = re.compile(r"[가-힣]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_IDENTIFIER = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9]*+(?:[._:/-][A-Za-z0-9]+)+|[a-z]++(?:[A-Z][a-z0-9]*+)+|(?:[A-Z][a-z0-9]++){2,})"
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# What may follow a word of one syllable, which else is part of another word: 행을 is a row, 행동 is none.
_PARTICLES = re.compile(r"(?:[은는이가을를에의로도만과와]|에서|에는|으로|까지|부터|마다|별|들)?(?![가-힣])")
_LONGEST_PHRASE = 4  # English words
_FORMS = ("", "s", "es", "ing", "ed", "d")


class TermPairs:
    """Finds the counterparts of the terms in a text; immutable.

    >>> TermPairs({"복합 색인": ("composite index",), "색인": ("index",)}).counterparts("복합 색인을 만드는 방법")
    ('composite index',)
    """

    def __init__(self, pairs: Mapping[str, Iterable[str]], repairs: Mapping[str, str] = MappingProxyType({})) -> None:
        """``pairs`` are Korean terms, spaced as one writes them, with what they are in English; ``repairs`` what is meant by a wrong term."""
        self._english: dict[str, tuple[str, ...]] = {}
        self._korean: dict[tuple[str, ...], list[str]] = {}
        for korean, english in pairs.items():
            phrases = tuple(english)
            self._english[korean.replace(" ", "")] = phrases
            for phrase in phrases:
                self._korean.setdefault(_stems(phrase), []).append(korean)
        self._repairs = dict(repairs)
        self._longest = max(map(len, self._english), default=0)

    @classmethod
    def load(cls, path: Path) -> TermPairs:
        """Read a file of ``[terms]`` (Korean terms of one meaning, joined by commas, with English ones) and ``[repairs]``.

        Raises:
            ValueError: it cannot be read, or an entry is no such thing; the message names the file.
        """
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
            pairs: dict[str, list[str]] = {}
            for terms, english in tables["terms"].items():
                for korean in terms.split(","):
                    known = pairs.setdefault(korean.strip(), [])
                    known += [phrase for phrase in english if phrase not in known]
            return cls(pairs, {str(wrong): str(right) for wrong, right in tables.get("repairs", {}).items()})
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, AttributeError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from error

    def repaired(self, text: str) -> str:
        """Return ``text`` with wrong terms put right."""
        for wrong, right in self._repairs.items():
            text = text.replace(wrong, right)
        return text

    def counterparts(self, text: str) -> tuple[str, ...]:
        """Return what the terms of ``text`` are in the other language, each once, in the order of the text.

        A text with Korean in it is a Korean one: its English words are names and identifiers.
        """
        found = self._in_english(text) if _HANGUL.search(text) else self._in_korean(text)
        return tuple(dict.fromkeys(found))

    def _in_english(self, text: str) -> Iterator[str]:
        """The longest term at each place where a word begins, or where the term before it ended; 복합 색인 is found without its space, too."""
        words = _HANGUL.findall(text)
        ends = list(accumulate(map(len, words)))
        joined, place = "".join(words), 0
        while place < len(joined):
            end = next(end for end in ends if end > place)
            found = self._longest_at(joined, place, end, begins=place == 0 or place in ends)
            if found is not None:
                yield from self._english[found]
            place = end if found is None else place + len(found)

    def _longest_at(self, text: str, place: int, end: int, *, begins: bool) -> str | None:
        """The longest term at a place of a word that goes up to ``end``; one of a syllable only where the word is no other."""
        for length in range(min(self._longest, len(text) - place), 1, -1):
            if (term := text[place : place + length]) in self._english:
                return term
        term = text[place : place + 1]
        alone = begins and _PARTICLES.fullmatch(text[place + 1 : end]) is not None
        return term if alone and term in self._english else None

    def _in_korean(self, text: str) -> Iterator[str]:
        words = [stem(word.lower()) for word in _WORD.findall(text)]
        place = 0
        while place < len(words):
            for length in range(min(_LONGEST_PHRASE, len(words) - place), 0, -1):
                if (phrase := tuple(words[place : place + length])) in self._korean:
                    yield from self._korean[phrase]
                    place += length
                    break
            else:
                place += 1


def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(stem(word.lower()) for word in _WORD.findall(phrase))


def identifier_parts(text: str) -> tuple[str, ...]:
    """Return the words within the identifiers of a text, in small letters: databases.gte and createTime have two each."""
    parts = (part.lower() for name in _IDENTIFIER.findall(text) for part in _PARTS.findall(name))
    return tuple(dict.fromkeys(part for part in parts if len(part) > 1 and not part.isdigit()))


def word_forms(words: Iterable[str]) -> tuple[str, ...]:
    """Return the regular forms of English words, the words themselves among them: an index holds each form as a term of its own."""
    found: dict[str, None] = {}
    for word in words:
        bare = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word
        bases = dict.fromkeys((word, bare.removesuffix("s") if len(bare) > 3 else bare))
        for base in bases:
            found.update((base + ending, None) for ending in _FORMS)
            if base.endswith("y"):
                found[base[:-1] + "ies"] = None
            if base.endswith("e"):
                found[base[:-1] + "ing"] = None
    return tuple(found)
