"""The fit of a notice to conditions: whether it meets them, how well, and why."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.funding.notices import FitReason, NoticeStatus
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.notice import Notice
from vectorstores.notices.pack import NoticePack, plain
from vectorstores.notices.regions import NATIONWIDE

_OF_STATUS = {NoticeStatus.OPEN: 0.6, NoticeStatus.ROLLING: 0.5, NoticeStatus.UPCOMING: 0.4, NoticeStatus.UNKNOWN: 0.1}


@dataclass(frozen=True, slots=True)
class Fit:
    """The outcome of one condition: what it adds to the score, and the reason to show."""

    score: float
    reason: FitReason | None = None


_FREE = Fit(0.0)


def fit_of(notice: Notice, wanted: Criteria, status: NoticeStatus, pack: NoticePack) -> list[Fit] | None:
    """Return how a notice meets each condition besides keywords and status; None where it fails any."""
    fits = [Fit(_OF_STATUS.get(status, 0.0))]
    checks = (_region, _field, _target, _agency, _year, _deadline, _opened, _stage, _age, _staff, _industry, _amount)
    for check in checks:
        found = check(notice, wanted, pack)
        if found is None:
            return None
        fits.append(found)
    return fits


def _fits(criterion: str, score: float, text: str) -> Fit:
    return Fit(score, FitReason(criterion=criterion, verdict="fits", text=text))


def _unchecked(criterion: str, text: str, score: float = 0.0) -> Fit:
    return Fit(score, FitReason(criterion=criterion, verdict="unchecked", text=text))


def _region(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if not wanted.regions and not wanted.nationwide:
        return _FREE
    if NATIONWIDE in notice.regions:
        if wanted.nationwide or pack.national_fits_all:
            return _fits("지역", 3.0 if wanted.nationwide else 1.0, "전국 공고입니다.")
        return None
    if not notice.regions:
        return None if wanted.nationwide else _unchecked("지역", "공고에 지역이 적혀 있지 않습니다.", 0.3)
    shared = [name for name in wanted.regions if name in notice.regions]
    if not shared:
        return None
    if wanted.cities and notice.cities:
        cities = [city for city in wanted.cities if city in notice.cities]
        return _fits("지역", 5.0, f"{', '.join(cities)} 공고입니다.") if cities else None
    if wanted.cities:
        return _fits("지역", 3.0, f"{shared[0]} 공고입니다. {wanted.cities[0]}에만 해당하는지는 적혀 있지 않습니다.")
    return _fits("지역", 4.0, f"{', '.join(shared)} 공고입니다.")


def _field(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if not wanted.fields:
        return _FREE
    if notice.fields:
        # 행복주택 is also what 행복주택(신혼희망) is
        shared = [
            name for name in wanted.fields if any(own == name or own.startswith(f"{name}(") for own in notice.fields)
        ]
        met = {pack.filter_of(name) for name in shared}
        if met != {pack.filter_of(name) for name in wanted.fields}:
            return None
        return _fits(", ".join(sorted(met)), 2.0, f"{', '.join(shared)} 분야입니다.")
    words = [word for name in wanted.fields for word in pack.fields.get(name, (name,))]
    if any(plain(word) in notice.plain_title for word in words):
        return _unchecked("분야", "분야가 따로 적혀 있지 않고, 제목으로 보아 맞습니다.", 1.2)
    if any(plain(word) in plain(notice.record.summary) for word in words):
        return _unchecked("분야", "분야가 따로 적혀 있지 않고, 요약에 그 말이 나옵니다.", 0.4)
    return None


def _target(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if not wanted.targets:
        return _FREE
    if not notice.targets:
        return _unchecked("대상", "지원대상이 따로 적혀 있지 않습니다.")
    shared = [name for name in wanted.targets if name in notice.targets]
    return _fits("대상", 1.5, f"지원대상이 {', '.join(shared)}입니다.") if shared else None


def _agency(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if not wanted.agency:
        return _FREE
    return _fits("기관", 1.0, notice.record.agency) if plain(wanted.agency) in plain(notice.record.agency) else None


def _year(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if wanted.year is None:
        return _FREE
    return _fits("연도", 0.0, f"{wanted.year}년 공고입니다.") if notice.record.year == wanted.year else None


def _deadline(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if wanted.ends_from is None and wanted.ends_to is None:
        return _FREE
    end = notice.record.apply_end
    if end is None or (wanted.ends_from and end < wanted.ends_from) or (wanted.ends_to and end > wanted.ends_to):
        return None
    return _fits("마감", 1.0, f"마감이 {end.isoformat()}입니다.")


def _opened(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if wanted.open_on is None:
        return _FREE
    start, end = notice.record.apply_start, notice.record.apply_end
    if start is None or end is None or not start <= wanted.open_on <= end:
        return None
    return _fits("접수일", 1.0, f"접수 기간이 {start.isoformat()}부터 {end.isoformat()}까지입니다.")


def _stage(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if not wanted.stage:
        return _FREE
    low, high = pack.stages[wanted.stage].years
    if (low, high) == (0.0, 0.0):
        if notice.for_founders:
            return _fits("단계", 1.0, "예비창업자를 대상으로 합니다.")
        if notice.years.is_told:
            return None
    elif notice.years.is_told:
        below, above = notice.years.low or 0.0, notice.years.high
        if below >= high or (above is not None and above <= low):
            return None
        return _fits("단계", 1.0, f"업력 {_years(notice)}인 기업이 대상입니다.")
    return _unchecked("단계", "공고 요약에 업력 조건이 적혀 있지 않습니다.")


def _age(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if not wanted.is_founded:
        if notice.for_founders:
            return _fits("업력", 1.0, "예비창업자를 대상으로 합니다.")
        return _unchecked("업력", "창업하기 전에도 신청할 수 있는지 적혀 있지 않습니다.")
    if wanted.years_in_business is None:
        return _FREE
    if not notice.years.is_told:
        return _unchecked("업력", "공고 요약에 업력 조건이 적혀 있지 않습니다.")
    if not notice.years.holds(wanted.years_in_business):
        return None
    return _fits("업력", 1.0, f"업력 {_years(notice)} 조건에 맞습니다.")


def _staff(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if wanted.employees is None:
        return _FREE
    if not notice.staff.is_told:
        return _unchecked("인원", "공고 요약에 근로자 수 조건이 적혀 있지 않습니다.")
    return _fits("인원", 0.5, "근로자 수 조건에 맞습니다.") if notice.staff.holds(wanted.employees) else None


def _industry(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if not wanted.industry:
        return _FREE
    words = [word for word in wanted.industry.split() if len(word) > 1]
    text = plain(f"{notice.record.title} {notice.record.summary} {notice.record.target}")
    if any(plain(word) in text for word in words):
        return _fits("업종", 1.0, f"‘{wanted.industry}’이(가) 공고에 나옵니다.")
    return _unchecked("업종", "업종 조건은 공고문에서 확인해야 합니다.")


def _amount(notice: Notice, wanted: Criteria, pack: NoticePack) -> Fit | None:
    if not wanted.amount_min:
        return _FREE
    if notice.amount is None or notice.amount < wanted.amount_min:
        return None
    return _fits("금액", 0.5, f"요약에 {notice.amount:,}원까지 적혀 있습니다.")


def _years(notice: Notice) -> str:
    low, high = notice.years
    return " ".join(
        [*([f"{low:g}년 이상"] if low is not None else []), *([f"{high:g}년 이내"] if high is not None else [])]
    )
