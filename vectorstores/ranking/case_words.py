"""Words of the issues (판시사항) that courts decided when they cited an article.

A statistic over public works (저작권법 제7조), written by ``python -m evaluation count-cases`` into ``data/ranking``: of each
article the words that mark the issues it was cited for, and how often they occur there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from utils.config.settings import PROJECT_ROOT
from vectorstores.storage.ragged import TermIds

CASE_WORDS_FILE = PROJECT_ROOT / "data" / "ranking" / "case_words.npz"


@dataclass(frozen=True)
class CaseWords:
    """``articles``, ``words`` and ``counts`` are parallel: the numbers of a label and of a term, and how often they go together."""

    labels: Sequence[str]
    terms: Sequence[str]
    articles: NDArray[np.int32]
    words: TermIds
    counts: NDArray[np.float32]

    @classmethod
    def load(cls, path: Path = CASE_WORDS_FILE) -> Self:
        """Read the file. Raises OSError, ValueError or KeyError."""
        with np.load(path, allow_pickle=False) as file:
            lengths, words, counts = file["lengths"], file["words"], file["counts"]
            labels, terms = (bytes(file[name]).decode().split("\n") for name in ("labels", "terms"))
        articles = np.repeat(np.arange(len(labels), dtype=np.int32), lengths)
        if not len(articles) == len(words) == len(counts) or words.max(initial=0) >= len(terms):
            raise ValueError(f"{path}: its parts do not fit each other")
        return cls(labels, terms, articles, words.astype(np.int32), counts.astype(np.float32))

    def save(self, path: Path) -> None:
        """Write the file; ``articles`` must rise."""
        np.savez_compressed(
            path,
            labels=np.frombuffer("\n".join(self.labels).encode(), dtype=np.uint8),
            terms=np.frombuffer("\n".join(self.terms).encode(), dtype=np.uint8),
            lengths=np.bincount(self.articles, minlength=len(self.labels)).astype(np.int32),
            words=self.words.astype(np.uint16 if len(self.terms) <= 1 << 16 else np.int32),
            counts=self.counts.astype(np.float16),
        )
