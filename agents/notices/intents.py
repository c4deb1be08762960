"""The intent of a turn about notices, by rules and the state of the conversation, or that it is none.

Precedence: a reference to the list before, an intent that the pack adds, a question on the selected notice or a new search, anything else. Which of
them a turn may be is corrected by the state: a reference without a list, or a question without a selection, asks back. Questions to be answered
from documents are left alone: a search has to ask for a list, and to say which notices.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from agents.notices.conditions import ConditionReader, StatedConditions
from agents.notices.kept_search import criteria_of, narrowed, of_packs
from agents.notices.other_matters import Classify, OtherMatters
from agents.notices.references import LAST, references_in, without_references
from schemas.chat import SessionState, Turn
from schemas.notice_state import NoticeIntent, NoticeRef
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.library import Shelf
from vectorstores.notices.pack import NoticeData, PackIntent, plain

_LONGEST = 160  # characters; a longer message tells a story, and is no search
_LONGEST_REFERENCE = 80
_LONGEST_NARROWING = 30
_LONGEST_LISTING = 60  # several sentences as long as that are a case to be advised on
_LONGEST_OPENING = 15  # 접수기간이 언제예요: what nobody asks who has not a notice in mind
_NOTICE = "공고"
_ENDS = re.compile(r"[.?!~…\s]+$")
_SENTENCES = re.compile(r"[.?!]\s+\S")
_POLITE = re.compile(r"(?:요|용|염|욤|죠)$")
_PARTICLE = re.compile(r"(?:들)?(?:은|는|만|도|요|좀)?(?:요)?$")
_NAMES_NOTICE = re.compile(r"공고(?!히|문|일|상|용)")
_OF_LIST = re.compile(r"^(?:그|이)\s?(?:중|가운데)|^[여거]기서")
_IS_THERE = re.compile(r"(?:공고|사업|주택|단지|[은는]곳|[은는]데)[은는이도]?(?:또|더)?[있없]")
_INSTEAD = re.compile(r"말고|빼고|아니고|아닌|대신|이외|제외하고")


@dataclass(frozen=True, slots=True)
class Focus:
    """The notices that an assistant talks about: kinds of them, all where ``packs`` is empty.

    ``leads``: they are what it is for, so that a list needs no word for notices.
    """

    packs: tuple[str, ...] = ()
    leads: bool = False


EVERYTHING = Focus()


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn as the ability for notices takes it; ``intent`` is a `NoticeIntent` or the name of an intent of the pack.

    ``indexes`` into the list before, ``question`` about a notice, ``criteria`` of a search with its ``page`` and order; ``ask_back`` names what is
    missing where it is a clarification.
    """

    intent: str
    pack: str
    indexes: tuple[int, ...] = ()
    question: str = ""
    criteria: Criteria | None = None
    page: int = 1
    sort: str = "fit"
    unknown_place: str = ""
    ask_back: str = ""


class IntentReader:
    """Reads turns. ``shelf`` gives the notices in force: without any, nothing is for this ability.

    ``text`` gives all that a notice says, as words are compared.
    """

    def __init__(
        self,
        data: NoticeData,
        conditions: ConditionReader,
        shelf: Callable[[], Shelf],
        text: Callable[[str, str], str],
    ) -> None:
        self._data = data
        self._conditions = conditions
        self._shelf = shelf
        self.matters = OtherMatters(data, conditions, text)

    def read(
        self,
        message: str,
        history: Sequence[Turn],
        state: SessionState,
        today: date,
        classify: Classify,
        focus: Focus = EVERYTHING,
    ) -> Reading | None:
        """Return the reading of a turn; None where it is not about notices. ``classify`` routes a question to domains."""
        shelf = self._shelf().of(focus.packs)
        if shelf.is_empty:
            return None
        state = of_packs(state, shelf)
        squeezed = plain(_ENDS.sub("", message))
        if squeezed in self._data.words.thanks:
            return None
        key = self._pack(squeezed, state, shelf)
        if key is None:
            return None
        turn = _Turn(message, squeezed, history, state, key, today, classify, focus, shelf)
        return (
            self._of_list(turn)
            or self._reference(turn)
            or self._of_pack(turn)
            or self._search(turn)
            or self._detail(turn)
        )

    def _pack(self, squeezed: str, state: SessionState, shelf: Shelf) -> str | None:
        """Return the pack that a message names, else that of the conversation, else the first one there is."""
        there = [key for key, catalogue in shelf.catalogues.items() if len(catalogue)]
        named = {
            key: max(
                (
                    len(word)
                    for word in map(plain, (*self._data.packs[key].objects, *self._data.packs[key].kinds))
                    if word in squeezed
                ),
                default=0,
            )
            for key in there
        }
        best = max(there, key=lambda key: named[key], default=None)
        if best is not None and named[best]:
            return best
        about = state.selected_annc or (state.prev_anncs[0] if state.prev_anncs else None) or state.search
        if about is not None and about.pack in there:
            return about.pack
        by_field = [
            key
            for key in there
            if any(len(name) > 3 and plain(name) in squeezed for name in self._data.packs[key].fields)
        ]
        return by_field[0] if by_field else (there[0] if there else None)

    def _of_list(self, turn: _Turn) -> Reading | None:
        """More of the last list, or the same list again."""
        kept = turn.state.search
        if kept is None:
            return None
        bare = _POLITE.sub("", turn.squeezed)
        again = NoticeIntent.NEW_SEARCH, kept.pack
        if turn.squeezed in self._data.words.more or bare in self._data.words.more:
            return Reading(*again, criteria=criteria_of(turn.state), page=kept.page + 1, sort=kept.sort)
        if turn.squeezed in self._data.words.again or bare in self._data.words.again:
            return Reading(*again, criteria=criteria_of(turn.state), page=kept.page, sort=kept.sort)
        return None

    def _reference(self, turn: _Turn) -> Reading | None:
        indexes = references_in(turn.message) if len(turn.message) <= _LONGEST_REFERENCE else ()
        if not indexes:
            return None
        state, rest = turn.state, without_references(turn.message).strip()
        if not state.prev_anncs:
            told = any(each.role == "assistant" for each in turn.history)
            asks = _NAMES_NOTICE.search(turn.message) is not None or not (told or self.matters.meaning(rest, turn.key))
            if not asks or not self.matters.is_bare(rest, turn.key):
                return None
            return Reading(NoticeIntent.CLARIFICATION, turn.key, ask_back="list")
        of_list = state.prev_anncs[0].pack
        if self.matters.is_consultation(rest, of_list, _referred(state, indexes), turn.classify):
            return None
        return Reading(NoticeIntent.REFERENCE_PREV, of_list, indexes=indexes, question=rest)

    def _of_pack(self, turn: _Turn) -> Reading | None:
        """An intent that the pack adds, by its words."""
        intent = next((each for each in self._data.packs[turn.key].intents if _is_meant(each, turn.squeezed)), None)
        if intent is None:
            return None
        if intent.needs == "selected" and turn.state.selected_annc is None:
            ask_back = "number" if turn.state.prev_anncs else "list"
            return Reading(NoticeIntent.CLARIFICATION, turn.key, ask_back=ask_back)
        return Reading(intent.name, turn.key, question=turn.message)

    def _search(self, turn: _Turn) -> Reading | None:
        words, squeezed, state, key = self._data.words, turn.squeezed, turn.state, turn.key
        if len(turn.message) > _LONGEST or any(word in squeezed for word in words.other_notices):
            return None
        stated = self._conditions.read(turn.message, key, turn.today)
        if (reading := self._narrowed(turn, stated)) is not None:
            return reading
        pack = self._data.packs[key]
        told = self.matters.without_details(squeezed)
        in_talk = words.in_talk if state.search is not None else ()
        names = [word for word in (*pack.objects, *pack.kinds, *in_talk, _NOTICE) if plain(word) in told]
        says_which = stated.is_concrete or self._says_which(stated)
        if not names and not (turn.focus.leads and says_which and state.selected_annc is None):
            return None
        searches = any(word in squeezed for word in words.finds) or _IS_THERE.search(squeezed) is not None
        asks = searches or any(word in squeezed for word in words.lists)
        ending = _PARTICLE.sub("", squeezed)
        asks = asks or ending.endswith(tuple(map(plain, names))) or self._conditions.ends_with_noun(turn.message)
        names_notice = _NAMES_NOTICE.search(turn.message) is not None
        is_programme = names_notice or any(plain(word) in squeezed for word in pack.programmes)
        asks = asks or (is_programme and self._conditions.is_terse(turn.message, stated.remaining))
        points = any(word in squeezed for word in words.deictic) and not _INSTEAD.search(squeezed)
        if not asks or (points and not (stated.is_concrete and state.selected_annc is None)):
            return None
        remaining = plain(stated.remaining)
        if any(word in remaining for word in words.consults):
            return None
        if not names_notice and any(word in squeezed for word in words.other_matters):
            return None
        is_clear = is_programme or searches or turn.focus.leads or state.search is not None
        all_of_them = names_notice and not stated.rest and not self.matters.asks_detail(_without(squeezed, names))
        if not (stated.is_concrete or stated.sort or (is_clear and says_which) or all_of_them):
            return None
        asks_detail = self.matters.asks_detail(_without(squeezed, names)) and not searches
        if state.selected_annc is not None and not stated.is_concrete and asks_detail:
            return None
        is_story = _SENTENCES.search(turn.message) is not None and len(squeezed) > _LONGEST_LISTING
        is_elsewhere = not turn.focus.leads and self.matters.other_domain(turn.message, key, turn.classify)
        if (is_story and is_elsewhere) or (not names_notice and is_elsewhere):
            return None
        if _SENTENCES.search(turn.message) and not (names_notice or turn.focus.leads):
            return None
        return self._listing(turn, stated, stated.criteria)

    def _listing(self, turn: _Turn, stated: StatedConditions, criteria: Criteria) -> Reading:
        return Reading(
            NoticeIntent.NEW_SEARCH,
            turn.key,
            criteria=criteria,
            sort=stated.sort or "fit",
            unknown_place=stated.unknown_place,
        )

    def _narrowed(self, turn: _Turn, stated: StatedConditions) -> Reading | None:
        """The last search with other conditions: 부산은?, 접수중인 것만, 그 중에 수출 분야."""
        state, squeezed = turn.state, turn.squeezed
        if state.search is None or state.search.pack != turn.key or len(squeezed) > _LONGEST_NARROWING:
            return None
        pack = self._data.packs[turn.key]
        catalogue = turn.shelf.catalogues[turn.key]
        known = [word for word in stated.rest if catalogue.knows_word(word)]
        of_list = _OF_LIST.search(turn.message) is not None
        says = stated.is_concrete or self._says_fields(stated) or stated.sort or (of_list and known)
        names, remaining = tuple(map(plain, (*pack.objects, _NOTICE))), plain(stated.remaining)
        asks = any(word in squeezed for word in (*self._data.words.finds, *self._data.words.lists))
        begins_anew = any(name in remaining for name in names) or (asks and any(name in squeezed for name in names))
        if (
            not says
            or (known and not of_list)
            or begins_anew
            or not self._conditions.is_terse(turn.message, stated.remaining)
        ):
            return None
        if any(word in squeezed for word in self._data.words.consults):
            return None
        if state.selected_annc is not None and not stated.is_concrete and self.matters.asks_detail(squeezed):
            return None
        points = any(word in squeezed for word in self._data.words.deictic)
        if points and not of_list and not _INSTEAD.search(squeezed):
            return None
        changed = narrowed(criteria_of(state), stated.criteria, pack)
        if of_list and known:
            changed = changed.with_keywords(*known)
        return self._listing(turn, stated, changed)

    def _detail(self, turn: _Turn) -> Reading | None:
        state, message, squeezed = turn.state, turn.message, turn.squeezed
        points = any(word in squeezed for word in self._data.words.deictic)
        asks = self.matters.asks_detail(squeezed)
        selected = state.selected_annc
        if selected is not None:
            if self.matters.is_of_notice(message, selected.pack, selected.id, turn.classify, plainly=points or asks):
                return Reading(NoticeIntent.DETAIL_QUESTION, selected.pack, question=message)
            return None
        if len(message) > _LONGEST_REFERENCE:
            return None
        if state.prev_anncs and (points or asks):
            return self._of_listed(turn)
        names_notice = re.search(r"(?:이|그|해당|저)\s?공고", message) is not None
        is_bare = self.matters.is_bare(message, turn.key)
        begins = not turn.history and asks and len(squeezed) <= _LONGEST_OPENING
        begins = begins and (turn.focus.leads or not turn.classify(message).is_relevant)
        if (names_notice or begins) and not state.prev_anncs and is_bare:
            return Reading(NoticeIntent.CLARIFICATION, turn.key, ask_back="list")
        return None

    def _of_listed(self, turn: _Turn) -> Reading | None:
        """A question on a list: on the only notice of it, on that whose title it names, else asked back which one."""
        listed = turn.state.prev_anncs
        meaning = self.matters.meaning(turn.message, listed[0].pack)
        indexes = range(len(listed)) if not meaning else _naming(listed, meaning)
        if len(indexes) == 1:
            reading = NoticeIntent.REFERENCE_PREV, listed[0].pack
            return Reading(*reading, indexes=(indexes[0],), question=turn.message)
        if not meaning:
            return Reading(NoticeIntent.CLARIFICATION, listed[0].pack, ask_back="number")
        return None

    def _says_which(self, stated: StatedConditions) -> bool:
        return bool(self._says_fields(stated) or stated.criteria.keywords)

    def _says_fields(self, stated: StatedConditions) -> bool:
        given = stated.criteria
        return bool(given.fields or given.targets or given.stage)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A message with all that it is read by. ``squeezed``: without blanks and marks at its end; ``key``: its pack."""

    message: str
    squeezed: str
    history: Sequence[Turn]
    state: SessionState
    key: str
    today: date
    classify: Classify
    focus: Focus
    shelf: Shelf


def _without(squeezed: str, names: Sequence[str]) -> str:
    """The message without the words by which such notices are called: 지원사업 does not ask for 지원."""
    for name in sorted(map(plain, names), key=len, reverse=True):
        squeezed = squeezed.replace(name, " ")
    return squeezed


def _is_meant(intent: PackIntent, squeezed: str) -> bool:
    return any(plain(word) in squeezed for word in intent.words)


def _naming(listed: Sequence[NoticeRef], meaning: Sequence[str]) -> list[int]:
    """The notices whose titles have every word that was named."""
    titles = [plain(ref.title) for ref in listed]
    return [index for index, title in enumerate(titles) if all(plain(word) in title for word in meaning)]


def _referred(state: SessionState, indexes: Sequence[int]) -> list[str]:
    size = len(state.prev_anncs)
    return [state.prev_anncs[index].id for index in indexes if index == LAST or 0 <= index < size]
