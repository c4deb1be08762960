"""Bringing the documents of several searches together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from utils.knowledge import Hit


@lru_cache(maxsize=8_192)
def _identity(text: str) -> str:
    return hashlib.blake2b(" ".join(text.split()).encode(), digest_size=16).hexdigest()


def content_identity(hit: Hit) -> str:
    """Equal for equal passages, whatever collection or id they have; the whole text counts, not a prefix."""
    return _identity(hit.chunk.text)


def merge(groups: Iterable[Sequence[Hit]]) -> list[Hit]:
    """All hits without repeats. Groups come in falling priority and are interleaved: the best of each first."""
    lists = [list(group) for group in groups]
    merged: dict[str, Hit] = {}
    for rank in range(max((len(one) for one in lists), default=0)):
        for one in lists:
            if rank < len(one):
                merged.setdefault(content_identity(one[rank]), one[rank])
    return list(merged.values())


def rank_together(lists: Iterable[Sequence[Hit]]) -> list[Hit]:
    """The hits of several searches as one list by relevance, without changing the order within any of them.

    Each list's relevances are handed out anew in falling order, as ``score``: its learned order stays, and how good the list
    as a whole is decides where its hits come among the others. Equal passages stay once, at the best of their places.
    """
    ranked: list[Hit] = []
    for hits in lists:
        falling = sorted((hit.relevance for hit in hits), reverse=True)
        ranked += [replace(hit, score=score) for hit, score in zip(hits, falling, strict=True)]
    ranked.sort(key=lambda hit: -hit.score)
    best: dict[str, Hit] = {}
    for hit in ranked:
        best.setdefault(content_identity(hit), hit)
    return list(best.values())
