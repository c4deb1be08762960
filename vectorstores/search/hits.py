"""The hits of a search, as its callers see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from schemas.chat import Component
from utils.documents import Hit
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.index import CollectionIndex
from vectorstores.search.candidates import Found


def hits_of(
    target: CollectionIndex,
    ordinals: Sequence[int],
    scores: Mapping[int, float],
    relevance: Mapping[int, float],
    found: Found,
) -> list[Hit]:
    """The chunks of one collection in the order given, each with its scores and with what brought it up."""
    lexical, cosine = found.lexical[0], found.cosine[0]
    similarity = _similarities(target, ordinals, found)
    hits = []
    for ordinal, chunk in zip(ordinals, target.chunks(ordinals), strict=True):
        ways = {"bm25": ordinal in lexical, "vector": ordinal in cosine}
        hits.append(
            Hit(
                chunk=chunk,
                score=scores[ordinal],
                similarity=similarity[ordinal],
                bm25=lexical.get(ordinal, 0.0),
                relevance=relevance.get(ordinal, 0.0),
                found_by=frozenset(way for way, used in ways.items() if used),
            )
        )
    return hits


def _similarities(target: CollectionIndex, ordinals: Sequence[int], found: Found) -> Mapping[int, float | None]:
    """Cosine of the question and each hit; None where there is nothing to compare.

    What a vector search did not bring up is no nearer than its last. Without one the stored vectors tell.
    """
    cosine = found.cosine[0]
    if cosine or all(item.component is not Component.VECTOR for item in found.degraded):
        floor = min(cosine.values(), default=0.0)
        return {ordinal: cosine.get(ordinal, floor) for ordinal in ordinals}
    try:
        if ordinals and np.any(found.vectors[0]):
            return dict(zip(ordinals, target.cosines(found.vectors[:1], ordinals)[0].tolist(), strict=True))
    except VectorStoreUnavailable:
        pass  # named already by the search that found no vectors
    return dict.fromkeys(ordinals)
