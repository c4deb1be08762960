"""The notices of a pack in memory, with the search over them. Immutable; another state of the store makes another one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from schemas.funding.notices import FitReason, NoticeStatus
from utils.protocols import Analyzer
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.fit import fit_of
from vectorstores.notices.notice import Notice, age_limits, distinct, highest_amount, staff_limits
from vectorstores.notices.pack import NoticePack, plain
from vectorstores.notices.regions import Regions
from vectorstores.notices.store import StoredNotice, searched_text

_IN_TITLE = 3.0  # weight of a word in the title; 1 anywhere else
_BY_KEYWORDS = 4.0  # weight of the best match of the keywords beside the other conditions
_AND_OTHERS = " 외"  # 대구광역시 외: the title tells which
_WITHOUT_END = date.max


@dataclass(frozen=True, slots=True)
class FoundNotice:
    """A notice that meets the conditions, its state on the day asked, and why it fits."""

    notice: Notice
    status: NoticeStatus
    score: float
    reasons: tuple[FitReason, ...]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """All notices found, best first. ``relaxed``: none had every keyword, these have some of them.

    ``closed`` is how many more there would be with those past their deadline.
    """

    found: tuple[FoundNotice, ...]
    relaxed: bool = False
    closed: int = 0


class Catalogue:
    """Notices of a pack; all methods are computation alone."""

    def __init__(self, pack: NoticePack, regions: Regions, notices: Iterable[Notice], analyzer: Analyzer) -> None:
        self.pack = pack
        self.regions = regions
        self.notices = tuple(notices)
        self._analyzer = analyzer
        self._by_id = {notice.record.id: notice for notice in self.notices}

    def __len__(self) -> int:
        return len(self.notices)

    def get(self, notice_id: str) -> Notice | None:
        """Return the notice of an id."""
        return self._by_id.get(notice_id)

    @cached_property
    def rarity(self) -> Mapping[str, float]:
        """Inverse document frequency of each term."""
        counts = Counter(term for notice in self.notices for term in notice.terms | notice.title_terms)
        total = len(self.notices)
        return {term: math.log(1 + (total - count + 0.5) / (count + 0.5)) for term, count in counts.items()}

    def knows(self, term: str) -> bool:
        """Return whether any notice has the term."""
        return term in self.rarity

    def knows_word(self, word: str) -> bool:
        """Return whether some notice has a word that was asked for, or one that means the same."""
        groups = self.alternatives(word)
        return bool(groups) and all(any(map(self.knows, group)) for group in groups)

    def knows_agency(self, name: str) -> bool:
        """Return whether some notice is of an agency with this in its name."""
        return any(plain(name) in plain(notice.record.agency) for notice in self.notices)

    def search(self, wanted: Criteria, today: date, sort: str = "fit") -> SearchOutcome:
        """Return the notices that meet the conditions on a day; the order is the same for the same question."""
        groups = [self.alternatives(word) for word in wanted.keywords]
        groups = [group for group in groups if group]
        found, closed = self._meeting(wanted, groups, today, everything=True)
        relaxed = False
        if not found and not closed and len(groups) > 1:
            found, closed = self._meeting(wanted, groups, today, everything=False)
            relaxed = bool(found)
        key = _by_deadline if sort == "deadline" else _by_fit
        return SearchOutcome(tuple(sorted(found, key=key)), relaxed, closed)

    def alternatives(self, word: str) -> tuple[frozenset[str], ...]:
        """Return the terms of a keyword, each with its synonyms; any of a set will do, all sets must match."""
        synonyms = self.pack.synonyms
        terms = [term for term in self._analyzer.terms(word) if len(term) > 1 or not term.isascii()]
        if not terms:
            return ()
        return tuple(frozenset({term, *(other.casefold() for other in synonyms.get(term, ()))}) for term in terms)

    def _meeting(
        self, wanted: Criteria, groups: Sequence[tuple[frozenset[str], ...]], today: date, *, everything: bool
    ) -> tuple[list[FoundNotice], int]:
        found: list[tuple[FoundNotice, float]] = []
        closed = 0
        words = tuple(plain(word) for word in wanted.keywords)
        for notice in self.notices:
            told = self._keywords(notice, groups, words, everything=everything)
            if told is None:
                continue
            status = notice.status_on(today, self.pack)
            fits = fit_of(notice, wanted, status, self.pack)
            if fits is None:
                continue
            if not (wanted.wanted(status, today) or self._is_rolling(notice, wanted, status)):
                closed += status is NoticeStatus.CLOSED
                continue
            reasons = tuple(fit.reason for fit in fits if fit.reason is not None)
            if groups:
                reasons = (_keyword_reason(notice, wanted.keywords), *reasons)
            found.append((FoundNotice(notice, status, sum(fit.score for fit in fits), reasons), told))
        best = max((told for _, told in found), default=0.0) or 1.0
        return [replace(each, score=each.score + _BY_KEYWORDS * told / best) for each, told in found], closed

    def _is_rolling(self, notice: Notice, wanted: Criteria, status: NoticeStatus) -> bool:
        """Return whether an open notice is wanted as one that takes applications at any time, by its title: 상시모집."""
        if NoticeStatus.ROLLING not in wanted.statuses or status is NoticeStatus.CLOSED:
            return False
        return any(plain(word) in notice.plain_title for word in self.pack.statuses[NoticeStatus.ROLLING].words)

    def _keywords(
        self, notice: Notice, groups: Sequence[tuple[frozenset[str], ...]], words: Sequence[str], *, everything: bool
    ) -> float | None:
        """Return how much a notice has of the keywords; None where it has too little of them."""
        total, matched = 0.0, 0
        for group, word in zip(groups, words, strict=False):
            of_word = [self._term(notice, terms) for terms in group]
            if word in notice.plain_title:
                of_word = [
                    max(weight, _IN_TITLE, *(self.rarity.get(term, 0.0) * _IN_TITLE for term in terms))
                    for weight, terms in zip(of_word, group, strict=True)
                ]
            matched += all(weight > 0 for weight in of_word)
            total += sum(of_word)
        if groups and (matched < len(groups) if everything else not matched):
            return None
        return total

    def _term(self, notice: Notice, terms: frozenset[str]) -> float:
        in_title = max((self.rarity[term] for term in terms if term in notice.title_terms), default=0.0)
        if in_title:
            return in_title * _IN_TITLE
        return max((self.rarity[term] for term in terms if term in notice.terms), default=0.0)


def read_notices(
    stored: Iterable[StoredNotice], pack: NoticePack, regions: Regions, analyzer: Analyzer
) -> list[Notice]:
    """Return the stored notices of a pack ready for searching; those of another analyser are analysed again."""
    return [_notice(each, pack, regions, analyzer) for each in stored if each.record.pack == pack.key]


def _notice(stored: StoredNotice, pack: NoticePack, regions: Regions, analyzer: Analyzer) -> Notice:
    record = stored.record
    title_terms, terms = stored.title_terms, stored.terms
    if stored.tokenizer != analyzer.id:
        title_terms, terms = tuple(analyzer.terms(record.title)), tuple(analyzer.terms(searched_text(record)))
    named = regions.listed(record.region)
    if record.region.endswith(_AND_OTHERS):
        named = tuple(dict.fromkeys((*named, *regions.read(record.title).regions)))
    text = f"{record.title}\n{record.summary}"
    return Notice(
        record=record,
        regions=named,
        cities=regions.cities_in(f"{text}\n{record.agency}", named, record.title),
        fields=distinct(pack.field_of(part) or part.strip() for part in record.field.split(",")),
        targets=distinct(pack.target_of(part) or part.strip() for part in record.target.split(",")[:5]),
        title_terms=frozenset(title_terms),
        terms=frozenset(terms),
        amount=highest_amount(record.summary),
        years=age_limits(f"{text}\n{record.target}"),
        staff=staff_limits(record.summary),
        for_founders="예비창업" in plain(f"{text}{record.target}"),
        plain_title=plain(record.title),
    )


def _keyword_reason(notice: Notice, keywords: Sequence[str]) -> FitReason:
    told = ", ".join(keywords)
    where = "제목" if any(plain(word) in notice.plain_title for word in keywords) else "내용"
    return FitReason(criterion="검색어", verdict="fits", text=f"{where}에 ‘{told}’이(가) 있습니다.")


def _by_fit(found: FoundNotice) -> tuple[float, date, str]:
    return -round(found.score, 6), found.notice.record.apply_end or _WITHOUT_END, found.notice.record.id


def _by_deadline(found: FoundNotice) -> tuple[bool, date, float, str]:
    record = found.notice.record
    closed = found.status is NoticeStatus.CLOSED
    return closed, record.apply_end or _WITHOUT_END, -round(found.score, 6), record.id
