"""Merging and ordering of the documents of several searches."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from agents.state import RetrievalResult
from utils.documents import Hit

# By embedder family. Embedded relevance counts the question's words and favours long passages; the cosine does not. A
# cross-encoder decides alone.
_SIMILARITY_WEIGHT = {"kiwi": 1.5, "neural": 0.0}

CITING_GUIDES = 5
_CITED_WEIGHT = (
    0.5  # of what guides rest on, where these are not known to be about the question, against the articles' own order
)
_RRF_K = 3  # smaller than usual: only the first places matter

_PLAIN_WORDS = 1.05  # of two hits that are equally near, the guide goes first
_FAR_BEHIND = 0.75


@lru_cache(maxsize=8_192)
def _identity(text: str) -> str:
    return hashlib.blake2b(" ".join(text.split()).encode(), digest_size=16).hexdigest()


def content_identity(hit: Hit) -> str:
    """Return a digest of the whole text, equal for equal passages whatever their collection or id."""
    return _identity(hit.chunk.text)


def merge(groups: Iterable[Sequence[Hit]]) -> list[Hit]:
    """Return all hits without repeats, the first of each group before the second of any; the groups come in falling priority."""
    lists = [list(group) for group in groups]
    merged: dict[str, Hit] = {}
    for rank in range(max((len(hits) for hits in lists), default=0)):
        for hits in lists:
            if rank < len(hits):
                merged.setdefault(content_identity(hits[rank]), hits[rank])
    return list(merged.values())


def similarity_weight(embedder_id: str) -> float:
    """Return the weight of the cosine beside the relevance where lists are compared."""
    return _SIMILARITY_WEIGHT["kiwi" if embedder_id.startswith("kiwi") else "neural"]


def rank_together(lists: Sequence[Sequence[Hit]], weight: float) -> list[Hit]:
    """Return the hits of several searches as one list in which guides and statute articles take turns.

    The guides of all lists are put in one order, and so are the articles, by relevance + ``weight`` × similarity, handed out
    anew in falling order within each list: its learned order stays, and how good it is as a whole decides where its hits come
    among the others. Articles that the best guides rest on move up. The kind with the better best begins; one whose next hit
    falls far behind the other's loses the turn. ``score`` falls from the first hit to the last; equal passages stay once.
    """
    kinds = [[[hit for hit in hits if (hit.chunk.label is None) is plain] for hits in lists] for plain in (True, False)]
    guides, articles = (_in_one_order(kind, weight) for kind in kinds)
    return _in_turns(guides, cited_first(articles, guides, _CITED_WEIGHT))


def cited_first(
    articles: Sequence[Hit], guides: Sequence[Hit], weight: float = 1.0, basis: Sequence[Hit] = ()
) -> list[Hit]:
    """Return the statute articles with those moved up that the best guides cite: reciprocal rank fusion of both orders.

    A guide that answers the question names its legal basis, whatever words the article itself is written in. ``basis`` are
    articles of that kind, best first, that the search did not find. ``score`` falls from the first to the last.
    """
    cited: dict[str, int] = {}
    for rank, guide in enumerate(guides[:CITING_GUIDES], start=1):
        for label in guide.chunk.cited_labels:
            cited.setdefault(label, rank)
    gains = []
    for rank, hit in enumerate(articles, start=1):
        guide_rank = cited.pop(hit.chunk.label or "", None)  # once: a further chunk of the same article says less
        gains.append(1 / (_RRF_K + rank) + (weight / (_RRF_K + guide_rank) if guide_rank else 0.0))
    gains += [1 / (_RRF_K + rank) for rank in range(1, len(basis) + 1)]
    hits = [*articles, *basis]
    order = sorted(range(len(hits)), key=lambda number: -gains[number])
    return _with_falling_scores([hits[number] for number in order])


def both_kinds(ranked: Sequence[Hit], k: int, articles: int) -> tuple[Hit, ...]:
    """Return the best ``k`` hits, and of the others enough to have ``k`` guides and ``articles`` articles, in their order."""
    left = {True: k, False: articles}
    kept = []
    for rank, hit in enumerate(ranked):
        is_guide = hit.chunk.label is None
        if rank < k or left[is_guide] > 0:
            kept.append(hit)
        left[is_guide] -= 1
    return tuple(kept)


def keep_each_domain(ranked: Sequence[Hit], results: Sequence[RetrievalResult], kept: int) -> list[Hit]:
    """Return the best ``kept`` documents with the best of each domain among them, so that every sub-query has its document."""
    best_of_each = [
        next((hit for hit in ranked if hit.chunk.id == result.hits[0].chunk.id), None)
        for result in results
        if result.hits
    ]
    must = {hit.chunk.id for hit in best_of_each if hit is not None}
    free = kept - len(must)
    chosen: set[str] = set(must)
    for hit in ranked:
        if free <= 0:
            break
        if hit.chunk.id not in chosen:
            chosen.add(hit.chunk.id)
            free -= 1
    return [hit for hit in ranked if hit.chunk.id in chosen][: max(kept, len(must))]


def _in_one_order(lists: Sequence[Sequence[Hit]], weight: float) -> list[Hit]:
    ranked: list[Hit] = []
    for hits in lists:
        falling = sorted((hit.relevance + weight * (hit.similarity or 0.0) for hit in hits), reverse=True)
        ranked += [replace(hit, score=score) for hit, score in zip(hits, falling, strict=True)]
    ranked.sort(key=lambda hit: -hit.score)
    best: dict[str, Hit] = {}
    for hit in ranked:
        best.setdefault(content_identity(hit), hit)
    return list(best.values())


def _in_turns(guides: Sequence[Hit], articles: Sequence[Hit]) -> list[Hit]:
    """Return guides and articles in turns, each kind in its own order."""
    queues = deque((_PLAIN_WORDS * hit.score, hit) for hit in guides), deque((hit.score, hit) for hit in articles)
    merged: list[Hit] = []
    turn = 0 if guides and (not articles or queues[0][0][0] >= queues[1][0][0]) else 1
    while all(queues):
        if queues[turn][0][0] < _FAR_BEHIND * queues[1 - turn][0][0]:
            turn = 1 - turn
        merged.append(queues[turn].popleft()[1])
        turn = 1 - turn
    return _with_falling_scores([*merged, *(hit for queue in queues for _, hit in queue)])


def _with_falling_scores(hits: Sequence[Hit]) -> list[Hit]:
    falling = sorted((hit.score for hit in hits), reverse=True)
    return [replace(hit, score=score) for hit, score in zip(hits, falling, strict=True)]
