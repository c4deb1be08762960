"""The curated glossary: business words and their legal terms, and short names of statutes.

Data, not code: ``data/glossary/synonyms.toml`` and ``data/glossary/law_aliases.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from utils.config.settings import PROJECT_ROOT

GLOSSARY_DIR = PROJECT_ROOT / "data" / "glossary"


@dataclass(frozen=True)
class Glossary:
    """``formal`` maps an everyday word to its formal term, ``related`` a word to others worth searching for,
    ``law_aliases`` a short statute name to the full one; ``laws`` are the full names known without any index. ``asked`` maps
    what headings of statutes say to how one asks for it."""

    formal: Mapping[str, str]
    laws: frozenset[str]
    related: Mapping[str, tuple[str, ...]]
    law_aliases: Mapping[str, str]
    asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def words(self) -> frozenset[str]:
        """Every word and term of the tables."""
        return frozenset([*self.formal, *self.formal.values(), *self.related, *self.law_aliases, *self.laws])

    def formalize(self, text: str) -> str:
        """``text`` with everyday words replaced by their formal terms, longest first; unchanged where none occurs."""
        for word in sorted((word for word in self.formal if word in text), key=len, reverse=True):
            if self.formal[word] not in text:
                text = text.replace(word, self.formal[word])
        return text

    def wordings(self, phrase: str) -> list[str]:
        """Other wordings of a short phrase: its formal term first."""
        formal = self.formalize(phrase)
        return [*([formal] if formal != phrase else []), *self.expansions(phrase)]

    def headings(self, question: str) -> list[str]:
        """What headings of statutes call the things that a question asks for."""
        return [heading for heading, asked in self.asked.items() if any(words in question for words in asked)]

    def expansions(self, text: str) -> list[str]:
        """Words worth searching for beside those of ``text``, those of its longest words first."""
        squeezed = text.replace(" ", "")
        found: dict[str, None] = {}
        for word in sorted((word for word in self.related if word in squeezed), key=len, reverse=True):
            found.update((other, None) for other in self.related[word] if other.replace(" ", "") not in squeezed)
        return list(found)


def load_glossary(directory: Path = GLOSSARY_DIR) -> Glossary:
    """Read the tables.

    Raises:
        ValueError: a group has fewer than two words, or a short form stands for two things.
    """
    synonyms = tomllib.loads((directory / "synonyms.toml").read_text(encoding="utf-8"))
    aliases = tomllib.loads((directory / "law_aliases.toml").read_text(encoding="utf-8"))["aliases"]
    return Glossary(
        formal=_by_short_form(synonyms["formal"]),
        related=_symmetric(synonyms["search"]["related"]),
        law_aliases=_by_short_form(aliases),
        laws=frozenset(aliases),
        asked={heading: tuple(words) for heading, words in synonyms["asked"].items()},
    )


def _symmetric(groups: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    related: dict[str, list[str]] = {}
    for group in groups:
        if len(group) < 2:
            raise ValueError(f"a group needs two words: {group}")
        for word in group:
            related.setdefault(word.replace(" ", ""), []).extend(other for other in group if other != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in related.items()}


def _by_short_form(full: Mapping[str, Sequence[str]]) -> dict[str, str]:
    by_short: dict[str, str] = {}
    for long, short_forms in full.items():
        for short in short_forms:
            if by_short.setdefault(short, long) != long:
                raise ValueError(f"{short} stands for {by_short[short]} and for {long}")
    return by_short
