"""Coverage: the share of a question's term weight that a text contains.

A question is a set of weighted content terms, each with other wordings (부가세 is also 부가 + 가치세); a text covers a term by
the term itself or by all terms of another wording.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from utils.korean.glossary import Analysis
from utils.korean.question_words import subject_terms
from utils.protocols import Analyzer

Expander = Callable[[str, Analysis], Sequence[str]]
"""Other wordings of a word or phrase, as text: its formal term, its synonyms (`utils.korean.glossary.Glossary.wordings`)."""

_OTHER_WORDING = 0.85  # what a match by another wording counts, against 1 for the term itself
_PHRASE_CACHE = 10_000
_QUESTION_CACHE = 1_000
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class QuestionTerm:
    """A content term of a question, the term sets that say the same, and how much the term matters (≥ 0)."""

    term: str
    wordings: tuple[frozenset[str], ...] = ()
    weight: float = 1.0

    def match(self, terms: AbstractSet[str]) -> float:
        """1 where the term stands in ``terms``, 0.85 by another wording, 0 otherwise."""
        if self.term in terms:
            return 1.0
        for wording in self.wordings:
            if wording <= terms:
                return _OTHER_WORDING
        return 0.0


class QuestionReader:
    """Reads a question into terms. It is analysed once: what its words and phrases say is taken from that."""

    def __init__(self, analyzer: Analyzer, expand: Expander | None = None) -> None:
        self._analyzer = analyzer
        self.read = lru_cache(_QUESTION_CACHE)(self._read)
        self._others = lru_cache(_PHRASE_CACHE)(lambda phrase, own: self._other_wordings(phrase, own, expand))

    def _read(self, question: str) -> tuple[QuestionTerm, ...]:
        """The terms of the subject of ``question`` in order, each of weight 1."""
        located = self._analyzer.located(question)
        wordings: dict[str, list[frozenset[str]]] = {}
        words = [match.span() for match in _WORD.finditer(question)]
        for start, end in (*words, *((first[0], second[1]) for first, second in pairwise(words))):
            own = located.within(start, end).terms
            for other in self._others(question[start:end], own):
                for term in own:
                    wordings.setdefault(term, []).append(other)
        return tuple(QuestionTerm(term, tuple(wordings.get(term, ()))) for term in subject_terms(located.terms))

    def terms(self, text: str) -> frozenset[str]:
        """Return the terms of ``text`` that can be matched."""
        return frozenset(self._analyzer.located(text).terms)

    def _other_wordings(self, phrase: str, own: tuple[str, ...], expand: Expander | None) -> tuple[frozenset[str], ...]:
        """Return other wordings of ``phrase`` as sets of terms, without the terms that ``phrase`` has itself."""
        if expand is None:
            return ()
        # also by dictionary form: 내보내려면 is looked up as 내보내다
        texts = (" ".join(phrase.split()), *sorted(set(own)))
        found = dict.fromkeys(other for text in texts for other in expand(text, self._analyzer.morphemes))
        others = (self.terms(other).difference(own) for other in found)
        return tuple(other for other in others if other)


def coverage(question: Iterable[QuestionTerm], terms: AbstractSet[str]) -> float:
    """The weighted share of the question's terms that ``terms`` cover, in [0, 1]; 0 for a question without terms."""
    total = matched = 0.0
    for term in question:
        total += term.weight
        matched += term.weight * term.match(terms)
    return matched / total if total else 0.0
