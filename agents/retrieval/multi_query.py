"""Query variants beside the question: by rule, always; a model's variants come first where there are any."""

from __future__ import annotations

from collections.abc import Sequence

from utils.glossary import Glossary
from utils.protocols import Analyzer
from utils.question_segments import split_segments

_CLAUSE_TERMS = 2  # a clause of one word says too little to be searched for alone


class MultiQueryExpander:
    """Makes up to ``count`` variants of a question.

    By rule, in this order: the question in formal terms, those with related search words, its clauses by how much they say.
    """

    def __init__(self, glossary: Glossary, analyzer: Analyzer, count: int) -> None:
        self._glossary = glossary
        self._analyzer = analyzer
        self._count = count

    def formalize(self, question: str) -> str:
        """The content of the question in formal terms: 직원을 내보내려면 → 직원 해고."""
        formal = self._glossary.formal
        terms = self._analyzer.terms(self._glossary.formalize(question))
        return " ".join(dict.fromkeys(formal.get(term, term) for term in terms))

    def readings(self, question: str) -> tuple[str, ...]:
        """The question as typed, in formal terms, and clause by clause in formal terms."""
        return tuple(dict.fromkeys((question, self.formalize(question), *map(self.formalize, self.clauses(question)))))

    def expand(self, question: str, from_model: Sequence[str] = (), extra: int = 0) -> tuple[str, ...]:
        """Different variants, none equal to the question; ``extra`` more than usual for a stronger search."""
        wanted = self._count + extra
        if wanted <= 0:
            return ()
        formal = self.formalize(question)
        related = self._glossary.expansions(f"{question} {formal}")
        candidates = [*from_model, formal]
        if related:
            candidates.append(f"{formal} {' '.join(related)}")
        candidates += map(self.formalize, self.clauses(question))
        distinct = dict.fromkeys(text for text in candidates if text.strip() and text != question)
        return tuple(distinct)[:wanted]

    def clauses(self, question: str) -> list[str]:
        """The clauses of a question of several, the ones with most content first."""
        segments = split_segments(question, self._analyzer.morphemes(question))
        clauses = [question[one.start : one.end] for one in segments]
        if len(clauses) < 2:
            return []
        sizes = {clause: len(set(self._analyzer.terms(clause))) for clause in clauses}
        return sorted((clause for clause in sizes if sizes[clause] >= _CLAUSE_TERMS), key=lambda one: -sizes[one])
