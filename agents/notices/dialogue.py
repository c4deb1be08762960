"""The ability to talk about notices: lists, references to them, and questions on a selected one, answered from that one's text alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from agents.notices import replies
from agents.notices.conditions import ConditionReader
from agents.notices.intents import IntentReader
from agents.notices.kept_search import kept_search
from agents.notices.reading import EVERYTHING, Classify, Focus, Reading
from agents.notices.references import LAST
from agents.notices.searching import NoticeSearch, funding_action, funding_params, item_of, labels_of
from agents.notices.texts import NoticeTexts, telling
from schemas.chat import ActionItem, Degradation, Scalar, SessionState, SourceItem, Turn, UserContext
from schemas.funding.notices import NoticeItem
from schemas.notice_state import DebugInfo, NoticeIntent, NoticeRef
from utils.protocols import Analyzer, Embedder
from vectorstores.notices.catalogue import Catalogue, FoundNotice
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.notice import Notice
from vectorstores.notices.pack import plain
from vectorstores.notices.passages import asked_unit, expanded, readable_line
from vectorstores.notices.regions import NATIONWIDE

_PAGE = 10  # notices of a list in an answer
_LONGEST_QUOTE = 420  # a passage comes whole, so that its end is not what was asked for
_MOST_COMPARED = 5
_FOR_MODEL = 6  # passages of one notice that a model answers from


@dataclass(frozen=True, slots=True)
class NoticeAnswer:
    """An answer about notices, with the state for the next turn. ``found`` are the ids that it is about, in order.

    Where it quotes one notice, ``question`` is what was asked, ``passages`` are what a model may answer it from, those quoted first, and ``closing``
    are the lines below the quotations.
    """

    content: str
    sources: tuple[SourceItem, ...]
    actions: tuple[ActionItem, ...]
    state: SessionState
    debug: DebugInfo
    degraded: tuple[Degradation, ...]
    domain: str
    found: tuple[str, ...] = ()
    question: str = ""
    passages: tuple[SourceItem, ...] = ()
    closing: tuple[str, ...] = ()


class NoticeDialogue:
    """Reads and answers turns. Computation and reads of the database: run it in a thread."""

    def __init__(self, library: NoticeLibrary, analyzer: Analyzer, embedder: Embedder) -> None:
        self.library = library
        self.search = NoticeSearch(library)
        self.conditions = ConditionReader(library.data, analyzer)
        self.texts = NoticeTexts(library, analyzer, embedder)
        self._intents = IntentReader(library.data, self.conditions, lambda: library.shelf, self.texts.plain_text)

    def read(
        self,
        message: str,
        history: Sequence[Turn],
        state: SessionState | None,
        today: date,
        classify: Classify,
        focus: Focus = EVERYTHING,
    ) -> Reading | None:
        """Return how a turn is to be answered; None where it is not about notices, or not about those of the ``focus``."""
        return self._intents.read(message, history, state or SessionState(), today, classify, focus)

    def answer(
        self, reading: Reading, state: SessionState | None, context: UserContext | None, today: date
    ) -> NoticeAnswer:
        """Return the answer to a turn that was read so."""
        before = state or SessionState()
        match reading.intent:
            case NoticeIntent.NEW_SEARCH:
                answer = self._listed(reading, before, context, today)
            case NoticeIntent.REFERENCE_PREV:
                answer = self._referred(reading, before, today)
            case NoticeIntent.DETAIL_QUESTION:
                answer = self._of_selected(reading, before, today)
            case NoticeIntent.CLARIFICATION:
                answer = self._asked_back(reading, before)
            case _:
                answer = self._of_pack(reading, before, today)
        return replace(answer, degraded=self.library.degradations(reading.pack))

    def params_for(
        self, question: str, context: UserContext | None, today: date, usual: Mapping[str, object]
    ) -> dict[str, Scalar]:
        """Return the body for ``POST /api/funding/search`` that a question to be answered from documents suggests.

        Its other nouns are no keywords: they tell what is asked, not which notices. ``usual`` stands in where neither it nor the profile
        tells anything.
        """
        key = next(iter(self.library.data.packs))
        pack, regions = self.library.data.packs[key], self.library.data.regions[key]
        stated = self.conditions.read(question, key, today).criteria
        told = funding_params(replace(stated, keywords=(), statuses=()), context, pack, regions)
        plain_usual = {name: value for name, value in usual.items() if isinstance(value, str | int | float | bool)}
        return told if len(told) > 1 else {**plain_usual, **told}

    def _listed(self, reading: Reading, before: SessionState, context: UserContext | None, today: date) -> NoticeAnswer:
        assert reading.criteria is not None, "a search has conditions"
        pack, regions = self.library.data.packs[reading.pack], self.library.data.regions[reading.pack]
        criteria = reading.criteria
        if reading.unknown_place:
            names = ", ".join((NATIONWIDE, *regions.names))
            told = replies.UNKNOWN_PLACE.format(place=reading.unknown_place, names=names)
            asked_back = replace(reading, intent=NoticeIntent.CLARIFICATION)
            # the next turn may name another place alone
            kept = before.model_copy(update={"search": kept_search(criteria, 1, reading.sort)})
            return self._said(asked_back, told, kept, conditions={"지역": reading.unknown_place})
        catalogue = self.library.shelf.catalogues[reading.pack]
        if criteria.agency and not catalogue.knows_agency(criteria.agency):
            criteria = replace(criteria, agency="", keywords=(*criteria.keywords, criteria.agency))
        outcome = catalogue.search(criteria, today, reading.sort)
        unknown = [word for word in criteria.keywords if not catalogue.knows_word(word)]
        known = criteria.with_keywords(*(word for word in criteria.keywords if word not in unknown))
        if not outcome.found and unknown and not known.is_empty:
            # a word that no notice has tells none apart: 순서대로, 저희 동네
            criteria, outcome = known, catalogue.search(known, today, reading.sort)
        else:
            unknown = []
        conditions = criteria.described(labels_of(pack))
        action = funding_action(criteria, context, pack, regions)
        first = (reading.page - 1) * _PAGE
        page = outcome.found[first : first + _PAGE]
        if not page:
            told = self._nothing(reading, catalogue, conditions, outcome.closed, today, bool(outcome.found))
            search = before.search if outcome.found else kept_search(criteria, 1, reading.sort)
            kept = before.model_copy(update={"search": search})
            return replace(self._said(reading, told, kept, conditions=conditions), actions=(action,))
        items = [item_of(found, pack, today) for found in page]
        head = replies.list_head(conditions, pack, len(outcome.found), first + 1, first + len(items), today)
        notes = [replies.NOT_AS_ASKED] if outcome.relaxed else []
        if unknown:
            notes.append(replies.LEFT_OUT.format(words=", ".join(unknown)))
        lines = [head, *notes, ""]
        lines += [replies.list_line(number, item) for number, item in enumerate(items, start=1)]
        is_single = len(outcome.found) == 1
        lines += ["", replies.ASK_ON if is_single else replies.PICK]
        if len(outcome.found) > first + len(items):
            lines[-1] += f" {replies.MORE}"
        refs = [NoticeRef(pack=item.pack, id=item.id, title=item.title) for item in items]
        state = SessionState(
            prev_anncs=refs,
            selected_annc=refs[0] if is_single else None,
            search=kept_search(criteria, reading.page, reading.sort),
        )
        sources = tuple(replies.source_of(number, item) for number, item in enumerate(items, start=1))
        answer = self._said(reading, "\n".join(lines), state, conditions=conditions)
        return replace(answer, sources=sources, actions=(action,), found=tuple(item.id for item in items))

    def _nothing(
        self,
        reading: Reading,
        catalogue: Catalogue,
        conditions: dict[str, str],
        closed: int,
        today: date,
        has_more: bool,
    ) -> str:
        if has_more:
            return "더 보여 드릴 공고가 없습니다. 조건을 바꾸어 다시 찾아 보세요."
        assert reading.criteria is not None
        unknown = [
            word
            for word in reading.criteria.keywords
            if not any(catalogue.knows(term) for group in catalogue.alternatives(word) for term in group)
        ]
        return replies.nothing_found(conditions, catalogue.pack, closed, today, unknown)

    def _referred(self, reading: Reading, before: SessionState, today: date) -> NoticeAnswer:
        listed = before.prev_anncs
        wrong = next((index for index in reading.indexes if index != LAST and not 0 <= index < len(listed)), None)
        if wrong is not None:
            told = replies.OUT_OF_RANGE.format(count=len(listed), number=max(wrong + 1, 0))
            return self._said(replace(reading, intent=NoticeIntent.CLARIFICATION), told, before)
        refs = [listed[index] for index in reading.indexes][:_MOST_COMPARED]
        found = [each for each in map(self.texts.notice, refs) if each is not None]
        if not found:
            return self._said(reading, replies.GONE.format(title=refs[0].title), before)
        if len(found) > 1:
            return self._compared(reading, found, before, today)
        selected = before.model_copy(update={"selected_annc": _ref(found[0])})
        return self._told_of(reading, found[0], selected, today)

    def _told_of(self, reading: Reading, notice: Notice, state: SessionState, today: date) -> NoticeAnswer:
        """The part of a notice that answers a question; the notice in short where nothing particular is asked."""
        if self._asks(reading.question, reading.pack):
            return self._answered(reading, notice, state, today)
        item = self._item(notice, today)
        answer = self._said(reading, replies.summary_of(item), state)
        return replace(answer, sources=(replies.source_of(1, item),), found=(item.id,))

    def _compared(self, reading: Reading, found: Sequence[Notice], before: SessionState, today: date) -> NoticeAnswer:
        items = [self._item(notice, today) for notice in found]
        sources = tuple(replies.source_of(number, item) for number, item in enumerate(items, start=1))
        # the numbers that are asked for next are those of this answer
        state = before.model_copy(update={"prev_anncs": [_ref(notice) for notice in found], "selected_annc": None})
        answer = self._said(reading, replies.compared(items), state)
        return replace(answer, sources=sources, found=tuple(item.id for item in items))

    def _of_selected(self, reading: Reading, before: SessionState, today: date) -> NoticeAnswer:
        assert before.selected_annc is not None, "a notice is selected"
        notice = self.texts.notice(before.selected_annc)
        if notice is None:
            return self._gone(reading, before)
        return self._told_of(reading, notice, before, today)

    def _of_pack(self, reading: Reading, before: SessionState, today: date) -> NoticeAnswer:
        """The reply to an intent that the pack adds."""
        pack = self.library.data.packs[reading.pack]
        intent = next(each for each in pack.intents if each.name == reading.intent)
        if intent.needs == "nothing":
            return self._said(reading, intent.reply, before)
        assert before.selected_annc is not None, "a notice is selected"
        notice = self.texts.notice(before.selected_annc)
        if notice is None:
            return self._gone(reading, before)
        item = self._item(notice, today)
        answer = self._said(reading, replies.filled(intent.reply, item), before)
        return replace(answer, sources=(replies.source_of(1, item),), found=(item.id,))

    def _gone(self, reading: Reading, before: SessionState) -> NoticeAnswer:
        assert before.selected_annc is not None, "a notice is selected"
        told = replies.GONE.format(title=before.selected_annc.title)
        return self._said(reading, told, before.model_copy(update={"selected_annc": None}))

    def _answered(self, reading: Reading, notice: Notice, state: SessionState, today: date) -> NoticeAnswer:
        """The passages of one notice that answer a question, quoted."""
        words = self.library.data.words
        question = reading.question
        expansion = expanded(question, words.synonyms, words.outranks)
        item = self._item(notice, today)
        text, is_whole = self.texts.passages(notice, today)
        note = "" if is_whole else replies.TEXT_AWAY
        about = self._intents.matters.named(question, reading.pack)
        best = text.search(question, expansion, asked_unit(question))
        told = telling(best, expansion, about)
        debug = {"공고": notice.record.id}
        if not told:
            contact = f" 원문을 확인하거나 {item.agency or '담당 기관'}에 문의해 주세요."
            contact += f" 원문: {item.url}" if item.url else ""
            content = replies.NO_TEXT.format(title=item.title, contact=contact)
            answer = self._said(reading, f"{content}\n{note}".strip(), state, expansion, debug)
            return replace(answer, found=(item.id,))
        lines = [f"‘{item.title}’ 공고의 내용입니다."]
        lines += [
            f"- {readable_line(found.passage.text, _LONGEST_QUOTE)} [{number}]"
            for number, found in enumerate(told, start=1)
        ]
        address = f"자세한 내용은 원문을 확인해 주세요: {item.url}" if item.url else ""
        closing = tuple(line for line in (address, note) if line)
        passages = tuple(
            replies.source_of(number, item, found.passage.text)
            for number, found in enumerate([*told, *(each for each in best if each not in told)][:_FOR_MODEL], start=1)
        )
        answer = self._said(reading, "\n".join([*lines, *closing]), state, expansion, debug)
        return replace(
            answer,
            sources=passages[: len(told)],
            found=(item.id,),
            question=question,
            passages=passages,
            closing=closing,
        )

    def _asked_back(self, reading: Reading, before: SessionState) -> NoticeAnswer:
        if reading.ask_back == "number":
            told = replies.WHICH.format(count=len(before.prev_anncs))
        else:
            examples = self.library.data.packs[reading.pack].examples
            told = replies.NO_LIST.format(example=examples[0] if examples else "공고 찾아줘")
        return self._said(reading, told, before)

    def _said(
        self,
        reading: Reading,
        content: str,
        state: SessionState,
        expansion: Sequence[str] = (),
        conditions: dict[str, str] | None = None,
    ) -> NoticeAnswer:
        debug = DebugInfo(
            intent=str(reading.intent), pack=reading.pack, expansion=list(expansion), conditions=conditions or {}
        )
        return NoticeAnswer(content, (), (), state, debug, (), self.library.data.packs[reading.pack].domain)

    def _asks(self, question: str, pack: str) -> bool:
        """Return whether a reference comes with a question; 자세히 알려줘 is none."""
        asked = plain(question)
        if expanded(question, self.library.data.words.synonyms, self.library.data.words.outranks) or asked_unit(
            question
        ):
            return True
        return bool(self.conditions.nouns(question, pack)) and not any(word in asked for word in _IN_GENERAL)

    def _item(self, notice: Notice, today: date) -> NoticeItem:
        pack = self.library.data.packs[notice.record.pack]
        return item_of(FoundNotice(notice, notice.status_on(today, pack), 0.0, ()), pack, today)


_IN_GENERAL = ("자세", "설명", "요약", "상세", "골라", "선택", "볼게", "보여", "내용")


def _ref(notice: Notice) -> NoticeRef:
    return NoticeRef(pack=notice.record.pack, id=notice.record.id, title=notice.record.title)
