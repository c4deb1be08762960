"""Searching notices: what meets the conditions, in which order, and why."""

from __future__ import annotations

from datetime import date

import pytest

from schemas.funding.notices import NoticeStatus
from tests.support.notice_files import DAY, filled
from vectorstores.notices.catalogue import Catalogue
from vectorstores.notices.criteria import Criteria
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.pack import NoticeData
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="module")
def notices(tokenizer: KiwiTokenizer, tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    library = NoticeLibrary(NoticeData.load(), tokenizer, filled(tmp_path_factory.mktemp("notices"), tokenizer))
    library.refresh()
    library.close()
    return library.shelf.catalogues["support"]


def ids(notices: Catalogue, day: date = DAY, sort: str = "fit", **wanted: object) -> list[str]:
    found = notices.search(Criteria("support", **wanted), day, sort).found  # type: ignore[arg-type]
    return [each.notice.record.id for each in found]


def test_a_region_has_its_own_notices_first_and_those_for_everywhere(notices: Catalogue) -> None:
    assert ids(notices, regions=("부산",)) == ["sp-04", "sp-05", "sp-14", "sp-13"]
    assert ids(notices, nationwide=True) == ["sp-14", "sp-13"]
    assert ids(notices, regions=("경기",), cities=("수원시",))[0] == "sp-07"
    assert "sp-09" not in ids(notices, regions=("경기",), cities=("수원시",)), "of another city"


def test_closed_notices_are_found_only_where_they_are_asked_for(notices: Catalogue) -> None:
    assert "sp-15" not in ids(notices)
    assert notices.search(Criteria("support", regions=("부산",)), DAY).closed >= 1
    assert "sp-06" in ids(notices, regions=("부산",), statuses=(NoticeStatus.CLOSED,))
    assert "sp-15" in ids(notices, year=2026)
    assert "sp-11" in ids(notices, day=date(2026, 11, 24))
    assert "sp-11" not in ids(notices, day=date(2026, 11, 25)), "the day after its deadline"


def test_keywords_with_synonyms_and_targets(notices: Catalogue) -> None:
    assert "sp-08" in ids(notices, keywords=("스마트공장",))
    assert ids(notices, keywords=("로봇",)) == ["sp-04"]
    assert ids(notices, keywords=("우주선",)) == []
    relaxed = notices.search(Criteria("support", keywords=("로봇", "우주선")), DAY)
    assert relaxed.relaxed
    assert [each.notice.record.id for each in relaxed.found] == ["sp-04"]
    assert set(ids(notices, targets=("소상공인",))) == {"sp-02", "sp-05", "sp-13"}


def test_a_company_is_held_against_what_notices_say(notices: Catalogue) -> None:
    young = ids(notices, regions=("서울",), years_in_business=1.0)
    assert "sp-01" in young
    assert "sp-03" not in young, "of three years at least"
    found = notices.search(Criteria("support", regions=("강원",), employees=10), DAY).found
    reasons = {reason.criterion: reason.verdict for reason in found[0].reasons}
    assert reasons == {"지역": "fits", "인원": "fits"}
    assert "sp-12" not in ids(notices, regions=("강원",), employees=3)
    unchecked = notices.search(Criteria("support", regions=("대구",), years_in_business=5.0), DAY).found
    own = next(each for each in unchecked if each.notice.record.id == "sp-11")
    assert ("업력", "unchecked") in {(reason.criterion, reason.verdict) for reason in own.reasons}


def test_order_by_deadline_and_the_same_order_every_time(notices: Catalogue) -> None:
    by_deadline = ids(notices, sort="deadline")
    assert by_deadline[:2] == ["sp-11", "sp-04"]
    assert by_deadline == ids(notices, sort="deadline")
    assert ids(notices, ends_from=DAY, ends_to=date(2026, 11, 27)) == ["sp-11", "sp-04", "sp-01"]
    assert set(ids(notices, amount_min=100_000_000)) == {"sp-04", "sp-09"}
