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

from utils.grounding.claims import Claim, claims_of
from utils.grounding.facts import GroundingSource, SourceFacts, readable, source_facts
from utils.grounding.polarity import content_words, with_affixes
from utils.law.text_citations import StatuteResolver

_FEWEST, _MOST = 3, 80  # words of a sentence that is compared
_RETOLD = 0.75  # share of its words that the source's sentence must hold
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
    def claims(self) -> Sequence[Claim]:
        return claims_of(self.text, self.resolver, None, names_agencies=True)[0]


def passages_of(source: GroundingSource, resolver: StatuteResolver) -> tuple[Passage, ...]:
    """The sentences of ``source``, each once, that have words enough to be compared."""

    def read(text: str) -> SourceFacts:
        return source_facts(GroundingSource(0, text, source.title), resolver)

    sentences = dict.fromkeys(filter(None, _SENTENCE_END.split(readable(source.text))))
    passages = []
    for sentence in sentences:
        words = frozenset(content_words(sentence))
        if len(words) >= _FEWEST:
            passages.append(Passage(sentence, words, with_affixes(words), read, resolver))
    return tuple(passages)


def replaced(text: str, claims: Sequence[Claim], passages: Iterable[Passage], resolver: StatuteResolver) -> list[Claim]:
    """The claims of ``text`` that stand in the place of others of the sentence that it retells."""
    words = frozenset(content_words(text))
    if not claims or not _FEWEST <= len(words) <= _MOST:
        return []
    held = [(len(words & passage.affixes) / len(words), passage) for passage in passages]
    most = max((share for share, _ in held), default=0.0)
    if most < _RETOLD:
        return []
    near = [passage for share, passage in held if share >= max(_RETOLD, most - _NEAR)]
    retold = max(near, key=lambda passage: _likeness(words, passage))
    said = source_facts(GroundingSource(0, text), resolver)
    left_out = {claim.unit for claim in retold.claims if not _stands(claim, claims, said)}
    return [
        claim
        for claim in claims
        if claim.unit in left_out and not any(_stands(claim, passage.claims, passage.facts) for passage in near)
    ]


def _stands(claim: Claim, among: Iterable[Claim], facts: SourceFacts) -> bool:
    """Return True if the claim stands in a sentence with these claims and facts: 4월 10일 is no 4월 where the sentence has another month."""
    same = [other.date for other in among if other.date and other.unit == claim.unit] if claim.date else []
    return claim.date in same if same else claim.is_held_by(facts)


def _likeness(words: frozenset[str], passage: Passage) -> float:
    return 2 * len(words & passage.affixes) / (len(words) + len(passage.words))
