"""Bringing the documents of several searches together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
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
