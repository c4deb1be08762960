"""Which sentences of a unit are said behind its conclusion: those that bear on what is asked.

A unit tells its topic, and behind the conclusion much of it is of a case or an aspect that was not asked about: its exceptions above
all, rules of a sibling case, examples. What a sentence shares with the question tells these apart. What is first to tell an amount or a time that is
wanted is said in any words, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from utils.figures.figure_patterns import FigureKind
from utils.figures.figures import find_figures
from utils.figures.wanted_amounts import tells, wanted_amount
from utils.knowledge.units import Role, UnitSentence
from utils.korean.word_rarity import squeezed, syllable_pairs

# 「(부가가치세법 제49조)」 behind a sentence says where it comes from, not what it says.
_REFERENCES = re.compile(r"\([^()]*제\s?\d+조[^()]*\)")
# Shares of a sentence that the question has, in pairs of syllables. Chosen on the owners' questions that are learned from.
_LEAST_SHARED = {Role.RULE: 0.12, Role.EXCEPTION: 0.3}
_NEVER = frozenset({Role.EXAMPLE})
_WHEN = re.compile(r"언제|며칠|몇\s?(?:일|월|달|개월|년|주)|기한|기간|까지")
_TIMES = frozenset({FigureKind.DATE, FigureKind.COUNT})


def without_references(sentence: str) -> str:
    """``sentence`` without the articles in brackets."""
    return _REFERENCES.sub("", sentence)


def bears_on(sentence: UnitSentence, ask: str, question: str, said: Sequence[str]) -> bool:
    """Return True if a sentence behind a conclusion bears on a thing asked, by its role, its words, and what was ``said`` to it before.

    Conditions, procedures, deadlines and sanctions belong to any answer; a rule or an exception to one that its words lead to, or
    that still lacks the amount or the time that is wanted.
    """
    least = _LEAST_SHARED.get(sentence.role)
    if sentence.role in _NEVER:
        return False
    text = without_references(sentence.text)
    return least is None or _shared(text, f"{question} {ask}") >= least or _tells_first(text, ask, said)


def _shared(sentence: str, question: str) -> float:
    pairs = _pairs(sentence)
    return len(pairs & _pairs(question)) / max(len(pairs), 1)


def _pairs(text: str) -> set[str]:
    """Pairs of syllables within the words of a text."""
    return {pair for word in text.split() for pair in syllable_pairs(squeezed(word))}


def _tells_first(sentence: str, ask: str, said: Sequence[str]) -> bool:
    """Return True if ``ask`` wants an amount or a time, and this sentence is the first to tell one."""
    amount = wanted_amount(ask)
    if amount is not None and tells(sentence, amount) and not any(tells(each, amount) for each in said):
        return True
    return _WHEN.search(ask) is not None and _tells_time(sentence) and not any(map(_tells_time, said))


def _tells_time(text: str) -> bool:
    return any(figure.kind in _TIMES for figure in find_figures(text))
