"""Find a fact of a source in the place of another: 30일 where the sentence that is retold has 60일, though another sentence has 30일.

A sentence of an answer that retells a sentence of its source in that sentence's words is held against it. A claim that stands only
elsewhere in the source is replaced where the retold sentence has another claim of the same unit that the answer leaves out. A sentence that
draws on several of the source, or adds to one, is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from utils.grounding.agencies import load_agencies
from utils.grounding.claims import Claim, claims_of
from utils.grounding.facts import GroundingSource, SourceFacts, readable, source_facts
from utils.grounding.polarity import Clause, content_words, turned_round, whole_clause, with_affixes
from utils.law.text_citations import StatuteResolver

_FEWEST, _MOST = 3, 80  # words of a sentence that is compared
_RETOLD = 0.75  # share of its words that the source's sentence must hold
_COPIED = 0.8  # share that the two sentences must have in common to be the same but for their ends
_ALIKE = 0.03  # by how much another sentence may be less like it and still be as near
_NEAR = 0.1  # by how much another sentence may hold less and still be meant
_SENTENCE_END = re.compile(r"(?<=[다요음함됨])[.。!?]+\s+|\n+")


@dataclass(frozen=True)
class Passage:
    """A sentence of a source: its words, its facts and its claims; facts and claims are read when it is retold."""

    text: str
    words: frozenset[str]
    affixes: frozenset[str]
    read: Callable[[str], SourceFacts]
    resolver: StatuteResolver

    @cached_property
    def facts(self) -> SourceFacts:
        return self.read(self.text)

    @cached_property
    def clause(self) -> Clause | None:
        return whole_clause(self.text)

    @cached_property
    def claims(self) -> Sequence[Claim]:
        return claims_of(self.text, self.resolver, None, names_agencies=True)[0]


def passages_of(source: GroundingSource, resolver: StatuteResolver) -> tuple[Passage, ...]:
    """The sentences of ``source``, each once, that have words enough to be compared."""

    def read(text: str) -> SourceFacts:
        return source_facts(GroundingSource(0, text, source.title), resolver)

    sentences = dict.fromkeys(filter(None, _SENTENCE_END.split(readable(source.text))))
    passages = []
    for sentence in sentences:
        words = _words(sentence)
        if len(words) >= _FEWEST:
            passages.append(Passage(sentence, words, with_affixes(words), read, resolver))
    return tuple(passages)


class Retold:
    """The sentences of the sources that a sentence of an answer retells; none where it has too few words, or too many, or others."""

    def __init__(self, text: str, passages: Iterable[Passage]) -> None:
        self._text = text
        words = _words(text)
        self._near: list[Passage] = []
        self._nearest: list[Passage] = []
        self._is_copy = False
        if not _FEWEST <= len(words) <= _MOST:
            return
        held = [(len(words & passage.affixes) / len(words), passage) for passage in passages]
        most = max((share for share, _ in held), default=0.0)
        if most < _RETOLD:
            return
        self._near = [passage for share, passage in held if share >= max(_RETOLD, most - _NEAR)]
        alike = [2 * len(words & passage.affixes) / (len(words) + len(passage.words)) for passage in self._near]
        self._nearest = [each for each, share in zip(self._near, alike, strict=True) if share >= max(alike) - _ALIKE]
        self._is_copy = max(alike) >= _COPIED

    def replaced(self, claims: Sequence[Claim]) -> list[Claim]:
        """The ``claims`` of the sentence that stand in the place of others."""
        if not self._nearest or not claims:
            return []
        said = source_facts(GroundingSource(0, self._text), self._nearest[0].resolver)
        left_out = [
            {claim.unit for claim in passage.claims if not _stands(claim, claims, said)} for passage in self._nearest
        ]
        return [
            claim
            for claim in claims
            if all(claim.unit in units for units in left_out)
            and (
                not any(_stands(claim, passage.claims, passage.facts) for passage in self._near)
                or all(_is_repeated(claim, claims, passage.claims) for passage in self._nearest)
            )
        ]

    def turned_round(self) -> str | None:
        """The end of the sentence where it is a copy, but for its end, which says the opposite."""
        told = whole_clause(self._text) if self._is_copy else None
        known = [passage.clause for passage in self._nearest]
        if told is None or not all(clause is not None and turned_round(told, clause) for clause in known):
            return None
        return told.ending


def _words(text: str) -> frozenset[str]:
    """The words of a sentence beside its figures and agencies, which are claims."""
    return frozenset(content_words(load_agencies().without(text)))


def _stands(claim: Claim, among: Iterable[Claim], facts: SourceFacts) -> bool:
    """Return True if the claim stands in a sentence with these claims and facts: 4월 10일 is no 4월 where the sentence has another month."""
    same = [other.key for other in among if other.unit == claim.unit] if claim.is_date else []
    return claim.key in same if same else claim.is_held_by(facts)


def _is_repeated(claim: Claim, claims: Iterable[Claim], retold: Iterable[Claim]) -> bool:
    """Return True if the claim also stands where the retold sentence has another, of as many of its unit: 5년, 7년, 5년 for 5년, 7년, 10년."""
    told, known = ([other.key for other in every if other.unit == claim.unit] for every in (claims, retold))
    return len(told) == len(known) and told.count(claim.key) > known.count(claim.key)
