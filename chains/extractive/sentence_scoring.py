"""Scores of each sentence of the documents as the answer to each thing that is asked."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from cachetools import LRUCache

from chains.extractive.sentence_features import Ask, Candidate, Match, ReadText, answer_features, sentence_features
from chains.extractive.sentence_model import AnswerModel
from chains.extractive_task import ExtractiveDocument
from utils.documents import LocatedTerms
from utils.korean.asks import AskReader
from utils.korean.coverage import QuestionReader, QuestionTerm
from utils.korean.question_intent import sentence_fit
from utils.korean.word_rarity import squeezed
from utils.protocols import AnalyzedText, Analyzer, Embedder

_DOCUMENT_CACHE = 2_000
# 「(부가가치세법 제49조)」 behind a sentence says where it comes from, not what it says.
_STATUTE_IN_PARENTHESES = re.compile(r"\s?\([^()]*제\s?\d+조[^()]*\)")


_BULLET = re.compile(r"^(?:[-*•·]\s+|\d{1,2}[.)]\s+|[①-⑳]\s*)")
_UNDER_FIVE = re.compile(r"5\s?[인명]\s?미만|4\s?[인명]\s?이하")
# A sentence that says that something follows is no answer without it.
_LEADS_ON = re.compile(r"다음\s?각\s?[호목]|다음의?\s?(?:계산식|산식|표)|다음과\s?같다")
_SHORTEST = 12  # characters of a sentence worth quoting
_ENDS_LIKE_A_SENTENCE = re.compile(r"[다요음함됨임][\"'”’)]*[.!]?(?:\s?\([^()]*\)\.?)?$|[.!]$")


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as read: ``sentences`` are those that can be quoted, each with its position and as quoted."""

    title: ReadText
    sentences: tuple[tuple[int, str, ReadText], ...]


@dataclass(frozen=True, slots=True)
class ScoredAsk:
    """The candidates' scores for one ask, in their order, and the probability that the best of them answers it."""

    ask: Ask
    scores: tuple[float, ...]
    answered: float


class SentenceScorer:
    """Reads questions and documents. It keeps what it read of documents: those of a knowledge base repeat."""

    def __init__(
        self, analyzer: Analyzer, embedder: Embedder, model: AnswerModel, reader: QuestionReader | None = None
    ) -> None:
        """``reader`` may be shared with whoever reads the same questions; None: one that knows no other wordings."""
        self._analyzer = analyzer
        self._embedder = embedder
        self._model = model
        self._reader = reader or QuestionReader(analyzer)
        self._asks = AskReader(analyzer)
        self._kept: LRUCache[tuple[str, tuple[str, ...]], ReadDocument] = LRUCache(_DOCUMENT_CACHE)
        self._lock = Lock()

    @property
    def answered_from(self) -> float:
        """The probability from which the best sentence is taken for an answer."""
        return self._model.answered_from

    def candidates(self, documents: Sequence[ExtractiveDocument], employees: int | None = None) -> list[Candidate]:
        """The sentences of ``documents`` that can stand alone and do not mislead a user with that headcount, in order."""
        found: list[Candidate] = []
        for document in documents:
            read = self._read(document)
            found += [
                Candidate(document, position, text, sentence, read.title)
                for position, text, sentence in read.sentences
                if not _is_about_smaller(text, employees)
            ]
        return found

    def match(self, question: str, candidates: Sequence[Candidate], employees: int | None = None) -> Match:
        """Hold ``question`` against ``candidates``, of which there is at least one. ``employees`` is the user's headcount."""
        terms = self._reader.read(question)
        stated = _stated(question, self._analyzer.located(question))
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
            vector=self._embedder.embed([AnalyzedText(question, stated)])[0],
            vectors=np.stack([candidate.read.vector for candidate in candidates]),
            title_vectors=np.stack([candidate.title.vector for candidate in candidates]),
            rarity=self._model.rarity,
            employees=employees,
        )

    def score(self, match: Match) -> list[ScoredAsk]:
        """The scores of all candidates for each thing that the question asks."""
        scored = []
        for ask in self.asks(match):
            features = sentence_features(match, ask)
            scores = self._model.sentence_scores(features)
            answered = self._model.answer_probability(answer_features(match, features[int(np.argmax(scores))]))
            scored.append(ScoredAsk(ask, tuple(scores.tolist()), answered))
        return scored

    def asks(self, match: Match) -> list[Ask]:
        """The things that the question asks."""
        rarity = _rarity(match)
        parts = self._asks.read(match.question)
        asks = []
        for part in parts:
            weights = tuple(weight * share for weight, share in zip(rarity, part.weights, strict=True))
            if len(parts) == 1:
                return [Ask(part.text, weights, frozenset(part.terms), match.vector, part.intents)]
            # what is asked, in the light of the rest of the question
            stated = self._analyzer.located(part.text).terms
            vector = match.vector + self._embedder.embed([AnalyzedText(part.text, stated)])[0]
            vector /= float(np.linalg.norm(vector)) or 1.0
            asks.append(Ask(part.text, weights, part.kept, vector, part.intents))
        return asks

    def _read(self, document: ExtractiveDocument) -> ReadDocument:
        """Return the document as read, kept for the next question."""
        key = (document.title, document.sentences)
        with self._lock:
            kept = self._kept.get(key)
        if kept is None:
            kept = self._read_document(document)
            with self._lock:
                self._kept[key] = kept
        return kept

    def _read_document(self, document: ExtractiveDocument) -> ReadDocument:
        texts = [(at, text) for at, sentence in enumerate(document.sentences) if (text := quotable(sentence))]
        texts = [(at, text) for at, text in texts if text != document.title]
        stored = document.load_terms()
        if stored is None:
            terms = [
                _stated(text, self._analyzer.located(text))
                for text in (document.title, *(quoted for _, quoted in texts))
            ]
        else:
            terms = [stored.title, *(_stated(document.sentences[at], stored.sentences[at]) for at, _ in texts)]
        plain = [_STATUTE_IN_PARENTHESES.sub("", text) for text in (document.title, *(quoted for _, quoted in texts))]
        vectors = self._embedder.embed([AnalyzedText(*pair) for pair in zip(plain, terms, strict=True)])
        title, *sentences = [
            ReadText(squeezed(text), frozenset(own), sentence_fit(text), vector)
            for text, own, vector in zip(plain, terms, vectors, strict=True)
        ]
        return ReadDocument(title, tuple((at, text, read) for (at, text), read in zip(texts, sentences, strict=True)))


def _stated(sentence: str, located: LocatedTerms) -> tuple[str, ...]:
    """The terms of what a sentence says, without those of a statute in parentheses."""
    asides = [match.span() for match in _STATUTE_IN_PARENTHESES.finditer(sentence)]
    if not asides:
        return located.terms
    places = zip(located.terms, located.starts, strict=True)
    return tuple(term for term, at in places if not any(start <= at < end for start, end in asides))


def quotable(sentence: str) -> str:
    """The sentence as it can be quoted: without its bullet; empty where it is a heading, a fragment or the head of a list."""
    text = _BULLET.sub("", sentence.strip())
    stands_alone = len(text) >= _SHORTEST and _ENDS_LIKE_A_SENTENCE.search(text) and not _LEADS_ON.search(text)
    return text if stands_alone else ""


def _held(terms: Sequence[QuestionTerm], text: ReadText) -> list[float]:
    return [term.match(text.terms) for term in terms]


def _rarity(match: Match) -> list[float]:
    """The inverse document frequency (of BM25) of each term among the candidates; no term is rarer than in one."""
    size = len(match.candidates)
    frequencies = np.maximum((match.sentences == 1.0).sum(axis=0), 1)
    return [math.log(1 + (size - frequency + 0.5) / (frequency + 0.5)) for frequency in frequencies.tolist()]


def _is_about_smaller(sentence: str, employees: int | None) -> bool:
    """Return whether a rule for workplaces below five regular employees would mislead one of ``employees`` people.

    The line at five decides what of the Labour Standards Act applies (근로기준법 제11조). What holds from five on stays for the
    smaller ones: it tells them that they are left out.
    """
    return employees is not None and employees >= 5 and bool(_UNDER_FIVE.search(sentence))
