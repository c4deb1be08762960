"""The citation graph of statutes, read from their own texts while they are ingested.

What many articles cite is general law that questions are about more often: 근로기준법 before an act for one trade.
"""

from __future__ import annotations

import re
from collections import Counter

# 「법이름」, with the article cited when one follows; 법 제N조 and 영 제N조 in a decree or rule; 제N조 of the same statute.
# Titles are no citations, so the last one gives nothing back: 제9조의2(신고) is not 제9조 either.
_NAMED = re.compile(r"「([^」]{2,60})」(?:\s*(제\d+조(?:의\d+)?))?")
_PARENT = re.compile(r"(?<![가-힣」])(법|영)\s*(제\d+조(?:의\d+)?)")
_OWN = re.compile(r"(?<![가-힣])제\d+조(?:의\d++)?+(?!\()")

DECREE, RULE = "시행령", "시행규칙"


def act_of(name: str) -> str:
    """The act that a decree or rule carries out, by its name without spaces; other names as they are."""
    for suffix in (RULE, DECREE):
        if name.endswith(suffix) and len(name) > len(suffix):
            return name.removesuffix(suffix)
    return name


class CitationGraph:
    """Counts citations; names are statute names without spaces, labels ``법이름|제N조``."""

    def __init__(self) -> None:
        self._citing: set[tuple[str, str]] = set()
        self._articles: Counter[str] = Counter()

    def add(self, name: str, label: str, text: str) -> None:
        """Take the citations of one article."""
        for match in _NAMED.finditer(text):
            cited = match[1].replace(" ", "")
            if cited != name:
                self._citing.add((name, cited))
                if match[2]:
                    self._articles[f"{cited}|{match[2]}"] += 1
        text = _NAMED.sub(" ", text)
        act = act_of(name)
        if act != name:
            for match in _PARENT.finditer(text):
                self._articles[f"{act if match[1] == '법' else act + DECREE}|{match[2]}"] += 1
        for match in _OWN.finditer(_PARENT.sub(" ", text)):
            own = f"{name}|{match[0]}"
            if own != label:
                self._articles[own] += 1

    def statutes(self) -> Counter[str]:
        """Statute name → how many other statutes cite it."""
        return Counter(cited for _, cited in self._citing)

    def articles(self) -> Counter[str]:
        """Label → how often other articles cite it."""
        return self._articles
