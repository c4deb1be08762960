"""Features that speak for a sentence as the answer to a thing asked, and for there being an answer at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chains.extractive_task import ExtractiveDocument
from utils.korean.coverage import QuestionTerm
from utils.korean.question_intent import Intent, SentenceFit
from utils.korean.word_rarity import WordRarity, squeezed, syllable_pairs

Vector = NDArray[np.float32]

SENTENCE_FEATURES = (
    "in_sentence",  # share of the weight of what is asked whose terms the sentence has
    "with_title",  # … the sentence or the title of its document
    "cosine",  # of what is asked and the sentence
    "title_cosine",  # … and the title
    "relevance",  # of the document
    "rank",  # 1 / place of the document among the guides, or the statute articles, of its domain
    "intent",  # whether it holds the kind of figure asked for
    "precision",  # share of the sentence's terms that what is asked has
    "position",  # 1 / place in its document: what a document is about stands first
    "length",  # hundreds of characters, as far as more of them say more
    "article",  # whether it is of a statute, which says in its own words what a guide says in plain ones
    "rare_terms",  # share of what is asked whose terms the sentence has, each weighing what it weighs over the knowledge base
    "pairs",  # … of the pairs of syllables of what is asked
    "headcount",  # whether it is about workplaces of the asker's size (1) or of another (-1)
    "exemption",  # whether it frees from what is asked about as a duty
)
# A guide is the better answer, but where there are only statutes, these answer.
OF_AN_ANSWER = [number for number, name in enumerate(SENTENCE_FEATURES) if name != "article"]
"""The sentence features that also tell whether there is an answer."""
ANSWER_FEATURES = (*(SENTENCE_FEATURES[number] for number in OF_AN_ANSWER), "best_cosine", "evidence")
"""Of the best sentence, and of all that there is to answer from."""

_LONG = 1.5
_THRESHOLD = re.compile(r"(?<!\d)(\d[\d,]{0,14})\s?[인명]\s?(이상|초과|미만|이하)")
_BOUND: dict[str, Callable[[int, int], bool]] = {"이상": ge, "초과": gt, "미만": lt, "이하": le}


@dataclass(frozen=True, slots=True)
class Ask:
    """A thing asked: what each term of the question weighs for it, which of them it does not leave to another thing asked,
    what it is near to, and the kind of answer it wants."""

    text: str
    weights: tuple[float, ...]
    terms: frozenset[str]
    vector: Vector
    intents: frozenset[Intent]


@dataclass(frozen=True, slots=True)
class ReadText:
    """A sentence or title as read without a question; ``plain`` is its squeezed text."""

    plain: str
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
    ``title_vectors`` shape ``(candidates, dimension)``, ``vector`` is that of the question. ``employees`` is the headcount
    of the asker's company, where known.
    """

    question: str
    terms: tuple[QuestionTerm, ...]
    candidates: tuple[Candidate, ...]
    sentences: Vector
    titles: Vector
    vector: Vector
    vectors: Vector
    title_vectors: Vector
    rarity: WordRarity
    employees: int | None

    def evidence(self) -> float:
        """Return how far the documents are about the question, in about [0, 1]: the best of them by the share of the
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
    weights = _shares(ask.weights)
    places = _places([candidate.document for candidate in candidates])
    columns: dict[str, ArrayLike] = {
        "in_sentence": match.sentences @ weights,
        "with_title": np.maximum(match.sentences, match.titles) @ weights,
        "cosine": match.vectors @ ask.vector,
        "title_cosine": match.title_vectors @ ask.vector,
        "relevance": [candidate.document.relevance for candidate in candidates],
        "rank": [1 / places[candidate.document.index] for candidate in candidates],
        "intent": [candidate.read.fit.to(ask.intents) for candidate in candidates],
        "precision": [
            len(candidate.read.terms & ask.terms) / (len(candidate.read.terms) or 1) for candidate in candidates
        ],
        "position": [1 / (1 + candidate.position) for candidate in candidates],
        "length": [min(len(candidate.text) / 100, _LONG) for candidate in candidates],
        "article": [candidate.document.is_article for candidate in candidates],
        "rare_terms": match.sentences @ _shares([_rarity(term.term, match, ask) for term in match.terms]),
        "pairs": _pair_shares(match, ask),
        "headcount": [headcount_fit(candidate.text, match.employees) for candidate in candidates],
        "exemption": [candidate.read.fit.exempts and Intent.DUTY in ask.intents for candidate in candidates],
    }
    return np.stack([np.asarray(columns[name], dtype=np.float32) for name in SENTENCE_FEATURES], axis=1)


def answer_features(match: Match, sentence: Vector) -> Vector:
    """The features of an answer whose best sentence has the features ``sentence``, shape ``(len(ANSWER_FEATURES),)``."""
    return np.append(sentence[OF_AN_ANSWER], [(match.vectors @ match.vector).max(), match.evidence()]).astype(
        np.float32
    )


def headcount_fit(text: str, employees: int | None) -> float:
    """1 where ``text`` is about workplaces of that many people, -1 where about larger or smaller ones alone, else 0."""
    if employees is None:
        return 0.0
    fits = [_BOUND[found[2]](employees, int(found[1].replace(",", ""))) for found in _THRESHOLD.finditer(text)]
    return 0.0 if not fits else 1.0 if all(fits) else 0.0 if any(fits) else -1.0


def _rarity(term: str, match: Match, ask: Ask) -> float:
    return match.rarity.of_term(term) if term in ask.terms else 0.0


def _pair_shares(match: Match, ask: Ask) -> Vector:
    pairs = sorted(syllable_pairs(squeezed(ask.text)))
    held = [[pair in candidate.read.plain for pair in pairs] for candidate in match.candidates]
    return np.array(held, dtype=np.float32) @ _shares([match.rarity.of_pair(pair) for pair in pairs])


def _shares(weights: Sequence[float]) -> Vector:
    """``weights`` as shares of their sum."""
    found = np.array(weights, dtype=np.float32)
    found /= found.sum() or 1.0
    return found


def _places(documents: Sequence[ExtractiveDocument]) -> dict[int, int]:
    """The place of each document, by its number, among those of its domain and kind, from 1; they come as the search ordered
    them."""
    seen: dict[tuple[str, bool], int] = {}
    places: dict[int, int] = {}
    for document in documents:
        if document.index not in places:
            kind = document.domain, document.is_article
            seen[kind] = places[document.index] = seen.get(kind, 0) + 1
    return places
