"""Query-independent features of passages: kind of norm, length, number of citations, and group.

A build writes them beside the term files, one row for each chunk. The group of a statute article is its act with
decree and rule; the group of any other chunk is its document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vectorstores.ranking.case_citations import CaseCitations
from vectorstores.ranking.citations import DECREE, RULE, CitationGraph, act_of
from vectorstores.storage.arrays import read_array
from vectorstores.storage.ragged import RaggedIds

PASSAGE_FEATURES = (
    "guide",
    "decree",
    "rule",
    "other_norm",
    "deleted",
    "purpose",
    "definitions",
    "length",
    "variety",
    "statute_citations",
    "article_citations",
    "statute_cases",
    "article_cases",
)
_COLUMN = {name: column for column, name in enumerate(PASSAGE_FEATURES)}

_FEATURES_FILE = "passages.npy"
_GROUPS_FILE = "groups.npy"
_ARTICLE_NUMBER = re.compile(r"\|제(\d+)조(의)?")

# Logarithms of counts, and lengths, are divided by what is large for them, so that every column is about 0 to 1.
_SCALES = {"statute_citations": 7.0, "article_citations": 8.0, "statute_cases": 9.0, "article_cases": 8.0}
_LENGTH_SCALE = 8.0
_FULL_VARIETY = 60

# Of two passages with equal words the more general norm is the better candidate (evidence: evaluation/ablation.md).
_NORM_FACTOR = {"decree": 0.92, "rule": 0.85, "other_norm": 0.88}
_CITATION_GAIN = {"statute_citations": 0.21, "article_citations": 0.24, "statute_cases": 0.18, "article_cases": 0.24}


@dataclass(frozen=True)
class PassageTable:
    """``features`` has shape ``(chunks, len(PASSAGE_FEATURES))``; ``groups`` numbers the group of each chunk from 0."""

    features: NDArray[np.float32]
    groups: NDArray[np.int32]

    @classmethod
    def open(cls, directory: Path) -> Self:
        """Read the files; raises OSError or ValueError."""
        features = read_array(directory / _FEATURES_FILE, np.float16).astype(np.float32)
        return cls(features, read_array(directory / _GROUPS_FILE, np.int32))

    def guides(self) -> NDArray[np.int64]:
        """The chunks that are no statute articles, rising."""
        return np.flatnonzero(self.features[:, _COLUMN["guide"]])

    def boost(self) -> NDArray[np.float32]:
        """Return the factors of BM25 scores when candidates are chosen, shape ``(chunks,)``; 0 for a deleted article."""
        boost = np.ones(len(self.features), dtype=np.float32)
        for name, gain in _CITATION_GAIN.items():
            boost += gain * self.features[:, _COLUMN[name]]
        for name, factor in _NORM_FACTOR.items():
            boost *= np.where(self.features[:, _COLUMN[name]] > 0, np.float32(factor), np.float32(1.0))
        boost[self.features[:, _COLUMN["deleted"]] > 0] = 0.0
        return boost


class PassageTableWriter:
    """Collects the chunks of a build in order; ``labels`` has the article of each."""

    def __init__(self, cases: CaseCitations) -> None:
        self._cases = cases
        self.labels: list[str | None] = []
        self._flags: list[tuple[str, bool]] = []
        self._groups: dict[str, int] = {}
        self._group_of: list[int] = []

    def add(self, document_id: str, label: str | None, kind: str, deleted: bool, chunks: int) -> None:
        """Add a document of so many chunks; ``label`` and ``kind`` (법령구분) are those of a statute article."""
        name = label.split("|")[0] if label else ""
        group = self._groups.setdefault(act_of(name) if label else f"\0{document_id}", len(self._groups))
        self.labels += [label] * chunks
        self._flags += [(kind, deleted)] * chunks
        self._group_of += [group] * chunks

    def finish(self, directory: Path, bodies: RaggedIds, graph: CitationGraph) -> NDArray[np.int32]:
        """Write the table; ``bodies`` are the chunks' terms, ``graph`` their citations. Returns the groups."""
        features = np.zeros((len(self.labels), len(PASSAGE_FEATURES)), dtype=np.float32)
        features[:, _COLUMN["length"]] = np.log1p(bodies.lengths) / _LENGTH_SCALE
        for row, terms in enumerate(bodies):
            features[row, _COLUMN["variety"]] = min(1.0, len(set(terms.tolist())) / _FULL_VARIETY)
        statutes, articles = graph.statutes(), graph.articles()
        for row, (label, (kind, deleted)) in enumerate(zip(self.labels, self._flags, strict=True)):
            if label is None:
                features[row, _COLUMN["guide"]] = 1.0
                continue
            name = label.split("|")[0]
            for column in _norm_columns(name, kind, label):
                features[row, _COLUMN[column]] = 1.0
            features[row, _COLUMN["deleted"]] = float(deleted)
            counts = {
                "statute_citations": statutes[name],
                "article_citations": articles[label],
                "statute_cases": self._cases.statutes.get(name, 0),
                "article_cases": self._cases.articles.get(label, 0),
            }
            for column, count in counts.items():
                features[row, _COLUMN[column]] = np.log1p(count) / _SCALES[column]
        groups = np.asarray(self._group_of, dtype=np.int32)
        np.save(directory / _FEATURES_FILE, features.astype(np.float16), allow_pickle=False)
        np.save(directory / _GROUPS_FILE, groups, allow_pickle=False)
        return groups


def _norm_columns(name: str, kind: str, label: str) -> list[str]:
    columns = []
    if name.endswith(RULE):
        columns.append("rule")
    elif name.endswith(DECREE):
        columns.append("decree")
    elif kind not in ("법률", "헌법"):
        columns.append("other_norm")
    number = _ARTICLE_NUMBER.search(label)
    if number is not None and number[2] is None and number[1] in ("1", "2"):
        columns.append("purpose" if number[1] == "1" else "definitions")
    return columns
