"""The English words of owners and what they are in Korean: ``data/glossary/english.toml``, looked up by the longest phrase."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

from utils.config.settings import PROJECT_ROOT

ENGLISH_WORDS = PROJECT_ROOT / "data" / "glossary" / "english.toml"

_TOKEN = re.compile(
    r"[a-zé][a-zé0-9&]{0,40}(?:'[a-z]{1,3})?|\d[\d,]{0,20}(?:\.\d{1,6})?(?:st|nd|rd|th)?\b|[\d%₩$.?!;,\n]"
)
_VOWELS = "aeiou"
_KEPT_S = ("ss", "us", "is")


class Frame(StrEnum):
    """The ways in which a clause asks, and in which it hangs together with others."""

    WHEN = auto()
    AMOUNT = auto()
    DAYS = auto()
    MONTHS = auto()
    YEARS = auto()
    HOURS = auto()
    PEOPLE = auto()
    TIMES = auto()
    SPAN = auto()
    WHERE = auto()
    HOW = auto()
    WHICH = auto()
    DOCUMENTS = auto()
    WHO = auto()
    CONSEQUENCE = auto()
    MUST = auto()
    MAY = auto()
    ABLE = auto()
    ELIGIBLE = auto()
    EXISTS = auto()
    BETTER = auto()
    ABOUT = auto()
    CONDITION = auto()
    NEGATED = auto()
    LACKING = auto()
    OF = auto()
    BREAK = auto()


@dataclass(frozen=True, slots=True)
class Noun:
    """A thing, in Korean."""

    korean: str


@dataclass(frozen=True, slots=True)
class Verb:
    """An act: the stem before 나요 and 면 (신고하, 받) and the form before 야, 도 (신고해, 받아); ``noun`` is it as a thing."""

    stem: str
    linking: str
    noun: str

    @classmethod
    def of(cls, entry: str) -> Verb:
        """The verb of an entry of the table: 신고, or 받|받아 where it takes no 하다."""
        stem, bar, linking = entry.partition("|")
        return cls(stem, linking, "") if bar else cls(f"{entry}하", f"{entry}해", entry)


Item = Noun | Verb | Frame
Meaning = TypeVar("Meaning")


class Phrases(Generic[Meaning]):
    """Phrases of words with their meaning, whatever the form of each word."""

    def __init__(self, meanings: Mapping[str, Meaning], stems: Mapping[str, str], dropped: frozenset[str]) -> None:
        self._meanings = {
            tuple(stems.get(word) or stem(word) for word in tokens_of(phrase) if word not in dropped): meaning
            for phrase, meaning in meanings.items()
        }
        self._longest = max(map(len, self._meanings))

    def at(self, words: Sequence[str], place: int) -> tuple[Meaning, int] | None:
        """The meaning of the longest phrase of stems that begins at ``place``, and the number of its words."""
        for length in range(min(self._longest, len(words) - place), 0, -1):
            meaning = self._meanings.get(tuple(words[place : place + length]))
            if meaning is not None:
                return meaning, length
        return None


@dataclass(frozen=True)
class Lexicon:
    """The tables of the file, with ``stems`` of the forms that no ending tells."""

    dropped: frozenset[str]
    stems: Mapping[str, str]
    items: Phrases[Item]
    units: Phrases[str]
    counted: Phrases[str]
    periods: Phrases[str]
    numbers: Mapping[str, int]

    def words(self, text: str) -> list[str]:
        """The tokens of ``text`` in the form in which phrases hold them: stems, numbers, signs and stops."""
        return [self.stems.get(word) or stem(word) for word in tokens_of(text) if word not in self.dropped]


def tokens_of(text: str) -> list[str]:
    """Words, numbers, signs and stops of a text in small letters."""
    return _TOKEN.findall(text.lower().replace("’", "'"))


def stem(word: str) -> str:
    """A word without its ending, which is the same for all its regular forms and need not be a word itself."""
    plain = word.removesuffix("'s")
    if plain.endswith("ies") and len(plain) > 4:
        plain = plain.removesuffix("ies") + "y"
    elif plain.endswith("s") and not plain.endswith(_KEPT_S) and len(plain) > 2:
        plain = plain[:-1]
    if plain.endswith("ing") and len(plain) > 5:
        plain = plain.removesuffix("ing")
    elif plain.endswith("ed") and len(plain) > 4:
        plain = plain.removesuffix("ed")
    plain = plain.removesuffix("e")
    doubled = len(plain) > 2 and plain[-1] == plain[-2] and plain[-1].isalpha() and plain[-1] not in _VOWELS
    return plain[:-1] if doubled else plain


@cache
def load_lexicon(file: Path = ENGLISH_WORDS) -> Lexicon:
    """Read the tables.

    Raises:
        ValueError: a phrase stands twice in one table, or a frame is unknown.
    """
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    dropped = frozenset(tables["dropped"])
    stems = {form: stem(word) for word, forms in tables["irregular"].items() for form in forms}
    items: dict[str, Item] = {phrase: Verb.of(entry) for phrase, entry in _by_phrase(tables["verbs"]).items()}
    items |= {phrase: Noun(korean) for phrase, korean in _by_phrase(tables["nouns"]).items()}
    items |= {phrase: Frame(name) for phrase, name in _by_phrase(tables["frames"]).items()}
    units, counted, periods = (
        Phrases(_by_phrase(tables[name]), stems, dropped) for name in ("units", "counted", "periods")
    )
    numbers = {stem(word): value for word, value in tables["numbers"].items()}
    return Lexicon(dropped, stems, Phrases(items, stems, dropped), units, counted, periods, numbers)


def _by_phrase(table: Mapping[str, Sequence[str]]) -> dict[str, str]:
    by_phrase: dict[str, str] = {}
    for korean, phrases in table.items():
        for phrase in phrases:
            if by_phrase.setdefault(phrase, korean) != korean:
                raise ValueError(f"{phrase} stands for {by_phrase[phrase]} and for {korean}")
    return by_phrase
