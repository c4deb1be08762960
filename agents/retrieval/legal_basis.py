"""The statute articles that found guides rest on, taken from the index by their labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.retrieval.merge import CITING_GUIDES
from utils.documents import Hit
from vectorstores.search.hybrid import HybridSearcher


def legal_basis(
    searcher: HybridSearcher, collection: str, readings: Sequence[str], guides: Sequence[Hit], found: Sequence[Hit]
) -> list[Hit]:
    """Return the articles in a ``collection`` that the best of ``guides`` cite and that are not among ``found``.

    Articles of the best guide come first; those of the same guide are ordered by their relevance to the ``readings`` of the question.

    Raises:
        RerankerUnavailable: the rerank provider failed.
    """
    law = searcher.index.collections.get(collection)
    if law is None:
        return []
    known = {hit.chunk.label for hit in found}
    guide_of: dict[int, int] = {}
    for rank, guide in enumerate(guides[:CITING_GUIDES]):
        for label in guide.chunk.cited_labels:
            if label not in known:
                known.add(label)
                guide_of.update((ordinal, rank) for ordinal in law.by_label(label)[:1])
    if not guide_of:
        return []
    ordinals = np.fromiter(guide_of, dtype=np.int64)
    relevance = searcher.relevance_of(law.name, readings, ordinals)
    hits = [
        (rank, Hit(chunk, score=near, relevance=near, found_by=frozenset({"cited"})))
        for rank, chunk, near in zip(guide_of.values(), law.chunks(ordinals), relevance, strict=True)
        if not chunk.metadata.get("deleted")
    ]
    return [hit for _, hit in sorted(hits, key=lambda ranked: (ranked[0], -ranked[1].relevance))]
