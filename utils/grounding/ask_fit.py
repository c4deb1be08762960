"""How far sentences fit a thing asked by their words alone, whatever documents they are of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from utils.grounding.answer_judge import AskFinding, Treatment
from utils.korean.coverage import QuestionTerm, coverage
from utils.korean.question_intent import Intent, SentenceFit, intents_of, sentence_fit
from utils.korean.word_rarity import WordRarity, squeezed, syllable_pairs

_KEPT_SENTENCES = 4_000
_FIGURES = frozenset(Intent) - {Intent.SANCTION, Intent.DUTY, Intent.OPEN}
"""The kinds of answer that a figure gives."""

_NO_DOCUMENT = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Statement:
    """A title, or a sentence of the answer: its text without citations, and its terms."""

    text: str
    terms: AbstractSet[str]


@dataclass(frozen=True, slots=True)
class CitedStatement:
    """A sentence of the answer beside a document that it cites; ``relevance`` is the document's, in [0, 1]."""

    relevance: float
    title: Statement
    said: Statement


class AskFit:
    """Holds sentences against a thing asked; ``rarity`` is that of pairs of syllables over the knowledge base."""

    def __init__(self, rarity: WordRarity) -> None:
        self._rarity = rarity
        self._fit = lru_cache(_KEPT_SENTENCES)(sentence_fit)

    def by_words(self, ask: str, sentences: Sequence[str]) -> tuple[float, float, float]:
        """Return ``pairs_missing``, ``figure_missing`` and ``sanction_missing`` of `utils.grounding.answer_judge`."""
        joined = squeezed(" ".join(sentences))
        intents, fits = intents_of(ask), [self._fit(sentence) for sentence in sentences]
        figures = _best(intents & _FIGURES, fits)
        sanction = _best(intents & {Intent.SANCTION}, fits)
        return 1 - _share(self._weighed(ask), lambda pair: pair in joined), 1 - figures, 1 - sanction

    def of_documents(
        self, ask: str, asked: Sequence[QuestionTerm], cited: Sequence[CitedStatement], sentences: Sequence[str]
    ) -> AskFinding:
        """What ``sentences`` say to an ask with the terms ``asked``, by the document of those they cite that fits best."""
        pairs = self._weighed(ask)
        best = max((self._beside(pairs, asked, each) for each in cited), key=sum, default=_NO_DOCUMENT)
        return AskFinding(Treatment.TEXT, (*best, *self.by_words(ask, sentences)))

    def _beside(
        self, pairs: Sequence[tuple[str, float]], asked: Sequence[QuestionTerm], cited: CitedStatement
    ) -> tuple[float, ...]:
        in_title, in_said = squeezed(cited.title.text), squeezed(cited.said.text)
        return (
            cited.relevance,
            coverage(asked, cited.title.terms) if asked else 1.0,
            _share(pairs, lambda pair: pair in in_title),
            _share(pairs, lambda pair: pair in in_title or pair in in_said),
        )

    def _weighed(self, ask: str) -> list[tuple[str, float]]:
        return [(pair, self._rarity.of_pair(pair)) for pair in sorted(syllable_pairs(squeezed(ask)))]


def _best(wanted: AbstractSet[Intent], fits: Sequence[SentenceFit]) -> float:
    """The best fit to one of the intents that are wanted; 1 where none is."""
    if not wanted:
        return 1.0
    return max((fit.by_intent.get(intent, 0.0) for fit in fits for intent in wanted), default=0.0)


def _share(weighed: Sequence[tuple[str, float]], has: Callable[[str], bool]) -> float:
    """The share of the weight that ``has`` says is there; 1 of nothing."""
    total = sum(weight for _, weight in weighed)
    return sum(weight for pair, weight in weighed if has(pair)) / total if total else 1.0
