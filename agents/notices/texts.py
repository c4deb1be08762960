"""The texts of notices, analysed at the first question on each and kept for the next ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from schemas.notice_state import NoticeRef
from utils.protocols import Analyzer, Embedder
from vectorstores.notices.errors import NoticesUnavailable
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.notice import Notice
from vectorstores.notices.pack import plain
from vectorstores.notices.passages import FoundPassage, NoticeText, facts_of

_KEPT = 32  # analysed notices
_QUOTED = 3  # passages of an answer
_OF_WORDS = 2  # of which have a word of the question, where others have what it asks for by its name


class NoticeTexts:
    """Gives the text of a notice, whole or as passages. Reads the database and computes: use it in a thread."""

    def __init__(self, library: NoticeLibrary, analyzer: Analyzer, embedder: Embedder) -> None:
        self._library = library
        self._analyzer = analyzer
        self._embedder = embedder
        self._texts = lru_cache(_KEPT)(self._text)
        self._body = lru_cache(_KEPT)(self._read_body)

    def notice(self, ref: NoticeRef) -> Notice | None:
        """Return the notice that a list named; None where it is gone."""
        catalogue = self._library.shelf.catalogues.get(ref.pack)
        return catalogue.get(ref.id) if catalogue is not None else None

    def passages(self, notice: Notice, today: date) -> tuple[NoticeText, bool]:
        """Return the passages of a notice, and whether its body is among them: the database may be away."""
        try:
            return self._texts(notice, self._library.version, today), True
        except NoticesUnavailable:
            return self._facts(notice, "", today), False

    def plain_text(self, pack: str, notice_id: str) -> str:
        """Return all that a notice says, as words are compared; its head alone where the database is away."""
        notice = self.notice(NoticeRef(pack=pack, id=notice_id))
        if notice is None:
            return ""
        record = notice.record
        head = f"{record.title}{record.summary}{record.target}{record.agency}{record.region}{record.field}"
        try:
            return plain(head + self._body(pack, notice_id, self._library.version))
        except NoticesUnavailable:
            return plain(head)

    def _read_body(self, pack: str, notice_id: str, version: str) -> str:
        """The body of a notice; ``version`` is the state of the notices that it is kept for."""
        return self._library.body(pack, notice_id)

    def _text(self, notice: Notice, version: str, today: date) -> NoticeText:
        """The analysed text of a notice; ``version`` and ``today`` are those that it is kept for."""
        return self._facts(notice, self._body(notice.record.pack, notice.record.id, version), today)

    def _facts(self, notice: Notice, body: str, today: date) -> NoticeText:
        pack = self._library.data.packs[notice.record.pack]
        facts = facts_of(notice, notice.status_on(today, pack), pack, today)
        return NoticeText(facts, f"{notice.record.summary}\n{body}", self._analyzer, self._embedder)


def telling(found: Sequence[FoundPassage], expansion: Sequence[str], about: Sequence[str]) -> list[FoundPassage]:
    """Return the passages that tell something of what was asked, the best first.

    They have a number of what was asked for, a word of what it is ``about``, or a name that means the same.
    """
    labels = [plain(word) for word in expansion]
    words = [plain(word) for word in about]
    of_words = [each for each in found if any(word in plain(each.passage.text) for word in words)]
    of_labels = [each for each in found if any(label in plain(each.passage.text) for label in labels)]
    named = [each for each in of_labels if each.is_named]
    usual = [*of_words[:_OF_WORDS], *named, *of_words[_OF_WORDS:]] or of_labels
    counted = [each for each in found if each.is_counted]
    counted = [each for each in counted if each.is_sure or each in usual] or counted
    counted = sorted(counted, key=lambda each: not each.is_sure)
    return list(dict.fromkeys([*counted, *usual]))[:_QUOTED]
