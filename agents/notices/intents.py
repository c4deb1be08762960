"""The intent of a turn about notices, by rules and the state of the conversation, or that it is none.

Precedence: a reference to the list before, an intent that the pack adds, a question on the selected notice or a new search, anything else. Which of
them a turn may be is corrected by the state: a reference without a list, or a question without a selection, asks back. Questions to be answered
from documents are left alone: a search has to ask for a list, and to say which notices.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from agents.notices.conditions import ConditionReader
from agents.notices.kept_search import criteria_of, of_packs
from agents.notices.other_matters import SHORT_KIND, OtherMatters
from agents.notices.reading import EVERYTHING, Classify, Focus, NoticeTurn, Reading
from agents.notices.references import LAST, references_in, step_in, without_references
from agents.notices.requests import NAMES_NOTICE, ListRequests
from schemas.chat import SessionState, Turn
from schemas.notice_state import NoticeIntent
from vectorstores.notices.library import Shelf
from vectorstores.notices.pack import NoticeData, NoticePack, PackIntent, plain

_LONGEST_REFERENCE = 80  # characters
_LONGEST_OPENING = 15  # 접수기간이 언제예요: what nobody asks who has not a notice in mind
_ENDS = re.compile(r"[.?!~…\s]+$")
_SIGHS = re.compile(r"^(?:아하?|오+|네+|넵|넹|예|음+|흠+|와+|굿|그렇군요?|오케이|ㅇㅋ|ㅋ+|ㅎ+)+")
_POLITE = re.compile(r"(?:요|용|염|욤|죠)$")
_THE_NOTICE = re.compile(r"(?:이|그|해당|저)\s?공고")


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
        self._shelf = shelf
        self._conditions = conditions
        self.matters = OtherMatters(data, conditions, text)
        self._requests = ListRequests(data, conditions, self.matters)

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
        if squeezed in self._data.words.thanks or _SIGHS.sub("", squeezed) in ("", *self._data.words.thanks):
            return None
        key = self._pack(squeezed, state, shelf)
        if key is None:
            return None
        turn = NoticeTurn(message, squeezed, history, state, key, today, classify, focus, shelf)
        return (
            self._stepped(turn)
            or self._of_list(turn)
            or self._reference(turn)
            or self._of_pack(turn)
            or self._requests.read(turn)
            or self._detail(turn)
        )

    def _pack(self, squeezed: str, state: SessionState, shelf: Shelf) -> str | None:
        """Return the pack that a message names, else that of the conversation, else the first one there is."""
        there = [key for key, catalogue in shelf.catalogues.items() if len(catalogue)]
        named = {key: self._named_in(squeezed, self._data.packs[key]) for key in there}
        best = max(there, key=lambda key: named[key], default=None)
        if best is not None and named[best][1]:
            return best
        about = state.selected_annc or (state.prev_anncs[0] if state.prev_anncs else None) or state.search
        if about is not None and about.pack in there:
            return about.pack
        by_field = [key for key in there if named[key][0]]
        return by_field[0] if by_field else (there[0] if there else None)

    @staticmethod
    def _named_in(squeezed: str, pack: NoticePack) -> tuple[bool, int]:
        """Return whether a message names a kind of a pack's notices, and how long the longest of its words for them is: 국민임대 before 모집공고."""
        words = (word for word in map(plain, (*pack.objects, *pack.kinds)) if word in squeezed)
        of_kind = any(len(name) > SHORT_KIND and plain(name) in squeezed for name in pack.fields)
        return of_kind, max(map(len, words), default=0)

    def _stepped(self, turn: NoticeTurn) -> Reading | None:
        """The notice of the list beside the selected one."""
        listed, selected = turn.state.prev_anncs, turn.state.selected_annc
        step = step_in(turn.message)
        at = next((number for number, ref in enumerate(listed) if selected is not None and ref.id == selected.id), None)
        if not step or at is None or len(listed) == 1:
            return None
        if at + step < 0:
            return Reading(NoticeIntent.CLARIFICATION, turn.key, ask_back="number")
        return Reading(NoticeIntent.REFERENCE_PREV, listed[0].pack, indexes=(at + step,))

    def _of_list(self, turn: NoticeTurn) -> Reading | None:
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

    def _reference(self, turn: NoticeTurn) -> Reading | None:
        indexes = references_in(turn.message) if len(turn.message) <= _LONGEST_REFERENCE else ()
        if not indexes:
            return None
        state, rest = turn.state, without_references(turn.message).strip()
        if not state.prev_anncs:
            told = any(each.role == "assistant" for each in turn.history)
            asks = NAMES_NOTICE.search(turn.message) is not None or not (told or self.matters.meaning(rest, turn.key))
            if not asks or not self.matters.is_bare(rest, turn.key):
                return None
            return Reading(NoticeIntent.CLARIFICATION, turn.key, ask_back="list")
        of_list = state.prev_anncs[0].pack
        if self.matters.is_consultation(rest, of_list, _referred(state, indexes), turn.classify):
            return None
        return Reading(NoticeIntent.REFERENCE_PREV, of_list, indexes=indexes, question=rest)

    def _of_pack(self, turn: NoticeTurn) -> Reading | None:
        """An intent that the pack adds, by its words."""
        intent = next((each for each in self._data.packs[turn.key].intents if _is_meant(each, turn.squeezed)), None)
        if intent is None:
            return None
        if intent.needs == "selected" and turn.state.selected_annc is None:
            ask_back = "number" if turn.state.prev_anncs else "list"
            return Reading(NoticeIntent.CLARIFICATION, turn.key, ask_back=ask_back)
        return Reading(intent.name, turn.key, question=turn.message)

    def _detail(self, turn: NoticeTurn) -> Reading | None:
        state, message, squeezed = turn.state, turn.message, turn.squeezed
        points = self._conditions.says(message, self._data.words.deictic)
        asks = self.matters.asks_detail(squeezed)
        selected = state.selected_annc
        if selected is not None:
            if self.matters.is_of_notice(message, selected.pack, selected.id, turn.classify, plainly=points or asks):
                return Reading(NoticeIntent.DETAIL_QUESTION, selected.pack, question=message)
            return None
        if len(message) > _LONGEST_REFERENCE:
            return None
        if state.prev_anncs and (reading := self._of_listed(turn, plainly=points or asks)) is not None:
            return reading
        names_notice = _THE_NOTICE.search(message) is not None
        is_bare = self.matters.is_bare(message, turn.key)
        begins = (turn.focus.leads or not turn.history) and asks and len(squeezed) <= _LONGEST_OPENING
        begins = begins and not any(plain(word) in squeezed for word in self._data.packs[turn.key].objects)
        begins = begins and (turn.focus.leads or not turn.classify(message).is_relevant)
        if (names_notice or begins) and not state.prev_anncs and is_bare:
            return Reading(NoticeIntent.CLARIFICATION, turn.key, ask_back="list")
        return None

    def _of_listed(self, turn: NoticeTurn, *, plainly: bool) -> Reading | None:
        """A question on a list: on the only notice that has its words, in the title or else anywhere, or asked back on which one.

        ``plainly``: it points at a notice, or asks what is asked of any.
        """
        listed = turn.state.prev_anncs
        pack, ids = listed[0].pack, [ref.id for ref in listed]
        meaning = self.matters.meaning(turn.message, pack)
        in_titles = _having([plain(ref.title) for ref in listed], meaning)
        indexes = in_titles or _having([self.matters.text_of(pack, each) for each in ids], meaning)
        if len(indexes) == 1 and (meaning or plainly):
            return Reading(NoticeIntent.REFERENCE_PREV, pack, indexes=(indexes[0],), question=turn.message)
        is_meant = plainly and not meaning
        if is_meant or self.matters.is_of_talk(turn.message, pack, ids, turn.classify):
            return Reading(NoticeIntent.CLARIFICATION, pack, ask_back="number")
        return None


def _is_meant(intent: PackIntent, squeezed: str) -> bool:
    return any(plain(word) in squeezed for word in intent.words)


def _having(texts: Sequence[str], meaning: Sequence[str]) -> list[int]:
    """The numbers of the texts that have every word that was named."""
    return [index for index, text in enumerate(texts) if all(plain(word) in text for word in meaning)]


def _referred(state: SessionState, indexes: Sequence[int]) -> list[str]:
    size = len(state.prev_anncs)
    return [state.prev_anncs[index].id for index in indexes if index == LAST or 0 <= index < size]
