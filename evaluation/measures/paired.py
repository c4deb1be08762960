"""Two configurations on the same questions: how many get better, how many worse, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Paired:
    """Questions that one configuration does better, and worse, than another; ties count for neither."""

    better: int
    worse: int

    @classmethod
    def of(cls, values: Sequence[float], others: Sequence[float]) -> Self:
        """Compare the values of the same questions, pairwise; higher is better."""
        pairs = list(zip(values, others, strict=True))
        return cls(sum(value > other for value, other in pairs), sum(value < other for value, other in pairs))

    @property
    def p(self) -> float:
        """Return the two-sided probability of so uneven a split by chance: the exact sign test, for right or wrong McNemar's."""
        count, fewer = self.better + self.worse, min(self.better, self.worse)
        as_uneven = 2 * sum(math.comb(count, number) for number in range(fewer + 1))
        return min(1.0, float(as_uneven / 2**count))

    def __str__(self) -> str:
        return f"+{self.better} −{self.worse}, p {self.p:.2f}"
