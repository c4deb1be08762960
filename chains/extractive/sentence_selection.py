"""Which sentences make the answer to one part of a question: the best for each thing asked, then what adds most."""

from __future__ import annotations

from collections.abc import Sequence

from chains.extractive.sentence_features import Candidate
from chains.extractive.sentence_scoring import ScoredAsk

_MAX_SENTENCES = 5
_FOR_ONE_ASK = 4  # and one more for each further one
# The most that a sentence worth adding may be behind the best for the same ask, in log odds; another document must come
# closer: one or two that fit say more than five that touch.
_SAME_DOCUMENT = 3.0
_OTHER_DOCUMENT = 0.5
_SAME_STATEMENT = 0.6  # Jaccard similarity of content terms above which two sentences say the same
_OVERHEAD = 7  # characters of a citation and a space


def select(scored: Sequence[ScoredAsk], candidates: Sequence[Candidate], max_chars: int) -> list[Candidate]:
    """At most five sentences within ``max_chars``: those that answer an ask first, then the others of their documents.

    Every ask has its best sentence first; then the remaining sentences in the order of their standing among all
    sentences for the same ask, none twice in other words. Sentences of one document stay together: first what answers,
    then what goes with it in the order of the document.
    """
    chosen: list[int] = []
    left = max_chars
    ranked = [_ranking(ask) for ask in scored]
    wanted = min(_MAX_SENTENCES, _FOR_ONE_ASK + len(scored) - 1)
    for rank in range(len(candidates)):
        for ask, order in zip(scored, ranked, strict=True):
            at, best = order[rank], order[0]
            same_document = candidates[at].document.index == candidates[best].document.index
            margin = _SAME_DOCUMENT if same_document else _OTHER_DOCUMENT
            if len(chosen) >= wanted or ask.scores[at] < ask.scores[best] - margin:
                continue
            size = len(candidates[at].text) + _OVERHEAD
            if at in chosen or size > left or any(_same(candidates[at], candidates[other]) for other in chosen):
                continue
            chosen.append(at)
            left -= size
    return _conclusion_first(chosen, {order[0] for order in ranked}, candidates)


def _ranking(ask: ScoredAsk) -> list[int]:
    return sorted(range(len(ask.scores)), key=lambda at: -ask.scores[at])


def _same(candidate: Candidate, other: Candidate) -> bool:
    union = len(candidate.read.terms | other.read.terms)
    return candidate.text == other.text or (
        union > 0 and len(candidate.read.terms & other.read.terms) / union > _SAME_STATEMENT
    )


def _conclusion_first(chosen: Sequence[int], answering: set[int], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The documents in the order in which they were chosen, each with its answering sentences before the others."""
    documents = list(dict.fromkeys(candidates[at].document.index for at in chosen))
    ordered = sorted(
        chosen,
        key=lambda at: (
            documents.index(candidates[at].document.index),
            at not in answering,
            candidates[at].position,
        ),
    )
    return [candidates[at] for at in ordered]
