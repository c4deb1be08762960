"""The candidates that a question cites: the article itself, the guides that rest on it, its statute."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from utils.documents import Chunk
from utils.law.question_references import LawReference
from vectorstores.index import CollectionIndex
from vectorstores.ranking.citations import act_of
from vectorstores.storage.lexical import Ordinals

_ARTICLE = re.compile(r"제\d+조(?:의\d+)?")
_KEPT_LABELS = 16_384


class ReferenceMatch(IntEnum):
    """The nearness of a chunk to what a question cites; higher is nearer."""

    NONE = 0
    STATUTE = 1  # an article of a cited statute, or of its decree or rule, or a guide that rests on the statute
    RESTS_ON_ARTICLE = 2
    ARTICLE = 3


def reference_match(chunk: Chunk, cited: Sequence[LawReference]) -> ReferenceMatch:
    """The nearest of what ``cited`` is to the chunk."""
    articles = {reference.label for reference in cited if reference.label}
    statutes = {reference.law.replace(" ", "") for reference in cited}
    if chunk.label is not None:
        if chunk.label in articles:
            return ReferenceMatch.ARTICLE
        law = chunk.label.split("|")[0]
        return ReferenceMatch.STATUTE if law in statutes or act_of(law) in statutes else ReferenceMatch.NONE
    rests_on = {_label(law) for law in chunk.related_laws}
    if rests_on & articles:
        return ReferenceMatch.RESTS_ON_ARTICLE
    return ReferenceMatch.STATUTE if any(label.split("|")[0] in statutes for label in rests_on) else ReferenceMatch.NONE


def article_ordinals(target: CollectionIndex, cited: Sequence[LawReference]) -> list[int]:
    """The chunks of the cited articles that the collection holds, in order."""
    labels = dict.fromkeys(reference.label for reference in cited if reference.label)
    return [ordinal for label in labels for ordinal in target.by_label(label)]


def statute_members(target: CollectionIndex, cited: Sequence[LawReference]) -> list[Ordinals]:
    """Of each cited statute the chunks of its act, decree and rule, rising. Raises `LexicalIndexUnavailable`."""
    members = []
    for law in dict.fromkeys(reference.law.replace(" ", "") for reference in cited):
        articles = target.articles_of(law)
        if articles:
            members.append(target.ranking.group_members(target.by_label(f"{law}|{articles[0]}")[0]))
    return members


@lru_cache(_KEPT_LABELS)
def _label(law: str) -> str:
    """근로기준법 제60조제1항 → 근로기준법|제60조; without an article: 근로기준법|."""
    found = _ARTICLE.search(law)
    name = law[: found.start()] if found else law
    return f"{name.replace(' ', '')}|{found[0] if found else ''}"
