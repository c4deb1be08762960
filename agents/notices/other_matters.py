"""Questions that are not about notices: they are for the documents that an assistant answers from, or are small talk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from agents.notices.conditions import ConditionReader
from agents.notices.reading import Classify
from vectorstores.notices.pack import NoticeData, plain

_SURE = 0.6  # probability of a domain from which a question with words foreign to a notice is one for its documents
_SMALL_TALK = 0.95  # probability that a question is turned away, from which it is not about a notice either
_LONGEST_QUESTION = 60
SHORT_KIND = 3
"""Characters up to which the name of a kind of notices is a word of other uses too."""

_ASKS = re.compile(r"(?:요|까|나|니|죠|지|가|데|냐|고|야|어|해|돼|라고|은|는)\s?[?.!]*$|\?")


class OtherMatters:
    """Tells questions on a notice from others, by the words of the notice and by the routing.

    ``text`` gives all that a notice says, as words are compared.
    """

    def __init__(self, data: NoticeData, conditions: ConditionReader, text: Callable[[str, str], str]) -> None:
        self._data = data
        self._conditions = conditions
        self._text = text
        self._detail_names = frozenset(plain(word) for words in data.words.synonyms.values() for word in words)
        self._longest_first = sorted(self._detail_names, key=len, reverse=True)

    def asks_detail(self, squeezed: str) -> bool:
        """Return whether a message has a word by which people ask for something of any notice."""
        return any(word in squeezed for word in self._data.words.details)

    def without_details(self, squeezed: str) -> str:
        """Return a message without the names of what notices say: 지원금액 is no 지원금."""
        for name in self._longest_first:
            squeezed = squeezed.replace(name, " ")
        return squeezed

    def meaning(self, text: str, key: str) -> tuple[str, ...]:
        """Return the nouns that a question is about, besides what is asked of any notice."""
        words = self._data.words
        found = self._conditions.compounds(text, key)
        return tuple(
            word for word in found if plain(word) not in words.deictic and plain(word) not in self._detail_names
        )

    def named(self, text: str, key: str) -> tuple[str, ...]:
        """Return the nouns that a passage has to have to tell something of a question: all but those that have names of other words in notices."""
        words = self._data.words
        keys = frozenset(map(plain, words.synonyms))
        found = self._conditions.nouns(text, key)
        return tuple(
            word for word in found if plain(word) not in words.deictic and not any(each in plain(word) for each in keys)
        )

    def is_bare(self, text: str, key: str) -> bool:
        """Return whether a question names nothing but what is asked of any notice."""
        return not self.meaning(text, key)

    def is_of_notice(self, text: str, pack: str, notice_id: str, classify: Classify, *, plainly: bool) -> bool:
        """Return whether a question is on the selected notice. ``plainly``: it points at it, or asks what is asked of any.

        Where the notice has the words of the question, it is. Otherwise it is unless the routing is sure of another use of it: as
        consulting, or as small talk. A question that neither knows is one on what was talked of last.
        """
        if not plainly and self._names_other_kind(text, pack, notice_id):
            return False
        meaning = self.meaning(text, pack)
        if meaning and len(self._foreign(meaning, pack, (notice_id,))) * 2 < len(meaning):
            return True
        if self.is_consultation(text, pack, (notice_id,), classify):
            return False
        return plainly or self._is_open(text, classify)

    def is_of_talk(self, text: str, pack: str, ids: Sequence[str], classify: Classify) -> bool:
        """Return whether a question is on some notice of a list: neither consulting nor small talk, as far as the routing can tell."""
        if self.is_consultation(text, pack, ids, classify):
            return False
        return self._is_open(text, classify)

    def text_of(self, pack: str, notice_id: str) -> str:
        """Return all that a notice says, as words are compared."""
        return self._text(pack, notice_id)

    def _is_open(self, text: str, classify: Classify) -> bool:
        """Return whether it is a question that the routing makes nothing of."""
        if len(text) > _LONGEST_QUESTION or not _ASKS.search(text):
            return False
        result = classify(text)
        return result.confidence < (_SURE if result.is_relevant else _SMALL_TALK)

    def is_consultation(self, text: str, pack: str, ids: Sequence[str], classify: Classify) -> bool:
        """Return whether a question in a conversation about notices is for the documents: most of what it names is in no notice."""
        meaning = self.meaning(text, pack)
        matters = any(word in plain(text) for word in self._data.words.other_matters)
        if not meaning:
            return matters and self.other_domain(text, pack, classify)
        if len(self._foreign(meaning, pack, ids)) * 2 < len(meaning):
            return False
        result = classify(text)
        return result.is_relevant and (matters or result.confidence >= _SURE)

    def other_domain(self, text: str, pack: str, classify: Classify) -> bool:
        """Return whether documents of a domain other than that of the notices answer a question."""
        result = classify(text)
        own = self._data.packs[pack].domain
        return result.is_relevant and result.confidence >= _SURE and any(name != own for name in result.domains)

    def is_consulting(self, text: str, classify: Classify) -> bool:
        """Return whether the routing is sure that documents answer a question."""
        result = classify(text)
        return result.is_relevant and result.confidence >= _SURE

    def _names_other_kind(self, text: str, pack: str, notice_id: str) -> bool:
        """Return whether a question names a kind of notices that this one is not of: 국민임대랑 행복주택은 뭐가 달라?"""
        told, notice = plain(text), self._text(pack, notice_id)
        kinds = (plain(name) for name in self._data.packs[pack].fields if len(name) > SHORT_KIND)
        return any(name in told and name not in notice for name in kinds)

    def _foreign(self, meaning: Sequence[str], pack: str, ids: Sequence[str]) -> list[str]:
        """The words that none of these notices has."""
        texts = [self._text(pack, each) for each in ids]
        return [word for word in meaning if not any(plain(word) in text for text in texts)]
