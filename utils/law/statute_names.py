"""Names of statutes as written: the form in which they are compared, their decrees, and names that no list knows."""

from __future__ import annotations

import re

RANKS = ("시행령", "시행규칙")
"""Endings of the names of decrees and rules: the name of the act, then one of these."""

_IGNORED = re.compile(r"[\s「」『』《》〈〉ㆍ·・･•‧∙⋅ᆞ]")
_WORD = re.compile(r"[가-힣A-Za-z0-9ㆍ·]+")
# These words alone name nothing: the name goes on to the left.
_GENERIC = frozenset({"법률", "특별법", "특례법", "기본법", "지원법", "보호법", "촉진법", "보장법", "규칙", "규정"})
_ENDS_A_PHRASE = re.compile(r".*(?:[은는이가도]|에서|으로|에게|하고|하며|하여|따라)")


def is_ignored(character: str) -> bool:
    """Return True for characters that comparisons of names ignore: white space, quotation brackets, middle dots."""
    return bool(_IGNORED.match(character))


def squeeze(name: str) -> str:
    """A statute name without spaces, quotation brackets and middle dots: the form in which names are compared."""
    return _IGNORED.sub("", name)


def base_act(law: str) -> str:
    """The act of a decree or rule; an act is its own."""
    for rank in RANKS:
        law = law.removesuffix(rank).rstrip()
    return law


def words_of(text: str) -> list[re.Match[str]]:
    """The words of ``text`` as names are made of them."""
    return list(_WORD.finditer(text))


def guessed_name(before: str) -> str:
    """The unknown statute that ``before`` ends with: its last word, and more where that word alone names nothing."""
    words = words_of(before)
    at = len(words) - 1
    if words[at].group() in _GENERIC:
        while at > 0 and not _ENDS_A_PHRASE.fullmatch(words[at - 1].group()):
            at -= 1
    return before[words[at].start() :]
