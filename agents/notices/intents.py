"""The intent of a turn about notices, by rules and the state of the conversation, or that it is none.

Precedence: a reference to the list before, a question on the selected notice, a new search, anything else. Which of them a turn may be is corrected by
the state: a reference without a list, or a question without a selection, asks back. Questions to be answered from documents are left alone: a
search has to ask for a list, and to say which notices.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from agents.notices.conditions import ConditionReader, StatedConditions
from agents.notices.references import LAST, references_in, without_references
from schemas.chat import SessionState, Turn
from schemas.funding.notices import NoticeStatus
from schemas.notice_state import NoticeIntent
from utils.domain_classifier import DomainClassificationResult
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.library import Shelf
from vectorstores.notices.pack import NoticeData, TalkWords, plain
from vectorstores.notices.regions import NATIONWIDE

Classify = Callable[[str], DomainClassificationResult]

_LONGEST = 160  # characters; a longer message tells a story, and is no search
_LONGEST_REFERENCE = 80
_NOTICE = "공고"
_ENDS = re.compile(r"[.?!~…\s]+$")
_SENTENCES = re.compile(r"[.?!]\s+\S")
_POLITE = re.compile(r"(?:요|용|염|욤|죠)$")
_PARTICLE = re.compile(r"(?:들)?(?:은|는|만|도|요|좀)?(?:요)?$")
_NAMES_NOTICE = re.compile(r"공고(?!히|문|일|상|용)")


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn as the ability for notices takes it.

    ``indexes`` into the list before, ``question`` about a notice, ``criteria`` of a search with its ``page``; ``ask_back`` names what is
    missing where it is a clarification.
    """

    intent: NoticeIntent
    pack: str
    indexes: tuple[int, ...] = ()
    question: str = ""
    criteria: Criteria | None = None
    page: int = 1
    unknown_place: str = ""
    ask_back: str = ""
    keeps_list: bool = False


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
        self._text = text
        self._detail_names = frozenset(plain(word) for words in data.words.synonyms.values() for word in words)

    def read(
        self, message: str, history: Sequence[Turn], state: SessionState, today: date, classify: Classify
    ) -> Reading | None:
        """Return the reading of a turn; None where it is not about notices. ``classify`` routes a question to domains."""
        shelf = self._shelf()
        if shelf.is_empty:
            return None
        state = _of_packs(state, shelf)
        words, squeezed = self._data.words, plain(_ENDS.sub("", message))
        if squeezed in words.thanks:
            return None
        key = self._pack(squeezed, state, shelf)
        if key is None:
            return None
        return (
            self._of_list(squeezed, state, key)
            or self._reference(message, squeezed, history, state, key, classify)
            or self._search(message, squeezed, state, key, today, classify)
            or self._detail(message, squeezed, history, state, key, classify)
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

    def _of_list(self, squeezed: str, state: SessionState, key: str) -> Reading | None:
        """More of the last list, or the same list again."""
        if state.search is None:
            return None
        bare = _POLITE.sub("", squeezed)
        kept = criteria_of(state)
        if squeezed in self._data.words.more or bare in self._data.words.more:
            return Reading(NoticeIntent.NEW_SEARCH, kept.pack, criteria=kept, page=state.search.page + 1)
        if squeezed in self._data.words.again or bare in self._data.words.again:
            return Reading(NoticeIntent.NEW_SEARCH, kept.pack, criteria=kept, page=state.search.page)
        return None

    def _reference(
        self, message: str, squeezed: str, history: Sequence[Turn], state: SessionState, key: str, classify: Classify
    ) -> Reading | None:
        indexes = references_in(message) if len(message) <= _LONGEST_REFERENCE else ()
        if not indexes:
            return None
        rest = without_references(message).strip()
        if not state.prev_anncs:
            told = any(turn.role == "assistant" for turn in history)
            asks = _NAMES_NOTICE.search(message) is not None or not (told or self.meaning(rest, key))
            if not asks or not self._is_bare(rest, key):
                return None
            return Reading(NoticeIntent.CLARIFICATION, key, ask_back="list")
        of_list = state.prev_anncs[0].pack
        if self._is_consultation(rest, of_list, _referred(state, indexes), classify):
            return None
        return Reading(NoticeIntent.REFERENCE_PREV, of_list, indexes=indexes, question=rest)

    def _search(
        self, message: str, squeezed: str, state: SessionState, key: str, today: date, classify: Classify
    ) -> Reading | None:
        words = self._data.words
        if len(message) > _LONGEST or any(word in squeezed for word in words.other_notices):
            return None
        stated = self._conditions.read(message, key, today)
        if (narrowed := self._narrowed(squeezed, stated, state, key, today)) is not None:
            return narrowed
        pack = self._data.packs[key]
        names = [word for word in (*pack.objects, *pack.kinds, _NOTICE) if plain(word) in squeezed]
        if not names:
            return None
        ending = _PARTICLE.sub("", squeezed)
        lists = any(word in squeezed for word in words.lists) or ending.endswith(tuple(map(plain, names)))
        deictic = any(word in squeezed for word in words.deictic) and state.selected_annc is not None
        if not lists or deictic or any(word in squeezed for word in words.consults):
            return None
        names_notice = _NAMES_NOTICE.search(message) is not None
        if not names_notice and any(word in squeezed for word in words.other_matters):
            return None
        if not (stated.is_concrete or (names_notice and self._says_which(stated))):
            return None
        if state.selected_annc is not None and not stated.is_concrete and self._asks_detail(squeezed, words):
            return None
        if not names_notice and (_SENTENCES.search(message) or self._other_domain(message, key, classify)):
            return None
        return Reading(NoticeIntent.NEW_SEARCH, key, criteria=stated.criteria, unknown_place=stated.unknown_place)

    def _narrowed(
        self, squeezed: str, stated: StatedConditions, state: SessionState, key: str, today: date
    ) -> Reading | None:
        """The last search with other conditions: 부산은?, 접수중인 것만, 그 중에 수출 분야."""
        if state.search is None or state.search.pack != key or len(squeezed) > 30:
            return None
        given = stated.criteria
        says = stated.is_concrete or given.fields or given.targets or given.stage
        names = any(plain(word) in squeezed for word in (*self._data.packs[key].objects, _NOTICE))
        if not says or stated.rest or names:
            return None
        if any(word in squeezed for word in self._data.words.consults):
            return None
        if any(word in squeezed for word in self._data.words.deictic) and not squeezed.startswith(
            ("그중", "이중", "여기서", "거기서", "그가운데", "이가운데")
        ):
            return None
        criteria = merged(criteria_of(state), given)
        return Reading(NoticeIntent.NEW_SEARCH, key, criteria=criteria, unknown_place=stated.unknown_place)

    def _detail(
        self, message: str, squeezed: str, history: Sequence[Turn], state: SessionState, key: str, classify: Classify
    ) -> Reading | None:
        words = self._data.words
        points = any(word in squeezed for word in words.deictic)
        asks = self._asks_detail(squeezed, words)
        if state.selected_annc is not None:
            selected = state.selected_annc
            meaning = self.meaning(message, selected.pack)
            known = bool(meaning) and len(self._foreign(meaning, selected.pack, (selected.id,))) * 2 < len(meaning)
            if not (points or asks or known):
                return None
            if self._is_consultation(message, selected.pack, (selected.id,), classify):
                return None
            return Reading(NoticeIntent.DETAIL_QUESTION, selected.pack, question=message)
        if len(message) > _LONGEST_REFERENCE:
            return None
        names_notice = re.search(r"(?:이|그|해당|저)\s?공고", message) is not None
        if state.prev_anncs and (points or asks) and self._is_bare(message, key):
            of_list = state.prev_anncs[0].pack
            if len(state.prev_anncs) == 1:
                return Reading(NoticeIntent.REFERENCE_PREV, of_list, indexes=(0,), question=message)
            return Reading(NoticeIntent.CLARIFICATION, of_list, ask_back="number", keeps_list=True)
        if names_notice and not state.prev_anncs and self._is_bare(message, key):
            return Reading(NoticeIntent.CLARIFICATION, key, ask_back="list")
        return None

    def _says_which(self, stated: StatedConditions) -> bool:
        given = stated.criteria
        return bool(given.fields or given.targets or given.stage or given.keywords)

    def _asks_detail(self, squeezed: str, words: TalkWords) -> bool:
        return any(word in squeezed for word in words.details)

    def meaning(self, text: str, key: str) -> tuple[str, ...]:
        """Return the nouns that a question is about, besides what is asked of any notice."""
        words = self._data.words
        found = self._conditions.nouns(text, key)
        return tuple(
            word
            for word in found
            if not any(known in word for known in words.details)
            and plain(word) not in words.deictic
            and plain(word) not in self._detail_names
        )

    def _is_bare(self, text: str, key: str) -> bool:
        return not self.meaning(text, key)

    def _foreign(self, meaning: Sequence[str], pack: str, ids: Sequence[str]) -> list[str]:
        """The words that none of these notices has."""
        texts = [self._text(pack, each) for each in ids]
        return [word for word in meaning if not any(plain(word) in text for text in texts)]

    def _is_consultation(self, text: str, pack: str, ids: Sequence[str], classify: Classify) -> bool:
        """Return whether a question in a conversation about notices is for the documents: most of what it names is in no notice."""
        meaning = self.meaning(text, pack)
        if not meaning:
            matters = any(word in plain(text) for word in self._data.words.other_matters)
            return matters and self._other_domain(text, pack, classify)
        if len(self._foreign(meaning, pack, ids)) * 2 < len(meaning):
            return False
        return classify(text).is_relevant

    def _other_domain(self, text: str, pack: str, classify: Classify) -> bool:
        """Return whether documents of a domain other than that of the notices answer a question."""
        result = classify(text)
        own = self._data.packs[pack].domain
        return result.is_relevant and any(name != own for name in result.domains)


def _of_packs(state: SessionState, shelf: Shelf) -> SessionState:
    """The state without what is of packs that there are not: a client may send anything, and packs may go."""
    listed = [ref for ref in state.prev_anncs if ref.pack in shelf.catalogues]
    selected, search = state.selected_annc, state.search
    return SessionState(
        prev_anncs=listed,
        selected_annc=selected if selected is not None and selected.pack in shelf.catalogues else None,
        search=search if search is not None and search.pack in shelf.catalogues else None,
    )


def criteria_of(state: SessionState) -> Criteria:
    """Return the conditions of the last list."""
    kept = state.search
    assert kept is not None, "there is a last list"
    return Criteria(
        pack=kept.pack,
        keywords=tuple(kept.keywords),
        regions=tuple(name for name in kept.regions if name != NATIONWIDE),
        cities=tuple(kept.cities),
        nationwide=NATIONWIDE in kept.regions,
        fields=tuple(kept.fields),
        targets=tuple(kept.targets),
        stage=kept.stage,
        statuses=tuple(status for status in NoticeStatus if status.value in kept.statuses),
        agency=kept.agency,
        year=kept.year,
        ends_from=kept.ends_from,
        ends_to=kept.ends_to,
        open_on=kept.open_on,
    )


def merged(before: Criteria, given: Criteria) -> Criteria:
    """Return the conditions of before with those that were given in their place."""
    changes: dict[str, object] = {}
    if given.regions or given.nationwide:
        changes |= {"regions": given.regions, "cities": given.cities, "nationwide": given.nationwide}
    for name in ("fields", "targets", "stage", "statuses", "agency"):
        if value := getattr(given, name):
            changes[name] = value
    times = ("year", "ends_from", "ends_to", "open_on")
    if any(getattr(given, name) is not None for name in times):
        changes |= {name: getattr(given, name) for name in times}
    return replace(before, **changes)  # type: ignore[arg-type]


def _referred(state: SessionState, indexes: Sequence[int]) -> list[str]:
    size = len(state.prev_anncs)
    return [state.prev_anncs[index].id for index in indexes if index == LAST or 0 <= index < size]
