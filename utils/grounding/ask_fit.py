"""The fit of sentences to a thing asked by their words alone, whatever documents they are of."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from utils.grounding.answer_judge import AskFinding, Treatment
from utils.korean.coverage import QuestionTerm, coverage
from utils.korean.question_intent import Intent, SentenceFit, intents_of, sentence_fit
from utils.korean.word_rarity import WordRarity, squeezed, syllable_pairs

_KEPT_SENTENCES = 4_000
_SANCTION = frozenset({Intent.SANCTION})
_FIGURES = frozenset(Intent) - {Intent.SANCTION, Intent.DUTY, Intent.OPEN}
"""The kinds of answer that a figure gives."""


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """A document that the answer cites: its relevance, in [0, 1], and the terms of its title."""

    relevance: float
    title: AbstractSet[str]


class AskFit:
    """Holds sentences against a thing asked; ``rarity`` is that of pairs of syllables over the knowledge base."""

    def __init__(self, rarity: WordRarity) -> None:
        self._rarity = rarity
        self._fit = lru_cache(_KEPT_SENTENCES)(sentence_fit)

    def by_words(self, ask: str, sentences: Sequence[str]) -> tuple[float, float]:
        """Return ``pairs_missing`` and ``kind_missing`` of `utils.grounding.answer_judge`."""
        joined = squeezed(" ".join(sentences))
        weighed = [(self._rarity.of_pair(pair), pair in joined) for pair in sorted(syllable_pairs(squeezed(ask)))]
        total = sum(weight for weight, _ in weighed)
        missing = sum(weight for weight, is_said in weighed if not is_said) / total if total else 0.0
        intents, fits = intents_of(ask), [self._fit(sentence) for sentence in sentences]
        return missing, 1 - min(_best(intents & kinds, fits) for kinds in (_FIGURES, _SANCTION))

    def of_documents(
        self, ask: str, asked: Sequence[QuestionTerm], cited: Sequence[CitedDocument], sentences: Sequence[str]
    ) -> AskFinding:
        """Return what ``sentences`` say to an ask with the terms ``asked``, by the document that fits best of those they cite."""
        found = [(each.relevance, coverage(asked, each.title) if asked else 1.0) for each in cited]
        best = max(found, key=sum, default=(0.0, 0.0))
        return AskFinding(Treatment.TEXT, (*best, *self.by_words(ask, sentences)))


def _best(wanted: AbstractSet[Intent], fits: Sequence[SentenceFit]) -> float:
    """The best fit to one of the intents that are wanted; 1 where none is."""
    if not wanted:
        return 1.0
    return max((fit.by_intent.get(intent, 0.0) for fit in fits for intent in wanted), default=0.0)
