"""Requests for a list: a new one, or the last one with other conditions.

A request has to ask for a list and to say which notices: what could be a question for the documents is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

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
_REMARK = re.compile(r"(?:네요?|[이인]?죠|지요|인가요|맞[가-힣]{1,3}|까지(?:인가|인지|이야|임|야|예요|이에요|돼요?))$")
_WHEN = re.compile(r"언제|며칠|몇\s?(?:월|일)")
_ONLY = re.compile(r"만(?:요|보|알|추|골|찾|$)|것들?만|거만")
_GOES_ON = re.compile(r"\s*(?:은|는|도|만|으로|로)(?:요)?(?![가-힣])")
_ENDS_IN_THEM = re.compile(r"(?:는|은|인|된|할|한|던)\s?(?:거|것|꺼|건|곳|데)(?:들)?(?:은|는|만|도)?(?:요)?$")
_OTHERS = re.compile(
    r"(?:은|는|도|[은는이]?요)(?:또)?(?:[있없](?:어|나|니|을까|습니까|는지)|볼래|보여|찾아)|[거것꺼]도(?:요)?$"
)
_SUPPORT = "지원"
_IS_THERE = re.compile(r"(?:공고|사업|주택|단지|[은는]곳|[은는]데)[은는이도]?(?:또|더)?[있없]")


class ListRequests:
    """Reads requests for lists of notices."""

    def __init__(self, data: NoticeData, conditions: ConditionReader, matters: OtherMatters) -> None:
        self._data = data
        self._conditions = conditions
        self._matters = matters

    def read(self, turn: NoticeTurn) -> Reading | None:
        """Return the search that a turn asks for; None where it asks for none."""
        if len(turn.message) > _LONGEST or self._conditions.says(turn.message, self._data.words.other_notices):
            return None
        stated = self._placed(turn, self._conditions.read(turn.message, turn.key, turn.today))
        return self._narrowed(turn, stated) or self._new(turn, stated)

    def _placed(self, turn: NoticeTurn, stated: StatedConditions) -> StatedConditions:
        """The conditions with places elsewhere as the notices have them: 파리 광학 전시회 is a matter, 워싱턴 국민임대 asks for a place."""
        catalogue, place = turn.shelf.catalogues[turn.key], stated.unknown_place
        if place and stated.rest and catalogue.knows_word(place):
            criteria = stated.criteria.with_keywords(place, *stated.rest)
            return replace(
                stated, criteria=criteria, rest=criteria.keywords, unknown_place="", is_concrete=criteria.is_told
            )
        if place or len(stated.rest) != 1 or stated.criteria.regions or stated.criteria.nationwide:
            return stated
        [word] = stated.rest
        names_notices = self._names(turn, self._data.packs[turn.key])
        if names_notices and (cities := self._data.regions[turn.key].city_of(word)):
            criteria = replace(stated.criteria.with_keywords(), regions=cities.regions, cities=cities.cities)
            return replace(stated, criteria=criteria, rest=(), is_concrete=True)
        if not names_notices or catalogue.knows_word(word) or not self._conditions.is_name(word, turn.message):
            return stated
        criteria = stated.criteria.with_keywords()
        return replace(stated, criteria=criteria, rest=(), unknown_place=word, is_concrete=True)

    def _new(self, turn: NoticeTurn, stated: StatedConditions) -> Reading | None:
        words, squeezed, state = self._data.words, turn.squeezed, turn.state
        pack = self._data.packs[turn.key]
        others = self._others_asked_for(turn, stated)
        names = self._names(turn, pack) or others or self._support_somewhere(turn, stated)
        says_which = stated.is_concrete or self._says_fields(stated) or bool(stated.rest)
        if not names and not (turn.focus.leads and says_which and state.selected_annc is None):
            return None
        searches = self._says(squeezed, words.finds) or _IS_THERE.search(squeezed) is not None
        is_phrase = _PARTICLE.sub("", squeezed).endswith(names) or self._conditions.ends_with_noun(turn.message)
        is_phrase = is_phrase or _ENDS_IN_THEM.search(squeezed) is not None
        names_notice = NAMES_NOTICE.search(turn.message) is not None
        is_programme = names_notice or self._says(squeezed, pack.programmes)
        is_terse = self._conditions.is_terse(turn.message, stated.remaining)
        says_state = is_terse and bool(is_programme or stated.criteria.statuses)
        if not (searches or is_phrase or says_state or self._says(squeezed, words.lists)):
            return None
        if self._points(turn) and not (stated.is_concrete and state.selected_annc is None):
            return None
        asks_detail = self._matters.asks_detail(_without(squeezed, names))
        of_it = _WHEN.search(squeezed) or (_REMARK.search(squeezed) and not stated.is_concrete)
        if state.selected_annc is not None and of_it and not (searches or names_notice):
            return None
        is_clear = bool(others) or is_programme or searches or (is_phrase and state.search is not None)
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
        names_anew = (
            asks and self._says(squeezed, names) and (stated.is_concrete or not _GOES_ON.match(stated.remaining))
        )
        if names_anew or self._says(plain(stated.remaining), names):
            return None
        if self._says(squeezed, words.consults) or (self._points(turn) and not of_list):
            return None
        told_of_it = (
            _WHEN.search(squeezed)
            or _REMARK.search(squeezed)
            or (not stated.is_concrete and self._matters.asks_detail(squeezed))
        )
        if state.selected_annc is not None and told_of_it:
            return None
        changed = narrowed(criteria_of(state), stated.criteria, pack)
        if changed.keywords and not of_list and not catalogue.search(changed, turn.today).found:
            changed = changed.with_keywords()  # of the matter talked of before there is nothing there
        return _listing(turn, stated, changed.with_keywords(*known) if of_list and known else changed)

    def _is_for_documents(
        self, turn: NoticeTurn, stated: StatedConditions, *, names_notice: bool, searches: bool
    ) -> bool:
        """Return whether documents answer it rather than a list."""
        words = self._data.words
        if self._conditions.says(stated.remaining, words.consults):
            return True
        if not names_notice and self._says(turn.squeezed, words.other_matters):
            return True
        if (
            searches
            and stated.is_concrete
            and not stated.rest
            and self._conditions.is_terse(turn.message, stated.remaining)
        ):
            return False  # nothing but conditions, and a word for finding
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

    def _others_asked_for(self, turn: NoticeTurn, stated: StatedConditions) -> tuple[str, ...]:
        """The matter of other notices that are asked for beside the selected one, as words are compared: 서비스로봇은 없어요?"""
        selected, catalogue = turn.state.selected_annc, turn.shelf.catalogues[turn.key]
        if selected is None or not stated.rest or _OTHERS.search(turn.squeezed) is None:
            return ()
        text = self._matters.text_of(selected.pack, selected.id)
        is_other = all(catalogue.knows_word(word) and plain(word) not in text for word in stated.rest)
        return tuple(map(plain, stated.rest)) if is_other and not self._matters.asks_detail(turn.squeezed) else ()

    def _support_somewhere(self, turn: NoticeTurn, stated: StatedConditions) -> tuple[str, ...]:
        """The word 지원 where it is all of a matter of notices and a region: 공공배달앱 지원 영주."""
        catalogue = turn.shelf.catalogues[turn.key]
        is_known = bool(stated.rest) and all(map(catalogue.knows_word, stated.rest))
        is_phrase = self._conditions.is_terse(turn.message, "") and _SUPPORT in turn.message
        return (_SUPPORT,) if is_known and is_phrase and stated.criteria.regions else ()

    def _points(self, turn: NoticeTurn) -> bool:
        """Return whether a message points at a notice: 그 공고; 그거 말고 does not, nor 창업리그 공고."""
        points = self._conditions.says(turn.message, self._data.words.deictic)
        return points and not _INSTEAD.search(turn.squeezed)

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
