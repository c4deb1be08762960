"""Conditions of a search for notices, in the names of their pack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from schemas.funding.notices import NoticeStatus

_ALL = "마감된 것 포함"


@dataclass(frozen=True, slots=True)
class Criteria:
    """Conditions that a notice has to meet; empty ones are none.

    ``statuses`` empty: all but closed ones. A condition on which a notice says nothing is not failed by it: its reason says so.
    ``regions_of_company`` tells that they are where the asker sits, not what was asked for.
    """

    pack: str
    keywords: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    cities: tuple[str, ...] = ()
    nationwide: bool = False
    fields: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    stage: str = ""
    statuses: tuple[NoticeStatus, ...] = ()
    agency: str = ""
    year: int | None = None
    years_in_business: float | None = None
    is_founded: bool = True
    employees: int | None = None
    industry: str = ""
    amount_min: int | None = None
    ends_from: date | None = None
    ends_to: date | None = None
    open_on: date | None = None
    regions_of_company: bool = False

    @property
    def is_empty(self) -> bool:
        """Return True if nothing was asked for."""
        return self == Criteria(self.pack)

    @property
    def is_told(self) -> bool:
        """Return True if a place, a time, a state or an agency was asked for."""
        times = (self.year, self.ends_from, self.ends_to, self.open_on)
        places = self.regions or self.nationwide
        return bool(places or self.statuses or self.agency or any(value is not None for value in times))

    def wanted(self, status: NoticeStatus, today: date) -> bool:
        """Return whether a notice of this status is wanted."""
        if self.statuses:
            return status in self.statuses
        return status is not NoticeStatus.CLOSED or self._is_past(today)

    def _is_past(self, today: date) -> bool:
        """Return True if the time asked for may lie behind."""
        if self.year is not None or self.open_on is not None:
            return True
        return self.ends_to is not None and self.ends_to < today

    def with_statuses(self, *statuses: NoticeStatus) -> Criteria:
        """Return the same conditions for these states."""
        return replace(self, statuses=statuses)

    def with_keywords(self, *keywords: str) -> Criteria:
        """Return the same conditions with these keywords."""
        return replace(self, keywords=keywords)

    def described(self, labels: dict[NoticeStatus, str]) -> dict[str, str]:
        """Return the conditions as people read them, by name."""
        ends = f"{self.ends_from or ''} ~ {self.ends_to or ''}" if self.ends_from or self.ends_to else ""
        regions = [*(["전국"] if self.nationwide else []), *(self.regions or ())]
        told = {
            "지역": ", ".join([*regions, *self.cities]),
            "분야": ", ".join(self.fields),
            "대상": ", ".join(self.targets),
            "단계": self.stage,
            "상태": _ALL
            if set(self.statuses) == set(NoticeStatus)
            else ", ".join(labels[each] for each in self.statuses),
            "검색어": ", ".join(self.keywords),
            "기관": self.agency,
            "연도": f"{self.year}년" if self.year else "",
            "마감": ends.strip(),
            "접수일": self.open_on.isoformat() if self.open_on else "",
            "업력": f"{self.years_in_business:g}년" if self.years_in_business is not None else "",
            "인원": f"{self.employees}명" if self.employees is not None else "",
            "업종": self.industry,
            "금액": f"{self.amount_min:,}원 이상" if self.amount_min else "",
        }
        return {name: value for name, value in told.items() if value}
