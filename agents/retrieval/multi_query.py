"""Query variants beside the question: by rule, always; a model's variants come first where there are any."""

from __future__ import annotations

from collections.abc import Sequence

from utils.glossary import Glossary
from utils.protocols import Analyzer
from vectorstores.sentences import split_sentences

_LONG_QUESTION_SENTENCES = 2


class MultiQueryExpander:
    """Makes up to ``count`` variants of a question.

    By rule, in this order: the question in formal terms, those with related search words, its sentences by how much they
    say.
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
        candidates += self._sentences(question)
        distinct = dict.fromkeys(text for text in candidates if text.strip() and text != question)
        return tuple(distinct)[:wanted]

    def _sentences(self, question: str) -> list[str]:
        """The sentences of a long question, the ones with most content first."""
        sentences = [question[start:end] for start, end in split_sentences(question)]
        if len(sentences) < _LONG_QUESTION_SENTENCES:
            return []
        return sorted(sentences, key=lambda text: -len(set(self._analyzer.terms(text))))
