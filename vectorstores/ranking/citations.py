"""The citations among statutes, read from their own texts while they are ingested.

What many articles cite is general law that questions are about more often: 근로기준법 before an act for one trade. And what they say
of it right after the citation (제26조에 따른 해고의 예고) is what the cited article is known by, often in other words than its own.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vectorstores.storage.ragged import TermIds

# 「법이름」, with the article cited when one follows; 법 제N조 and 영 제N조 in a decree or rule; 제N조 of the same statute.
# Titles are no citations, so the last one gives nothing back: 제9조의2(신고) is not 제9조 either.
_CITATION = re.compile(
    r"「(?P<named>[^」]{2,60})」(?:\s*(?P<of_named>제\d+조(?:의\d+)?))?"
    r"|(?<![가-힣」])(?P<parent>[법영])\s*(?P<of_parent>제\d+조(?:의\d+)?)"
    r"|(?<![가-힣])(?P<bare>제\d+조(?:의\d++)?+)(?!\()"
)
_PLACE = r"제\d+[항호]|[가-하]목|및|또는|부터|까지|,|ㆍ|\s"
# An article after this is of the same statute as the one before it: 「민법」 제1조제2항 및 제3조.
_JOINED = re.compile(f"(?:{_PLACE})*")
# Words between a citation and what it is cited for: 제1조제2항 및 제3조에 따른 …
_LEADING_ON = re.compile(
    rf"(?:{_PLACE}|각|제\d+조(?:의\d+)?)*+(?:의 규정)?(?:에 따라|에 따른|에 의한|에 의하여|에서 정한|에서 정하는|에 규정된|에 해당하는|의)?\s*"
)
_CITED_FOR = 28  # characters that are read after that: some three words with their endings

DECREE, RULE = "시행령", "시행규칙"


def act_of(name: str) -> str:
    """The act that a decree or rule carries out, by its name without spaces; other names as they are."""
    for suffix in (RULE, DECREE):
        if name.endswith(suffix) and len(name) > len(suffix):
            return name.removesuffix(suffix)
    return name


@dataclass(frozen=True, slots=True)
class CitedStatute:
    """A statute, by its name without spaces, or one of its articles; ``end`` is where the citation ends in the citing text."""

    statute: str
    article: str | None
    end: int

    @property
    def label(self) -> str | None:
        return f"{self.statute}|{self.article}" if self.article else None


def find_citations(name: str, text: str) -> Iterator[CitedStatute]:
    """The citations in a text of the statute ``name``, in order."""
    act = act_of(name)
    last = CitedStatute(name, None, 0)
    for match in _CITATION.finditer(text):
        if match["named"]:
            statute, article = match["named"].replace(" ", ""), match["of_named"]
        elif match["parent"]:
            if act == name:  # an act has no other above it
                continue
            statute, article = act if match["parent"] == "법" else act + DECREE, match["of_parent"]
        else:
            joined = last.article is not None and _JOINED.fullmatch(text, last.end, match.start())
            statute, article = last.statute if joined else name, match["bare"]
        last = CitedStatute(statute, article, match.end())
        yield last


class CitationGraph:
    """Counts citations and collects what articles are cited for; names are without spaces, labels ``법이름|제N조``."""

    def __init__(self) -> None:
        self._citing: set[tuple[str, str]] = set()
        self._articles: Counter[str] = Counter()
        self._numbers: dict[str, int] = {}
        self._cited, self._terms = array("i"), array("i")

    def add(self, name: str, label: str, text: str, terms: TermIds, starts: TermIds) -> None:
        """Take the citations of one article; ``terms`` are those of its text, which stand at ``starts``."""
        others = [citation for citation in find_citations(name, text) if citation.label != label]
        self._citing.update((name, citation.statute) for citation in others if citation.statute != name)
        cited = [(citation.label, citation.end) for citation in others if citation.label]
        self._articles.update(label for label, _ in cited)
        begins = [_LEADING_ON.match(text, end).end() for _, end in cited]  # type: ignore[union-attr]  # may be empty
        first = np.searchsorted(starts, begins).tolist()
        last = np.searchsorted(starts, [begin + _CITED_FOR for begin in begins]).tolist()
        for (of, _), start, end in zip(cited, first, last, strict=True):
            number = self._numbers.setdefault(of, len(self._numbers))
            self._terms.frombytes(terms[start:end].astype(np.int32, copy=False).tobytes())
            self._cited.extend([number] * (end - start))

    def statutes(self) -> Counter[str]:
        """Statute name → how many other statutes cite it."""
        return Counter(cited for _, cited in self._citing)

    def articles(self) -> Counter[str]:
        """Label → how often other articles cite it."""
        return self._articles

    def cited_for(self) -> tuple[list[str], NDArray[np.int32], TermIds]:
        """Labels, and for each term that follows a citation the number of the cited label and the term as it was given."""
        return list(self._numbers), np.asarray(self._cited, dtype=np.int32), np.asarray(self._terms, dtype=np.int32)
