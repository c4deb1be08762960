"""Which sentences make the answer to one part of a question: the best for each thing asked, then what adds most."""

from __future__ import annotations

from collections.abc import Sequence

from chains.sentence_scoring import Candidate, ScoredAsk

_MAX_SENTENCES = 5
# Share of the best score of the same ask from which a sentence is worth adding; another document must come closer.
_SAME_DOCUMENT = 0.65
_OTHER_DOCUMENT = 0.85
_SAME_STATEMENT = 0.6  # Jaccard similarity of content terms above which two sentences say the same
_OVERHEAD = 7  # characters of a citation and a space


def select(scored: Sequence[ScoredAsk], candidates: Sequence[Candidate], max_chars: int) -> list[Candidate]:
    """At most five sentences within ``max_chars``, those of one document together and in its order.

    Every ask has its best sentence first; then the remaining sentences in the order of their standing among all
    sentences for the same ask, none twice in other words. The document of the best sentence comes first.
    """
    chosen: list[int] = []
    left = max_chars
    ranked = [_ranking(one) for one in scored]
    wanted = min(_MAX_SENTENCES, 3 + len(scored) - 1)
    for rank in range(len(candidates)):
        for one, order in zip(scored, ranked, strict=True):
            at, best = order[rank], order[0]
            same_document = candidates[at].document.index == candidates[best].document.index
            floor = (_SAME_DOCUMENT if same_document else _OTHER_DOCUMENT) * one.scores[best]
            if len(chosen) >= wanted or one.scores[at] < floor:
                continue
            size = len(candidates[at].text) + _OVERHEAD
            if at in chosen or size > left or any(_same(candidates[at], candidates[other]) for other in chosen):
                continue
            chosen.append(at)
            left -= size
    return _by_document([candidates[at] for at in chosen])


def _ranking(one: ScoredAsk) -> list[int]:
    return sorted(range(len(one.scores)), key=lambda at: -one.scores[at])


def _same(one: Candidate, other: Candidate) -> bool:
    union = len(one.read.terms | other.read.terms)
    return one.text == other.text or (union > 0 and len(one.read.terms & other.read.terms) / union > _SAME_STATEMENT)


def _by_document(chosen: Sequence[Candidate]) -> list[Candidate]:
    order = list(dict.fromkeys(candidate.document.index for candidate in chosen))
    return sorted(chosen, key=lambda candidate: (order.index(candidate.document.index), candidate.position))
