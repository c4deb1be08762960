"""How well each sentence of the documents answers each thing that is asked.

The score of a sentence adds the share of the question's terms it covers (alone, and with the title of its document), its
cosine to the question, whether it holds the kind of figure asked for, the relevance of its document, and how well the
best sentences of that document do. The weights were chosen on the acceptance and
starter questions (`python -m evaluation answers`); the result is flat around them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chains.extractive_task import ExtractiveDocument
from chains.question_intent import Intent, SentenceFit, intents_of, sentence_fit
from utils.coverage import Expander, QuestionReader, QuestionTerm
from utils.protocols import AnalyzedText, Analyzer, Embedder
from utils.question_segments import split_segments

_IN_SENTENCE = 1.3
_WITH_TITLE = 1.0
_COSINE = 1.5
_INTENT = 1.1
_RELEVANCE = 0.8
_DOCUMENT = 0.5
_TOP_OF_DOCUMENT = 3
_HEADCOUNT = 0.8  # for a rule about workplaces below five where the user's is one
# What a term of the question weighs outside the clause that asks.
_SAME_SENTENCE = 0.6
_OTHER_SENTENCE = 0.3
_OTHER_ASK = 0.1  # a term of another thing asked, where this one has terms enough of its own

_SENTENCE_CACHE = 50_000
# 「(부가가치세법 제49조)」 behind a sentence says where it comes from, not what it says.
_STATUTE_IN_PARENTHESES = re.compile(r"\s?\([^()]*제\s?\d+조[^()]*\)")


_BULLET = re.compile(r"^(?:[-*•·]\s+|\d{1,2}[.)]\s+|[①-⑳]\s*)")
_UNDER_FIVE = re.compile(r"5\s?[인명]\s?미만|4\s?[인명]\s?이하")
_SHORTEST = 12  # characters of a sentence worth quoting
_ENDS_LIKE_A_SENTENCE = re.compile(r"[다요음함됨임][\"'”’)]*[.!]?(?:\s?\([^()]*\)\.?)?$|[.!]$")

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked: what each term of the question weighs for it, and the kind of answer it wants."""

    text: str
    weights: tuple[float, ...]
    intents: frozenset[Intent]


@dataclass(frozen=True, slots=True)
class ReadText:
    """What is known of a sentence or title without a question."""

    terms: frozenset[str]
    fit: SentenceFit
    vector: Vector


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a document."""

    document: ExtractiveDocument
    position: int
    text: str
    read: ReadText
    title: ReadText


@dataclass(frozen=True, slots=True)
class ScoredAsk:
    """The candidates' scores for one ask, in their order."""

    ask: Ask
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A question beside the candidates: which of its terms each one holds, and how near it is.

    ``sentences`` and ``titles`` have shape ``(candidates, terms)`` with values in [0, 1], ``cosines`` and
    ``title_cosines`` shape ``(candidates,)``.
    """

    question: str
    terms: tuple[QuestionTerm, ...]
    candidates: tuple[Candidate, ...]
    sentences: Vector
    titles: Vector
    cosines: Vector
    title_cosines: Vector

    def evidence(self) -> float:
        """How far the documents are about the question at all, in about [0, 1]: the best of them by the share of the
        terms it covers as a whole and the cosines of its title and its best sentence."""
        best = 0.0
        held = np.maximum(self.sentences, self.titles)
        indexes = np.array([candidate.document.index for candidate in self.candidates])
        for index in np.unique(indexes):
            rows = indexes == index
            covered = held[rows].max(axis=0).mean() if self.terms else 0.0
            best = max(best, float(covered + self.cosines[rows].max() + self.title_cosines[rows].max()) / 3)
        return best


class SentenceScorer:
    """Reads questions and sentences. It keeps what it read of sentences: those of a knowledge base repeat."""

    def __init__(self, analyzer: Analyzer, embedder: Embedder, expand: Expander | None = None) -> None:
        self._analyzer = analyzer
        self._embedder = embedder
        self._reader = QuestionReader(analyzer, expand)
        self._read = lru_cache(_SENTENCE_CACHE)(self._read_text)

    def candidates(self, documents: Sequence[ExtractiveDocument], employees: int | None = None) -> list[Candidate]:
        """The sentences of ``documents`` that can stand alone and do not mislead a user with that headcount, in order."""
        found: list[Candidate] = []
        for document in documents:
            title = self._read(document.title)
            for position, sentence in enumerate(document.sentences):
                text = quotable(sentence)
                if text and text != document.title and not _is_about_smaller(text, employees):
                    found.append(Candidate(document, position, text, self._read(text), title))
        return found

    def match(self, question: str, candidates: Sequence[Candidate]) -> Match:
        """Hold ``question`` against ``candidates``, of which there is at least one."""
        terms = self._reader.read(question)
        vector = self._read(question).vector
        titles: dict[int, list[float]] = {}
        for candidate in candidates:
            if candidate.document.index not in titles:
                titles[candidate.document.index] = _held(terms, candidate.title)
        return Match(
            question=question,
            terms=terms,
            candidates=tuple(candidates),
            sentences=np.array([_held(terms, candidate.read) for candidate in candidates], dtype=np.float32),
            titles=np.array([titles[candidate.document.index] for candidate in candidates], dtype=np.float32),
            cosines=_cosines(vector, [candidate.read for candidate in candidates]),
            title_cosines=_cosines(vector, [candidate.title for candidate in candidates]),
        )

    def score(self, match: Match, employees: int | None = None) -> list[ScoredAsk]:
        """The scores of all candidates for each thing that the question asks. ``employees`` is the user's headcount."""
        held = np.maximum(match.sentences, match.titles)
        relevance = np.array([candidate.document.relevance for candidate in match.candidates])
        base = _COSINE * match.cosines + _RELEVANCE * relevance
        if employees is not None and employees < 5:
            base += _HEADCOUNT * np.array([bool(_UNDER_FIVE.search(c.text)) for c in match.candidates])
        scored = []
        for ask in self._asks(match):
            weights = np.array(ask.weights)
            weights /= weights.sum() or 1.0
            fit = np.array([candidate.read.fit.to(ask.intents) for candidate in match.candidates])
            scores = base + _IN_SENTENCE * match.sentences @ weights + _WITH_TITLE * held @ weights + _INTENT * fit
            scored.append(ScoredAsk(ask, tuple((scores + _DOCUMENT * _strength(scores, match.candidates)).tolist())))
        return scored

    def _asks(self, match: Match) -> list[Ask]:
        question = match.question
        segments = split_segments(question, self._analyzer.morphemes(question))
        texts = [question[segment.start : segment.end] for segment in segments]
        terms = [frozenset(self._reader.terms(text)) for text in texts]
        rarity = _rarity(match)
        asks = []
        for segment, text, own in zip(segments, texts, terms, strict=True):
            if not segment.asks or not (intents := intents_of(text)):
                continue
            others = [(other, held) for other, held in zip(segments, terms, strict=True) if other is not segment]
            near = frozenset().union(*(held for other, held in others if other.sentence == segment.sentence))
            asked_elsewhere = frozenset().union(*(held for other, held in others if other.asks)) if len(own) > 1 else ()
            weights = tuple(
                weight * _nearness(term.term, own, frozenset(asked_elsewhere), near)
                for term, weight in zip(match.terms, rarity, strict=True)
            )
            asks.append(Ask(text, weights, intents))
        return asks or [Ask(question, tuple(rarity), intents_of(question))]

    def _read_text(self, text: str) -> ReadText:
        plain = _STATUTE_IN_PARENTHESES.sub("", text)
        terms = tuple(self._analyzer.terms(plain))
        vector = self._embedder.embed([AnalyzedText(plain, terms)])[0]
        return ReadText(frozenset(terms), sentence_fit(plain), vector)


def quotable(sentence: str) -> str:
    """The sentence as it can be quoted: without its bullet; empty where it is a heading or a fragment."""
    text = _BULLET.sub("", sentence.strip())
    return text if len(text) >= _SHORTEST and _ENDS_LIKE_A_SENTENCE.search(text) else ""


def _nearness(term: str, own: frozenset[str], asked_elsewhere: frozenset[str], near: frozenset[str]) -> float:
    """What a term of the question weighs for one of the things asked, whose own terms are ``own``."""
    if term in own:
        return 1.0
    if term in asked_elsewhere:
        return _OTHER_ASK
    return _SAME_SENTENCE if term in near else _OTHER_SENTENCE


def _held(terms: Sequence[QuestionTerm], text: ReadText) -> list[float]:
    return [term.match(text.terms) for term in terms]


def _rarity(match: Match) -> list[float]:
    """The inverse document frequency (of BM25) of each term among the candidates; no term is rarer than in one."""
    size = len(match.candidates)
    frequencies = np.maximum((match.sentences == 1.0).sum(axis=0), 1)
    return [math.log(1 + (size - frequency + 0.5) / (frequency + 0.5)) for frequency in frequencies.tolist()]


def _strength(scores: Vector, candidates: Sequence[Candidate]) -> Vector:
    """For each candidate the mean score of the best sentences of its document."""
    indexes = np.array([candidate.document.index for candidate in candidates])
    strength = np.zeros_like(scores)
    for index in np.unique(indexes):
        rows = indexes == index
        strength[rows] = np.sort(scores[rows])[-_TOP_OF_DOCUMENT:].mean()
    return strength


def _is_about_smaller(sentence: str, employees: int | None) -> bool:
    """Whether a rule for workplaces below five regular employees would mislead one of ``employees`` people.

    The line at five decides what of the Labour Standards Act applies (근로기준법 제11조). What holds from five on stays for the
    smaller ones: it tells them that they are left out.
    """
    return employees is not None and employees >= 5 and bool(_UNDER_FIVE.search(sentence))


def _cosines(vector: Vector, texts: Sequence[ReadText]) -> Vector:
    return np.stack([text.vector for text in texts]) @ vector
