"""A second searchable text for each article: the words with which other articles and court decisions cite it.

This is the anchor text of web search (Brin and Page 1998): questions use the words of those who refer to a norm more
often than the words of the norm itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vectorstores.ranking.case_words import CaseWords
from vectorstores.ranking.citations import CitationGraph
from vectorstores.storage.lexical import LexicalSettings, Postings
from vectorstores.storage.ragged import TermIds
from vectorstores.storage.vocabulary import Vocabulary

# Weak length normalisation on purpose: the context of a much cited article is long because it is cited, not because it is vague.
_B = 0.3
_K1 = 1.2


def context_settings(settings: LexicalSettings) -> LexicalSettings:
    """Return the BM25 settings for contexts."""
    return replace(settings, b=_B, k1=_K1)


def context_postings(
    labels: Sequence[str | None], graph: CitationGraph, mapping: TermIds, cases: CaseWords, vocabulary: Vocabulary
) -> Postings:
    """The postings of the contexts of chunks, whose articles' ``labels`` are given; all chunks of an article have the same.

    ``mapping`` turns the terms that ``graph`` was given into ids of the vocabulary.
    """
    articles: dict[str, list[int]] = {}
    for chunk, label in enumerate(labels):
        if label is not None:
            articles.setdefault(label, []).append(chunk)
    number = {label: place for place, label in enumerate(articles)}
    cited, of_cited, words = graph.cited_for()
    word_ids = np.asarray([_or_none(vocabulary.id_of(term)) for term in cases.terms], dtype=np.int32)
    pairs = [
        _known(_numbers(number, cited)[of_cited], mapping[words], np.ones(len(words), dtype=np.float32)),
        _known(_numbers(number, cases.labels)[cases.articles], word_ids[cases.words], cases.counts),
    ]
    of_article, terms, counts = (np.concatenate(column) for column in zip(*pairs, strict=True))
    keys, places = np.unique(terms.astype(np.int64) * max(len(articles), 1) + of_article, return_inverse=True)
    counted = np.bincount(places, weights=counts, minlength=len(keys)).astype(np.float32)
    terms, of_article = np.divmod(keys, max(len(articles), 1))
    return _of_chunks(list(articles.values()), of_article, terms, counted, len(labels))


def _of_chunks(
    chunks_of: Sequence[Sequence[int]],
    articles: NDArray[np.int64],
    terms: NDArray[np.int64],
    counts: NDArray[np.float32],
    size: int,
) -> Postings:
    """The postings of articles as those of their chunks."""
    lengths = np.asarray([len(chunks) for chunks in chunks_of], dtype=np.int64)
    flat = np.asarray([chunk for chunks in chunks_of for chunk in chunks], dtype=np.int64)
    first = np.cumsum(lengths) - lengths
    times = lengths[articles]
    rows = np.repeat(np.arange(len(articles)), times)
    step = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    items = flat[first[articles[rows]] + step]
    order = np.lexsort((items, terms[rows]))
    items, rows = items[order], rows[order]
    return Postings(
        terms[rows].astype(np.int32),
        items.astype(np.int32),
        counts[rows],
        np.bincount(items, weights=counts[rows], minlength=size),
    )


def _numbers(number: dict[str, int], labels: Iterable[str]) -> NDArray[np.int64]:
    return np.fromiter((_or_none(number.get(label)) for label in labels), dtype=np.int64)


def _known(
    articles: NDArray[np.int64], terms: NDArray[np.int32], counts: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Without the articles and the words that the collection does not have."""
    known = (articles >= 0) & (terms >= 0)
    return articles[known], terms[known], counts[known]


def _or_none(number: int | None) -> int:
    return -1 if number is None else number
