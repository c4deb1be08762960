"""Requests for a list: a new one, or the last one with other conditions.

A request has to ask for a list and to say which notices: what could be a question for the documents is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.notices.conditions import ConditionReader, StatedConditions
from agents.notices.kept_search import criteria_of, narrowed
from agents.notices.other_matters import OtherMatters
from agents.notices.reading import NoticeTurn, Reading
from schemas.notice_state import NoticeIntent
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.pack import NoticeData, NoticePack, plain

NOTICE = "공고"
NAMES_NOTICE = re.compile(r"공고(?!히|문|일|상|용)")

_LONGEST = 160  # characters; a longer message tells a story, and is no search
_LONGEST_NARROWING = 30
_LONGEST_LISTING = 60  # several sentences as long as that are a case to be advised on
_SENTENCES = re.compile(r"[.?!]\s+\S")
_PARTICLE = re.compile(r"(?:들)?(?:은|는|만|도|요|좀)?(?:요)?$")
_OF_LIST = re.compile(r"^(?:그|이)\s?(?:중|가운데)|^[여거]기서")
_INSTEAD = re.compile(r"말고|빼고|아니고|아닌|대신|이외|제외하고")
_REMARK = re.compile(r"(?:네요?|[이인]?죠|지요|인가요|맞[가-힣]{1,3})$")
_ONLY = re.compile(r"만(?:요|보|알|추|골|찾|$)|것들?만|거만")
_IS_THERE = re.compile(r"(?:공고|사업|주택|단지|[은는]곳|[은는]데)[은는이도]?(?:또|더)?[있없]")


class ListRequests:
    """Reads requests for lists of notices."""

    def __init__(self, data: NoticeData, conditions: ConditionReader, matters: OtherMatters) -> None:
        self._data = data
        self._conditions = conditions
        self._matters = matters

    def read(self, turn: NoticeTurn) -> Reading | None:
        """Return the search that a turn asks for; None where it asks for none."""
        if len(turn.message) > _LONGEST or self._says(turn.squeezed, self._data.words.other_notices):
            return None
        stated = self._conditions.read(turn.message, turn.key, turn.today)
        return self._narrowed(turn, stated) or self._new(turn, stated)

    def _new(self, turn: NoticeTurn, stated: StatedConditions) -> Reading | None:
        words, squeezed, state = self._data.words, turn.squeezed, turn.state
        pack = self._data.packs[turn.key]
        names = self._names(turn, pack)
        says_which = stated.is_concrete or self._says_fields(stated) or bool(stated.rest)
        if not names and not (turn.focus.leads and says_which and state.selected_annc is None):
            return None
        searches = self._says(squeezed, words.finds) or _IS_THERE.search(squeezed) is not None
        is_phrase = _PARTICLE.sub("", squeezed).endswith(names) or self._conditions.ends_with_noun(turn.message)
        names_notice = NAMES_NOTICE.search(turn.message) is not None
        is_programme = names_notice or self._says(squeezed, pack.programmes)
        is_terse = self._conditions.is_terse(turn.message, stated.remaining)
        says_state = is_terse and bool(is_programme or stated.criteria.statuses)
        if not (searches or is_phrase or says_state or self._says(squeezed, words.lists)):
            return None
        if self._points(squeezed) and not (stated.is_concrete and state.selected_annc is None):
            return None
        asks_detail = self._matters.asks_detail(_without(squeezed, names))
        is_clear = is_programme or searches or (is_phrase and state.search is not None)
        all_of_them = names_notice and not stated.rest and not asks_detail
        if not (stated.is_concrete or stated.sort or (is_clear and says_which) or all_of_them):
            return None
        if state.selected_annc is not None and not stated.is_concrete and asks_detail and not searches:
            return None
        if self._is_for_documents(turn, stated, names_notice=names_notice, searches=searches):
            return None
        return _listing(turn, stated, stated.criteria)

    def _narrowed(self, turn: NoticeTurn, stated: StatedConditions) -> Reading | None:
        """The last search with other conditions: 부산은?, 접수중인 것만, 그 중에 수출 분야."""
        words, state, squeezed = self._data.words, turn.state, turn.squeezed
        if state.search is None or state.search.pack != turn.key or len(squeezed) > _LONGEST_NARROWING:
            return None
        pack, catalogue = self._data.packs[turn.key], turn.shelf.catalogues[turn.key]
        known = [word for word in stated.rest if catalogue.knows_word(word)]
        of_list = _OF_LIST.search(turn.message) is not None
        if not (stated.is_concrete or self._says_fields(stated) or stated.sort or (of_list and known)):
            return None
        if (known and not of_list) or not self._conditions.is_terse(turn.message, stated.remaining):
            return None
        names = (*pack.objects, NOTICE)
        is_only = _ONLY.search(squeezed) is not None
        asks = self._says(squeezed, (*words.finds, *words.lists)) and not is_only
        if self._says(plain(stated.remaining), names) or (asks and self._says(squeezed, names)):
            return None  # it names such notices anew
        if self._says(squeezed, words.consults) or (self._points(squeezed) and not of_list):
            return None
        told_of_it = _REMARK.search(squeezed) or (not stated.is_concrete and self._matters.asks_detail(squeezed))
        if state.selected_annc is not None and told_of_it:
            return None
        changed = narrowed(criteria_of(state), stated.criteria, pack)
        return _listing(turn, stated, changed.with_keywords(*known) if of_list and known else changed)

    def _is_for_documents(
        self, turn: NoticeTurn, stated: StatedConditions, *, names_notice: bool, searches: bool
    ) -> bool:
        """Return whether documents answer it rather than a list."""
        words = self._data.words
        if self._says(plain(stated.remaining), words.consults):
            return True
        if not names_notice and self._says(turn.squeezed, words.other_matters):
            return True
        is_told = _SENTENCES.search(turn.message) is not None
        if turn.focus.leads:  # its own documents are on the same matter
            sure = not searches and bool(stated.rest) and self._matters.is_consulting(turn.message, turn.classify)
        else:
            sure = self._matters.other_domain(turn.message, turn.key, turn.classify)
            if is_told and not names_notice:
                return True
        return sure and (not names_notice or (is_told and len(turn.squeezed) > _LONGEST_LISTING))

    def _names(self, turn: NoticeTurn, pack: NoticePack) -> tuple[str, ...]:
        """The words in a message by which such notices are called, as words are compared."""
        in_talk = self._data.words.in_talk if turn.state.search is not None else ()
        told = self._matters.without_details(turn.squeezed)
        called = map(plain, (*pack.objects, *pack.kinds, *in_talk, NOTICE))
        return tuple(word for word in called if word in told)

    def _points(self, squeezed: str) -> bool:
        """Return whether a message points at a notice: 그 공고; 그거 말고 does not."""
        return self._says(squeezed, self._data.words.deictic) and not _INSTEAD.search(squeezed)

    def _says(self, squeezed: str, words: Sequence[str]) -> bool:
        return any(plain(word) in squeezed for word in words)

    def _says_fields(self, stated: StatedConditions) -> bool:
        given = stated.criteria
        return bool(given.fields or given.targets or given.stage or given.amount_min)


def _listing(turn: NoticeTurn, stated: StatedConditions, criteria: Criteria) -> Reading:
    return Reading(
        NoticeIntent.NEW_SEARCH,
        turn.key,
        criteria=criteria,
        sort=stated.sort or "fit",
        unknown_place=stated.unknown_place,
    )


def _without(squeezed: str, names: Sequence[str]) -> str:
    """The message without the words by which such notices are called: 지원사업 does not ask for 지원."""
    for name in sorted(names, key=len, reverse=True):
        squeezed = squeezed.replace(name, " ")
    return squeezed
