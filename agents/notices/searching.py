"""Searches for notices, by request of a client or of an action; `NoticeSearch.search` is what ``/api/funding/search`` answers with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import TypeVar

from schemas.chat import ActionItem, ActionType, CompanyProfile, Scalar, UserContext
from schemas.funding.notices import FundingSearchRequest, FundingSearchResults, NoticeItem, NoticeStatus
from schemas.problems import ErrorCode, FieldProblem
from utils.http.problems import ProblemError
from vectorstores.notices.catalogue import FoundNotice, SearchOutcome
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.pack import NoticePack
from vectorstores.notices.regions import NATIONWIDE, Regions

Name = TypeVar("Name", bound=str)

EMPTY = (
    "아직 공고가 없습니다. 운영자가 `python -m vectorstores notices import FILE --pack {pack}`으로 파일에서 가져오거나, "
    "API 키를 정하고 `python -m vectorstores notices refresh`로 새로 받아야 합니다."
)
_NOTHING = "조건에 맞는 공고가 없습니다."
_CLOSED = " 마감된 공고는 {count:,}건 있습니다(status에 ‘{label}’를 더하면 나옵니다)."
_RELAXED = "검색어가 모두 들어간 공고가 없어 일부가 들어간 공고를 보여 드립니다."
_UNKNOWN_COMPANY_REGION = "회사의 지역을 알아볼 수 없어 지역으로 거르지 않았습니다."
_LABEL = "지원사업 찾기"
_MOST_NAMED = 20


class NoticeSearch:
    """Searches the notices in force. All methods are computation alone, milliseconds: run them in a thread."""

    def __init__(self, library: NoticeLibrary) -> None:
        self._library = library

    def search(self, request: FundingSearchRequest, today: date) -> FundingSearchResults:
        """Return a page of notices as they stand on ``today``.

        Raises:
            ProblemError: a pack, region, field, target, stage or status is none that there is.
        """
        pack = self._pack(request.pack)
        criteria, note = self._criteria(request, pack)
        catalogue = self._library.shelf.catalogues.get(pack.key)
        degraded = list(self._library.degradations(pack.key))
        applied = criteria.described(labels_of(pack))
        if catalogue is None or not len(catalogue):
            message = EMPTY.format(pack=pack.key)
            return FundingSearchResults(
                total=0,
                page=1,
                pages=0,
                size=request.size,
                items=[],
                applied=applied,
                message=message,
                degraded=degraded,
            )
        outcome = catalogue.search(criteria, today, request.sort)
        total, size = len(outcome.found), request.size
        first = (request.page - 1) * size
        return FundingSearchResults(
            total=total,
            page=request.page,
            pages=-(-total // size),
            size=size,
            items=[item_of(found, pack, today) for found in outcome.found[first : first + size]],
            applied=applied,
            message=" ".join(part for part in (note, _message(outcome, pack)) if part),
            degraded=degraded,
        )

    def by_ids(self, ids: Sequence[str], today: date) -> list[NoticeItem]:
        """Return the notices of these ids, of any pack, in order; those that there are not are left out."""
        found = []
        for notice_id in ids:
            for key, catalogue in self._library.shelf.catalogues.items():
                notice = catalogue.get(notice_id)
                if notice is not None:
                    pack = self._library.data.packs[key]
                    found.append(item_of(FoundNotice(notice, notice.status_on(today, pack), 0.0, ()), pack, today))
                    break
        return found

    def _pack(self, key: str) -> NoticePack:
        pack = self._library.data.packs.get(key)
        if pack is None:
            raise _refused("pack", key, self._library.data.packs)
        return pack

    def _criteria(self, request: FundingSearchRequest, pack: NoticePack) -> tuple[Criteria, str]:
        statuses = [_named("status", word, pack.status_of(word), _labels(pack)) for word in request.status]
        criteria = Criteria(
            pack=pack.key,
            keywords=tuple(request.keyword.replace(",", " ").split()),
            fields=tuple(_named("field", word, pack.field_of(word), pack.fields) for word in request.field),
            targets=tuple(_named("target", word, pack.target_of(word), pack.targets) for word in request.target),
            stage=_named("stage", request.stage, pack.stage_of(request.stage), pack.stages) if request.stage else "",
            statuses=tuple(dict.fromkeys(statuses)),
            agency=request.agency,
            year=request.year,
            years_in_business=request.years_in_business,
            amount_min=request.amount_min,
            ends_from=request.ends_from,
            ends_to=request.ends_to,
            open_on=request.open_on,
        )
        return self._of_company(self._in_regions(criteria, request.region, pack), request.company, pack)

    def _in_regions(self, criteria: Criteria, asked: Sequence[str], pack: NoticePack) -> Criteria:
        regions = self._library.data.regions[pack.key]
        for word in asked:
            places = regions.find(word)
            if places.unknown:
                raise _refused("region", word, (NATIONWIDE, *regions.names))
            criteria = replace(
                criteria,
                regions=tuple(dict.fromkeys((*criteria.regions, *places.regions))),
                cities=tuple(dict.fromkeys((*criteria.cities, *places.cities))),
                nationwide=criteria.nationwide or places.nationwide,
            )
        return criteria

    def _of_company(self, criteria: Criteria, company: CompanyProfile | None, pack: NoticePack) -> tuple[Criteria, str]:
        """The conditions with what is known of the company, as far as they do not say otherwise."""
        if company is None:
            return criteria, ""
        note = ""
        if criteria.years_in_business is None:
            criteria = replace(criteria, years_in_business=company.years_in_business)
        criteria = replace(criteria, employees=company.employee_count, industry=company.industry_name or "")
        if company.region and not criteria.regions and not criteria.nationwide:
            places = self._library.data.regions[pack.key].find(company.region)
            if places.regions:
                criteria = replace(criteria, regions=places.regions, cities=places.cities, regions_of_company=True)
            else:
                note = _UNKNOWN_COMPANY_REGION
        return criteria, note


def item_of(found: FoundNotice, pack: NoticePack, today: date) -> NoticeItem:
    """Return a notice as it is sent."""
    notice, record = found.notice, found.notice.record
    end = record.apply_end
    return NoticeItem(
        pack=record.pack,
        id=record.id,
        title=record.title,
        agency=record.agency,
        regions=list(notice.regions),
        fields=list(notice.fields),
        target=record.target,
        apply_start=record.apply_start,
        apply_end=end,
        status=found.status,
        status_label=pack.label_of(found.status),
        days_left=(end - today).days if end is not None and end >= today else None,
        amount=notice.amount,
        summary=record.summary,
        url=record.url,
        source=record.source,
        seen_on=record.listed,
        reasons=list(found.reasons),
    )


def funding_params(
    criteria: Criteria, context: UserContext | None, pack: NoticePack, regions: Regions
) -> dict[str, Scalar]:
    """Return the conditions, and what is known of the asker, as a body for ``POST /api/funding/search``."""
    company = context.company if context else None
    region = [*([NATIONWIDE] if criteria.nationwide else []), *criteria.regions, *criteria.cities]
    if not region and company is not None and company.region and not regions.find(company.region).unknown:
        region = [company.region]
    years = criteria.years_in_business
    if years is None and company is not None:
        years = company.years_in_business
    stage = criteria.stage
    if not stage and years is None and context is not None and context.user_type:
        stage = pack.stage_of(context.user_type) or ""
    params: dict[str, Scalar | None] = {
        "pack": criteria.pack,
        "region": ",".join(region),
        "field": ",".join(criteria.fields),
        "target": ",".join(criteria.targets),
        "stage": stage,
        "status": ",".join(pack.label_of(status) for status in criteria.statuses),
        "keyword": " ".join(criteria.keywords)[:200],
        "agency": criteria.agency,
        "year": criteria.year,
        "years_in_business": years,
        "amount_min": criteria.amount_min,
        "ends_from": criteria.ends_from.isoformat() if criteria.ends_from else None,
        "ends_to": criteria.ends_to.isoformat() if criteria.ends_to else None,
        "open_on": criteria.open_on.isoformat() if criteria.open_on else None,
    }
    return {name: value for name, value in params.items() if value not in (None, "")}


def funding_action(criteria: Criteria, context: UserContext | None, pack: NoticePack, regions: Regions) -> ActionItem:
    """Return the next step that opens the search."""
    return ActionItem(
        type=ActionType.FUNDING_SEARCH,
        label=_LABEL if pack.domain else f"{pack.label} 찾기",
        description=f"{pack.label}를 조건에 맞게 찾아봅니다.",
        params=funding_params(criteria, context, pack, regions),
    )


def labels_of(pack: NoticePack) -> dict[NoticeStatus, str]:
    """Return the names of the states."""
    return {status: pack.label_of(status) for status in NoticeStatus}


def _labels(pack: NoticePack) -> list[str]:
    return [pack.label_of(status) for status in NoticeStatus]


def _message(outcome: SearchOutcome, pack: NoticePack) -> str:
    if outcome.relaxed:
        return _RELAXED
    if outcome.found:
        return ""
    closed = _CLOSED.format(count=outcome.closed, label=pack.label_of(NoticeStatus.CLOSED)) if outcome.closed else ""
    return _NOTHING + closed


def _named(path: str, word: str, name: Name | None, known: Iterable[str]) -> Name:
    """The name that a word stands for. Raises `ProblemError` where there is none."""
    if name is None:
        raise _refused(path, word, known)
    return name


def _refused(path: str, word: str, known: Iterable[str]) -> ProblemError:
    names = ", ".join(list(known)[:_MOST_NAMED])
    message = f"‘{word}’은(는) 아는 값이 아닙니다. 쓸 수 있는 값: {names}"
    return ProblemError(ErrorCode.VALIDATION_FAILED, errors=[FieldProblem(path=path, message=message)])
