"""Query variants, searched for beside the question: those of a model first, where there are any, then those made by rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from utils.korean.glossary import Glossary
from utils.korean.question_segments import split_segments
from utils.korean.question_words import ASPECT_WORDS, QUESTION_WORDS, subject_terms
from utils.protocols import Analyzer

_CLAUSE_TERMS = 2  # a clause of one word says too little to be searched for alone
_PREDICATES = ("VV", "VA")
_KEPT_TEXTS = 1_000


Frequencies = Callable[[Sequence[str]], Sequence[int]]
"""Returns the number of passages that hold each term."""


def unknown(terms: Sequence[str]) -> list[int]:
    """Return equal `Frequencies` for all terms, for want of an index."""
    return [1] * len(terms)


class MultiQueryExpander:
    """Makes ``count`` variants of a question; fewer only where it has no content.

    By rule, in this order: the question in formal terms, those with related search words, its clauses by how much they say, its
    sentences that ask, its rarest keywords, all of them with what headings of statutes call the thing asked for, the keywords alone. A variant that is
    the same set of index terms as the question or another variant would find the same, so it is none.
    """

    def __init__(self, glossary: Glossary, analyzer: Analyzer, count: int) -> None:
        self._glossary = glossary
        self._analyzer = analyzer
        self._count = count
        # several steps of a request ask for the same: what the planner formalizes is formalized once more for the reranker
        self._formal_terms = lru_cache(_KEPT_TEXTS)(self._formal_terms_of)
        self._clauses = lru_cache(_KEPT_TEXTS)(self._clauses_of)

    def formalize(self, question: str) -> str:
        """Return the content of the question in formal terms (직원을 내보내려면 → 직원 해고); a formal question is returned as it is."""
        terms = self._formal_terms(question)
        # its own terms would be analysed once more, and say nothing new
        return question if terms == self._distinct_terms(question) else " ".join(terms)

    def _formal_terms_of(self, question: str) -> tuple[str, ...]:
        formal = self._glossary.formal
        terms = self._analyzer.terms(self._glossary.formalize(question, self._analyzer.morphemes))
        return tuple(dict.fromkeys(formal.get(term, term) for term in terms))

    def _distinct_terms(self, text: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._analyzer.terms(text)))

    def readings(self, question: str) -> tuple[str, ...]:
        """Return the question as typed, in formal terms, and clause by clause in formal terms."""
        return tuple(dict.fromkeys((question, self.formalize(question), *map(self.formalize, self.clauses(question)))))

    def expand(
        self,
        question: str,
        from_model: Sequence[str] = (),
        extra: int = 0,
        frequencies: Frequencies = unknown,
        *,
        by_rule: bool = True,
    ) -> tuple[str, ...]:
        """Return variants of different index terms, none with those of the question.

        ``extra``: more than usual, for a stronger search. ``frequencies`` tells which keywords are the rare ones. Not ``by_rule``:
        those of the model alone.
        """
        wanted = self._count + extra
        seen = {frozenset[str](), self._terms(question)}
        variants: list[str] = []
        for text in self._candidates(question, from_model, frequencies) if by_rule else from_model:
            if len(variants) >= wanted:
                break
            terms = self._terms(text)
            if terms not in seen:
                seen.add(terms)
                variants.append(text)
        return tuple(variants)

    def fits(self, variant: str, question: str, others: Sequence[str]) -> bool:
        """Return whether ``variant`` shares as many formal terms with ``question`` as with any of the ``others``."""
        terms = frozenset(self._formal_terms(variant))
        shared = [len(terms.intersection(self._formal_terms(text))) for text in (question, *others)]
        return shared[0] == max(shared)

    def _candidates(self, question: str, from_model: Sequence[str], frequencies: Frequencies) -> Iterator[str]:
        """Yield variants lazily: each costs an analysis, and the first are mostly enough."""
        yield from from_model
        terms = self._formal_terms(question)
        if not terms:
            return
        formal = self.formalize(question)
        yield formal
        related = self._glossary.expansions(f"{question} {formal}")
        if related:
            yield f"{formal} {' '.join(related)}"
        yield from map(self.formalize, self.clauses(question))
        yield from map(self.formalize, self._asking(question))
        keywords = self._keywords(question) or list(terms)
        core = _rarest(keywords, frequencies(keywords))
        yield " ".join(core)
        yield f"{' '.join(keywords)} {' '.join(self._glossary.headings(question))}"
        yield " ".join(keywords)
        for heading in self._glossary.asked:
            yield f"{' '.join(core)} {heading}"

    def clauses(self, question: str) -> tuple[str, ...]:
        """Return the clauses of a question that has several, those with most terms first."""
        return self._clauses(question)

    def _clauses_of(self, question: str) -> tuple[str, ...]:
        segments = split_segments(question, self._analyzer.morphemes(question))
        if len(segments) < 2:
            return ()
        located = self._analyzer.located(question)
        sizes = {
            question[segment.start : segment.end]: len(set(located.within(segment.start, segment.end).terms))
            for segment in segments
        }
        full = (clause for clause in sizes if sizes[clause] >= _CLAUSE_TERMS)
        return tuple(sorted(full, key=lambda clause: -sizes[clause]))

    def _asking(self, question: str) -> list[str]:
        """Return the sentences that ask, joined, without those that tell the situation; nothing where all or none ask."""
        segments = split_segments(question, self._analyzer.morphemes(question))
        asking = [question[segment.start : segment.end] for segment in segments if segment.asks]
        return [" ".join(asking)] if 0 < len(asking) < len(segments) else []

    def _keywords(self, question: str) -> list[str]:
        """Return the nouns that name the subject in formal terms, without predicates and words of asking."""
        formal = self._glossary.formalize(question, self._analyzer.morphemes)
        predicates = {
            f"{morpheme.form}다"
            for morpheme in self._analyzer.morphemes(formal)
            if morpheme.tag.startswith(_PREDICATES)
        }
        left_out = predicates | ASPECT_WORDS | QUESTION_WORDS
        return [term for term in self._formal_terms(question) if term not in left_out]

    def _terms(self, text: str) -> frozenset[str]:
        return frozenset(subject_terms(self._analyzer.terms(text)))


def _rarest(terms: Sequence[str], frequencies: Sequence[int]) -> list[str]:
    """Return the rarer half of the terms, two at least, in their order; a term that no passage holds counts as the least rare."""
    kept = max(2, (len(terms) + 1) // 2)
    ranked = sorted(range(len(terms)), key=lambda place: frequencies[place] or math.inf)
    return [terms[place] for place in sorted(ranked[:kept])]
