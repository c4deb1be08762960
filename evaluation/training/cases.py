"""Counting what published decisions say of the statutes: how often an article is cited, and the words of what it is cited for."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.training.encoder.corpus import is_word
from evaluation.training.encoder.headnotes import HeadnotePart
from vectorstores.ranking.case_words import CaseWords

WORDS_OF_AN_ARTICLE = 40  # more of them find no more (measured on the questions that the order is learned from)


def case_citations(parts: Iterable[HeadnotePart]) -> Counter[str]:
    """Count the decisions that cite each article, by label, and any article of each statute, by name."""
    cited = {(part.decision, key) for part in parts for label in part.cited for key in (label, label.split("|")[0])}
    return Counter(key for _, key in cited)


def case_words(parts: Sequence[HeadnotePart], issues: Sequence[NDArray[np.int32]], terms: Sequence[str]) -> CaseWords:
    """The words that mark what each article was cited for; ``issues`` are the terms of the parts' issues, numbers of ``terms``.

    An issue that cites several articles says less of each, and counts 1/√n.
    """
    of_article: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for part, issue in zip(parts, issues, strict=True):
        words = {word for number in issue.tolist() if is_word(word := terms[number])}
        for label in part.cited:
            for word in words:
                of_article[label][word] += len(part.cited) ** -0.5
    spread = Counter(word for counts in of_article.values() for word in counts)
    rarity = {word: math.log(len(of_article) / articles) for word, articles in spread.items()}
    kept = {label: _marking(counts, rarity) for label, counts in sorted(of_article.items()) if counts}
    used = sorted({word for counts in kept.values() for word in counts})
    place = {word: number for number, word in enumerate(used)}
    return CaseWords(
        list(kept),
        used,
        np.repeat(np.arange(len(kept), dtype=np.int32), [len(counts) for counts in kept.values()]),
        np.asarray([place[word] for counts in kept.values() for word in counts], dtype=np.int32),
        np.asarray([count for counts in kept.values() for count in counts.values()], dtype=np.float32),
    )


def _marking(counts: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
    """The words of an article that tell it from others, in the order of their letters."""
    best = sorted(counts, key=lambda word: (-counts[word] * rarity[word], word))[:WORDS_OF_AN_ARTICLE]
    return {word: counts[word] for word in sorted(best)}
