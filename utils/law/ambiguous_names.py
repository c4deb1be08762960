"""Short names that stand for several statutes: the words of a question tell which is meant (임대차보호법: 집이나 가게의)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

# Behind a word of one syllable, which is else a part of others: 집을, but not 집행.
_BEHIND_A_SYLLABLE = r"(?=(?:이|을|은|도|의|에|과|만|에서|에서는|에는|으로|하고|이랑|이나|까지|인데|이라)?(?![가-힣]))"


class AmbiguousName:
    """The statutes that a short name may stand for, each with the words that tell of it."""

    def __init__(self, statutes: Mapping[str, Sequence[str]]) -> None:
        """``statutes`` maps a full name to words; a word counts where it begins a word of the question."""
        self._told_by = {law: _any_of(words) for law, words in statutes.items()}

    def meant_in(self, text: str) -> tuple[str, ...]:
        """Return the statute whose words ``text`` has; all of them where it has none, or those of several."""
        told = tuple(law for law, words in self._told_by.items() if words.search(text))
        return told if len(told) == 1 else tuple(self._told_by)


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    patterns = (re.escape(word) + (_BEHIND_A_SYLLABLE if len(word) == 1 else "") for word in words)
    return re.compile(rf"(?<![가-힣])(?:{'|'.join(patterns)})")
