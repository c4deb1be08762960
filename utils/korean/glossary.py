"""The curated glossary: business words and their legal terms, and short names of statutes.

Data, not code: ``data/glossary/synonyms.toml`` and ``data/glossary/law_aliases.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from utils.config.settings import PROJECT_ROOT
from utils.korean.everyday_words import EverydayWords, TermContext
from utils.law.ambiguous_names import AmbiguousName
from utils.protocols import Morpheme

GLOSSARY_DIR = PROJECT_ROOT / "data" / "glossary"
_HEAD = 2  # letters; no related word is shorter

Analysis = Callable[[str], Sequence[Morpheme]]
"""Gives the morphemes of a text: `utils.protocols.Analyzer.morphemes`, or those of a text that is analysed already."""


@dataclass(frozen=True)
class Glossary:
    """``formal`` maps an everyday word to its formal term, ``related`` a word to others worth searching for,
    ``law_aliases`` a short statute name to the full one; ``laws`` are the full names known without any index. ``asked`` maps
    what headings of statutes say to how one asks for it; ``contexts`` are the formal terms that are not always meant, ``ambiguous_laws`` the
    short names of several statutes."""

    formal: Mapping[str, str]
    laws: frozenset[str]
    related: Mapping[str, tuple[str, ...]]
    law_aliases: Mapping[str, str]
    asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    contexts: Mapping[str, TermContext] = field(default_factory=dict)
    ambiguous_laws: Mapping[str, AmbiguousName] = field(default_factory=dict)

    @property
    def words(self) -> frozenset[str]:
        """Every word and term of the tables."""
        laws = (*self.law_aliases, *self.ambiguous_laws, *self.laws)
        return frozenset([*self.formal, *self.formal.values(), *self.related, *laws])

    @cached_property
    def _everyday(self) -> EverydayWords:
        return EverydayWords(self.formal, self.contexts)

    @cached_property
    def _related_by_head(self) -> dict[str, list[tuple[int, str]]]:
        """The words of ``related`` with their places in it, by their first letters: most stand nowhere in a text."""
        by_head: dict[str, list[tuple[int, str]]] = {}
        for place, word in enumerate(self.related):
            by_head.setdefault(word[:_HEAD], []).append((place, word))
        return by_head

    def formalize(self, text: str, analysis: Analysis) -> str:
        """Return ``text`` with everyday words replaced by their formal terms, longest first; unchanged where none occurs.

        ``analysis`` is asked for the morphemes of ``text`` only where the letters of such a word stand in it.
        """
        return self._everyday.replaced(text, analysis) if self._everyday.may_occur(text) else text

    def wordings(self, phrase: str, analysis: Analysis) -> list[str]:
        """Return other wordings of a short phrase: its formal term first."""
        formal = self.formalize(phrase, analysis)
        return [*([formal] if formal != phrase else []), *self.expansions(phrase)]

    def headings(self, question: str) -> list[str]:
        """Return the words by which headings of statutes call the things that a question asks for."""
        return [heading for heading, asked in self.asked.items() if any(words in question for words in asked)]

    def expansions(self, text: str) -> list[str]:
        """Words worth searching for beside those of ``text``, those of its longest words first."""
        squeezed = text.replace(" ", "")
        heads = {squeezed[start : start + _HEAD] for start in range(len(squeezed))}
        ranked = sorted(
            entry for head in heads for entry in self._related_by_head.get(head, ()) if entry[1] in squeezed
        )
        found: dict[str, None] = {}
        for word in sorted((word for _, word in ranked), key=len, reverse=True):
            found.update((other, None) for other in self.related[word] if other.replace(" ", "") not in squeezed)
        return list(found)


def load_glossary(directory: Path = GLOSSARY_DIR) -> Glossary:
    """Read the tables.

    Raises:
        ValueError: a group has fewer than two words or a word of one letter, a short form stands for two things, or a context is of no formal term.
    """
    synonyms = tomllib.loads((directory / "synonyms.toml").read_text(encoding="utf-8"))
    statutes = tomllib.loads((directory / "law_aliases.toml").read_text(encoding="utf-8"))
    aliases = statutes["aliases"]
    return Glossary(
        formal=_by_short_form(synonyms["formal"]),
        related=_symmetric(synonyms["search"]["related"]),
        law_aliases=_by_short_form(aliases),
        laws=frozenset(aliases),
        asked={heading: tuple(words) for heading, words in synonyms["asked"].items()},
        contexts=_contexts(synonyms["context"], synonyms["formal"]),
        ambiguous_laws={name: AmbiguousName(meant) for name, meant in statutes["ambiguous"].items()},
    )


def _contexts(groups: Sequence[Mapping[str, Sequence[str]]], formal: Mapping[str, object]) -> dict[str, TermContext]:
    contexts: dict[str, TermContext] = {}
    for group in groups:
        for term in group["terms"]:
            if term not in formal:
                raise ValueError(f"{term} is no formal term, so it has no context")
            known = contexts.get(term, TermContext())
            contexts[term] = TermContext(
                beside=(*known.beside, *group.get("beside", ())),
                not_beside=(*known.not_beside, *group.get("not_beside", ())),
                never_beside=(*known.never_beside, *group.get("never_beside", ())),
            )
    return contexts


def _symmetric(groups: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    related: dict[str, list[str]] = {}
    for group in groups:
        if len(group) < 2:
            raise ValueError(f"a group needs two words: {group}")
        if min(map(len, group)) < _HEAD:
            raise ValueError(f"a word of one letter stands in too many others: {group}")
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
