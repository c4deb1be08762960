"""What speaks for a sentence as the answer to one thing asked, and for there being an answer at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chains.extractive_task import ExtractiveDocument
from chains.question_intent import Intent, SentenceFit
from utils.coverage import QuestionTerm

Vector = NDArray[np.float32]

SENTENCE_FEATURES = (
    "in_sentence",  # share of the weight of what is asked whose terms the sentence has
    "with_title",  # … the sentence or the title of its document
    "cosine",  # of what is asked and the sentence
    "title_cosine",  # … and the title
    "relevance",  # of the document
    "rank",  # 1 / place of the document among those of its domain
    "intent",  # whether it holds the kind of figure asked for
    "precision",  # share of the sentence's terms that what is asked has
    "position",  # 1 / place in its document: what a document is about stands first
    "length",  # hundreds of characters
)
ANSWER_FEATURES = (*SENTENCE_FEATURES, "best_cosine", "evidence")
"""Of the best sentence, and of all that there is to answer from."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing asked: what each term of the question weighs for it, which of them it does not leave to another thing asked,
    what it is near to, and the kind of answer it wants."""

    text: str
    weights: tuple[float, ...]
    terms: frozenset[str]
    vector: Vector
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
class Match:
    """A question beside the candidates: which of its terms each one holds, and how near it is.

    ``sentences`` and ``titles`` have shape ``(candidates, terms)`` with values in [0, 1], ``vectors`` and
    ``title_vectors`` shape ``(candidates, dimension)``, ``vector`` is that of the question.
    """

    question: str
    terms: tuple[QuestionTerm, ...]
    candidates: tuple[Candidate, ...]
    sentences: Vector
    titles: Vector
    vector: Vector
    vectors: Vector
    title_vectors: Vector

    def evidence(self) -> float:
        """How far the documents are about the question at all, in about [0, 1]: the best of them by the share of the
        terms it covers as a whole and the cosines of its title and its best sentence."""
        best = 0.0
        held = np.maximum(self.sentences, self.titles)
        cosines, title_cosines = self.vectors @ self.vector, self.title_vectors @ self.vector
        indexes = np.array([candidate.document.index for candidate in self.candidates])
        for index in np.unique(indexes):
            rows = indexes == index
            covered = held[rows].max(axis=0).mean() if self.terms else 0.0
            best = max(best, float(covered + cosines[rows].max() + title_cosines[rows].max()) / 3)
        return best


def sentence_features(match: Match, ask: Ask) -> Vector:
    """The features of all candidates, shape ``(candidates, len(SENTENCE_FEATURES))``."""
    candidates = match.candidates
    weights = np.array(ask.weights, dtype=np.float32)
    weights /= weights.sum() or 1.0
    places = _places([candidate.document for candidate in candidates])
    columns: dict[str, ArrayLike] = {
        "in_sentence": match.sentences @ weights,
        "with_title": np.maximum(match.sentences, match.titles) @ weights,
        "cosine": match.vectors @ ask.vector,
        "title_cosine": match.title_vectors @ ask.vector,
        "relevance": [one.document.relevance for one in candidates],
        "rank": [1 / places[one.document.index] for one in candidates],
        "intent": [one.read.fit.to(ask.intents) for one in candidates],
        "precision": [len(one.read.terms & ask.terms) / (len(one.read.terms) or 1) for one in candidates],
        "position": [1 / (1 + one.position) for one in candidates],
        "length": [len(one.text) / 100 for one in candidates],
    }
    return np.stack([np.asarray(columns[name], dtype=np.float32) for name in SENTENCE_FEATURES], axis=1)


def answer_features(match: Match, sentence: Vector) -> Vector:
    """The features of an answer whose best sentence has the features ``sentence``, shape ``(len(ANSWER_FEATURES),)``."""
    return np.append(sentence, [(match.vectors @ match.vector).max(), match.evidence()]).astype(np.float32)


def _places(documents: Sequence[ExtractiveDocument]) -> dict[int, int]:
    """The place of each document, by its number, among those of its domain, from 1; they come as the search ordered them."""
    seen: dict[str, int] = {}
    places: dict[int, int] = {}
    for document in documents:
        if document.index not in places:
            seen[document.domain] = places[document.index] = seen.get(document.domain, 0) + 1
    return places
