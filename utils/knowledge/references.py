"""The statute references that stand in parentheses behind a sentence: ``(근로기준법 제17조, 근로기준법 시행령 제8조의2)``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_GROUP = re.compile(r"\(([^()]*제\s?\d+\s?조[^()]*)\)")
_REFERENCE = re.compile(
    r"(?!.*제\d+조.*제\d+조)(?P<law>[가-힣A-Za-z0-9][가-힣A-Za-z0-9ㆍ·,\- ]*?) (?P<article>제\d+조(?:의\d+)?)"
    r"(?: ?제\d+항)?(?: ?제\d+호(?:의\d+)?)?"
)
# 대법원 2019다285257, 헌법재판소 2018. 5. 31. 선고 2014헌마346 결정: named beside statutes, but no article
_DECISION = re.compile(r"(?:대법원|헌법재판소|[가-힣]+법원)\s[^,]*\d{2,4}[가-힣]{1,3}\d+[^,]*")


@dataclass(frozen=True, slots=True)
class StatuteReference:
    """An article of a statute, its full name as written."""

    law: str
    article: str

    def __str__(self) -> str:
        return f"{self.law} {self.article}"


@dataclass(frozen=True, slots=True)
class References:
    """The references of a text in order, each once, and what stands in their place but is none."""

    found: tuple[StatuteReference, ...]
    malformed: tuple[str, ...]


def references_of(texts: Iterable[str]) -> References:
    """Read the references of sentences; paragraphs and items behind an article are left out."""
    found: list[StatuteReference] = []
    malformed: list[str] = []
    for text in texts:
        for group in _GROUP.findall(text):
            for part in group.split(", "):
                match = _REFERENCE.fullmatch(part)
                if match is None:
                    malformed += [] if _DECISION.fullmatch(part) else [part]
                else:
                    found.append(StatuteReference(match["law"], match["article"]))
    return References(tuple(dict.fromkeys(found)), tuple(malformed))
