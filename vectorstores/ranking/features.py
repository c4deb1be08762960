"""Ranking features of the candidates of a question: one row for each candidate, every column about 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from utils.protocols import FloatMatrix
from vectorstores.ranking.passages import PASSAGE_FEATURES
from vectorstores.storage.ragged import TermIds

Column = NDArray[np.float32]

QUESTION_FEATURES = (
    "lexical",  # BM25 against the best candidate
    "lexical_mass",  # BM25 against what the question's terms weigh together
    "coverage",  # share of the question's weight whose terms the passage has
    "adjacency",  # … whose neighbours in the question are neighbours in the passage
    "heading",  # … whose terms the heading has
    "heading_asked",  # share of the heading's weight that the question has
    "name",  # the same two of the statute's name
    "name_asked",
    "group",  # BM25 of the whole act, or document, against the best one
    "context",  # BM25 of what others say of the article, against the best candidate
    "context_mass",  # … against what the question's terms weigh together
    "cosine",
    "cosine_share",  # against the best candidate
    "heading_in_group",  # heading_asked × group: a matching heading of a statute on the subject
    "lexical_in_group",
)
FEATURES = (*QUESTION_FEATURES, *PASSAGE_FEATURES)


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The question's terms that the collection knows, in order and distinct; ``mass`` is weight × idf of each."""

    ids: NDArray[np.int64]
    mass: Column

    @property
    def total(self) -> float:
        return float(self.mass.sum()) or 1.0


@dataclass(frozen=True, slots=True)
class Gathered:
    """Term lists of candidates one after the other: ``flat`` ids, ``rows`` the candidate of each, ``count`` candidates."""

    flat: TermIds
    rows: NDArray[np.int64]
    count: int


@dataclass(frozen=True, slots=True)
class CandidateEvidence:
    """Scores of the candidates, one an item (``group``: of their groups, ``context``: of what others say of them), and what they
    are made of.

    ``idf`` has one value a term of the vocabulary; ``name_idf`` is the same with 0 for words that every statute's name has.
    """

    lexical: Column
    group: Column
    context: Column
    cosine: Column
    body: Gathered
    heading: Gathered
    name: Gathered
    idf: Column
    name_idf: Column
    passages: FloatMatrix


def candidate_features(question: QuestionTerms, evidence: CandidateEvidence) -> FloatMatrix:
    """The features, shape ``(candidates, len(FEATURES))``, columns in the order of `FEATURES`."""
    place = np.full(len(evidence.idf), -1, dtype=np.int32)
    place[question.ids] = np.arange(len(question.ids), dtype=np.int32)
    in_body, adjacent = _matches(question, evidence.body, place)
    in_heading, _ = _matches(question, evidence.heading, place)
    in_name, _ = _matches(question, evidence.name, place)
    share = question.mass / np.float32(question.total)
    pairs = np.append(share[:-1] + share[1:], np.float32(0.0))[: len(share)] / 2
    heading_asked = _asked(evidence.heading, place, evidence.idf)
    group = _against_best(evidence.group)
    lexical = _against_best(evidence.lexical)
    columns = {
        "lexical": lexical,
        "lexical_mass": evidence.lexical / np.float32(question.total),
        "coverage": (in_body | in_heading) @ share,
        "adjacency": adjacent @ pairs,
        "heading": in_heading @ share,
        "heading_asked": heading_asked,
        "name": in_name @ share,
        "name_asked": _asked(evidence.name, place, evidence.name_idf),
        "group": group,
        "context": _against_best(evidence.context),
        "context_mass": evidence.context / np.float32(question.total),
        "cosine": evidence.cosine,
        "cosine_share": _against_best(np.maximum(evidence.cosine, 0)),
        "heading_in_group": heading_asked * group,
        "lexical_in_group": lexical * group,
    }
    features = np.empty((len(evidence.passages), len(FEATURES)), dtype=np.float32)
    for number, name in enumerate(QUESTION_FEATURES):
        features[:, number] = columns[name]
    features[:, len(QUESTION_FEATURES) :] = evidence.passages
    return features


def _matches(
    question: QuestionTerms, terms: Gathered, place: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which candidate has which term of the question, and which of them directly before the question's next one."""
    shape = (terms.count, len(question.ids))
    present = np.zeros(shape, dtype=np.bool_)
    adjacent = np.zeros(shape, dtype=np.bool_)
    places = place.take(terms.flat)
    at = np.flatnonzero(places >= 0)  # few terms of a text are the question's: the rest is over these
    found, rows = places[at], terms.rows[at]
    present[rows, found] = True
    pair = (at[1:] == at[:-1] + 1) & (found[1:] == found[:-1] + 1) & (rows[1:] == rows[:-1])
    adjacent[rows[:-1][pair], found[:-1][pair]] = True
    return present, adjacent


def _asked(terms: Gathered, place: NDArray[np.int32], idf: Column) -> Column:
    """Share of the weight of each candidate's terms that the question has; 0 where it has no terms."""
    weights = idf[terms.flat]
    whole = np.bincount(terms.rows, weights=weights, minlength=terms.count)
    asked = np.bincount(terms.rows, weights=weights * (place[terms.flat] >= 0), minlength=terms.count)
    result: Column = np.divide(asked, whole, out=np.zeros(terms.count), where=whole > 0).astype(np.float32)
    return result


def _against_best(values: Column) -> Column:
    best = values.max(initial=0.0)
    return values / best if best > 0 else np.zeros_like(values)


def column_numbers(names: Sequence[str]) -> list[int]:
    """The columns of some features; raises ValueError for an unknown name."""
    return [FEATURES.index(name) for name in names]
