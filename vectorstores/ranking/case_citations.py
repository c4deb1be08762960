"""Counts of the citations of statutes and articles in published court decisions (``data/ranking/case_citations.tsv``).

A statistic over the 참조조문 of decisions, which are public works (저작권법 제7조). An article that courts apply often is one
that people have trouble with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from utils.config.settings import PROJECT_ROOT

CASE_CITATIONS_FILE = PROJECT_ROOT / "data" / "ranking" / "case_citations.tsv"


@dataclass(frozen=True)
class CaseCitations:
    """Decisions that cite an article (by label ``법이름|제N조``) or any article of a statute (by name without spaces)."""

    articles: Mapping[str, int]
    statutes: Mapping[str, int]

    @classmethod
    def load(cls, path: Path = CASE_CITATIONS_FILE) -> Self:
        """Read the table: ``name or label <tab> count`` a line. Raises OSError or ValueError."""
        articles: Counter[str] = Counter()
        statutes: Counter[str] = Counter()
        for line in path.read_text(encoding="utf-8").splitlines():
            key, count = line.rsplit("\t", 1)
            (articles if "|" in key else statutes)[key] = int(count)
        return cls(articles, statutes)
