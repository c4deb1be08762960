"""Refreshing from the public APIs: page by page, only what is new, and what came before a failure stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi import Response
from pydantic import SecretStr

from tests.support.notice_server import HTML, KEY, QUOTA, NoticeServer, bizinfo_item, kstartup_item
from utils.config.settings import Settings
from vectorstores.notices.importers.refresh import RefreshReport, import_file, refresh
from vectorstores.notices.importers.sources import configured_sources
from vectorstores.notices.library import NoticeLibrary
from vectorstores.notices.pack import NoticeData
from vectorstores.notices.store import NoticeStore, store_url
from vectorstores.tokenizer import KiwiTokenizer

pytestmark = pytest.mark.whole

PAGE = 5
NOW = datetime(2026, 11, 24, 3, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[NoticeServer]:
    made = NoticeServer([bizinfo_item(number) for number in range(1, PAGE + 4)], [kstartup_item(7), kstartup_item(8)])
    with made.server:
        yield made


class Refreshing:
    """A store that is refreshed from the server."""

    def __init__(self, server: NoticeServer, data_dir: Path, tokenizer: KiwiTokenizer) -> None:
        self.settings = Settings(
            data_dir=data_dir,
            bizinfo_api_key=SecretStr(KEY),
            bizinfo_api_url=f"{server.server.url}/bizinfo",
            kstartup_api_key=SecretStr(KEY),
            kstartup_api_url=f"{server.server.url}/kstartup",
            notice_api_timeout=0.5,
        )
        self.store = NoticeStore(store_url(self.settings), tokenizer)

    def __call__(self, *, now: datetime = NOW, everything: bool = False, **changes: Any) -> dict[str, RefreshReport]:
        settings = self.settings.model_copy(update=changes)
        sources = configured_sources(settings, pause=lambda _: None, size=PAGE)
        reports = refresh(self.store, sources, settings, everything=everything, clock=lambda: now)
        for source in sources:
            source.close()
        return {report.source: report for report in reports}

    def ids(self) -> set[str]:
        return {stored.record.id for stored in self.store.all()}


@pytest.fixture
def refreshing(server: NoticeServer, tmp_path: Path, tokenizer: KiwiTokenizer) -> Iterator[Refreshing]:
    made = Refreshing(server, tmp_path, tokenizer)
    yield made
    made.store.close()


def test_all_pages_are_taken_in_as_they_stand(refreshing: Refreshing) -> None:
    reports = refreshing()
    assert [(report.changes.added, report.failure) for report in reports.values()] == [(PAGE + 3, ""), (2, "")]
    kept = {stored.record.id: stored.record for stored in refreshing.store.all()}
    notice = kept["bizinfo-1"]
    assert (notice.region, notice.field, notice.agency) == ("서울", "창업", "서울특별시 / 서울창업원")
    assert (notice.apply_start, notice.apply_end) == (date(2026, 11, 1), date(2026, 12, 15))
    assert notice.summary == "창업 기업을 지원합니다.\n☞ 창업 3년 이내 기업"
    assert notice.url.startswith("https://www.bizinfo.go.kr/sii/")
    assert "문의처: 서울창업원 02-000-0000" in refreshing.store.body("support", "bizinfo-1")
    assert kept["kstartup-7"].target == "일반인, 예비창업자,1년미만,2년미만,3년미만"


def test_the_next_refresh_stops_where_nothing_is_new(server: NoticeServer, refreshing: Refreshing) -> None:
    refreshing()
    server.items["bizinfo"].insert(0, bizinfo_item(900))
    server.asked.clear()
    reports = refreshing()
    assert reports["bizinfo"].changes.added == 1
    server.asked.clear()
    assert refreshing()["bizinfo"].changes.any is False
    assert server.asked["bizinfo 1"] == 1
    assert server.asked["bizinfo 2"] == 0
    refreshing(everything=True)
    assert server.asked["bizinfo 2"] == 1


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("hang", "0.5초 안에 응답하지 않았습니다"),
        (Response("", 500), "HTTP 500"),
        (HTML, "JSON이 아닌 응답"),
        ('{"jsonArray": [{"pblancId": "PB', "JSON이 아닌 응답"),
        ({"jsonArray": "none"}, "알려진 모양이 아닙니다"),
        ([], "알려진 모양이 아닙니다"),
        (QUOTA, "LIMITED_NUMBER_OF_SERVICE_REQUESTS"),
        ({"reqErr": "일일 조회 한도를 넘었습니다"}, "일일 조회 한도"),
        (Response("", 429), "요청 한도"),
    ],
)
def test_a_page_that_breaks_leaves_what_came_before_it(
    server: NoticeServer, refreshing: Refreshing, answer: object, told: str
) -> None:
    server.always("bizinfo 2", answer)
    reports = refreshing()
    assert told in reports["bizinfo"].failure
    assert KEY not in reports["bizinfo"].failure
    assert reports["bizinfo"].changes.added == PAGE
    assert reports["kstartup"].changes.added == 2, "another source goes on"
    assert "bizinfo-1" in refreshing.ids()
    server.broken.clear()
    assert refreshing()["bizinfo"].changes.added == 3, "after a failure all pages are read again"


def test_a_page_that_fails_once_is_asked_for_again(server: NoticeServer, refreshing: Refreshing) -> None:
    server.broken["bizinfo 1"] = [Response("", 503), HTML]
    assert refreshing()["bizinfo"].failure == ""
    assert server.asked["bizinfo 1"] == 3


def test_an_empty_first_page_removes_nothing(server: NoticeServer, refreshing: Refreshing) -> None:
    refreshing()
    before = refreshing.ids()
    server.items["bizinfo"].clear()
    server.items["kstartup"].clear()
    reports = refreshing()
    assert all("비어 있습니다" in report.failure for report in reports.values())
    assert refreshing.ids() == before


def test_ids_given_twice_and_entries_that_are_none(server: NoticeServer, refreshing: Refreshing) -> None:
    server.items["bizinfo"][:] = [
        bizinfo_item(1),
        bizinfo_item(1),
        {"pblancNm": "번호 없음"},
        {"pblancId": "../x"},
        bizinfo_item(2),
    ]
    report = refreshing()["bizinfo"]
    assert (report.changes.added, report.skipped, report.failure) == (2, 2, "")


def test_a_wrong_key_is_not_tried_again(server: NoticeServer, refreshing: Refreshing) -> None:
    reports = refreshing(bizinfo_api_key=SecretStr("x"), kstartup_api_key=SecretStr("y"))
    assert "인증키" in reports["bizinfo"].failure
    assert "인증키" in reports["kstartup"].failure
    assert not server.asked


def test_notices_long_past_their_deadline_go(server: NoticeServer, refreshing: Refreshing) -> None:
    refreshing()
    later = datetime(2027, 12, 30, tzinfo=UTC)
    server.items["bizinfo"][:] = [bizinfo_item(5, reqstBeginEndDe="20271201 ~ 20271231")]
    reports = refreshing(now=later, notice_keep_days=30)
    assert reports["bizinfo"].changes.removed == PAGE + 2
    assert {name for name in refreshing.ids() if name.startswith("bizinfo")} == {"bizinfo-5"}


def test_the_whole_refresh_is_bounded_in_time(server: NoticeServer, refreshing: Refreshing) -> None:
    server.always("kstartup 1", "hang")
    report = refreshing(notice_refresh_timeout=0.2)["kstartup"]
    assert report.failure
    assert server.asked["kstartup 1"] == 1


def test_old_notices_go_on_being_served_with_their_age(
    server: NoticeServer, refreshing: Refreshing, tokenizer: KiwiTokenizer
) -> None:
    refreshing()
    later = datetime(2026, 11, 28, 3, tzinfo=UTC)
    server.always("bizinfo 1", HTML)
    refreshing(now=later)
    library = NoticeLibrary(NoticeData.load(), tokenizer, refreshing.settings, clock=lambda: later)
    library.refresh()
    assert len(library.shelf.catalogues["support"]) == PAGE + 5
    [lack] = library.degradations("support")
    assert lack.component.value == "notices"
    assert "bizinfo" in lack.reason
    assert "2026-11-24" in lack.reason
    assert "4일 전" in lack.reason
    assert library.degradations("housing") == ()
    library.close()


def test_a_file_is_taken_in_but_for_lines_that_are_none(tmp_path: Path, tokenizer: KiwiTokenizer) -> None:
    lines = [json.dumps({"id": "a", "title": "공고", "status": "상시", "year": 2026}), "", "{", '{"id": "b"}', '["c"]']
    file = tmp_path / "notices.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    store = NoticeStore(f"sqlite:///{tmp_path / 'n.db'}", tokenizer)
    report = import_file(store, file, NoticeData.load().packs["support"], NOW)
    assert report.changes.added == 1
    assert [problem.split(":")[1] for problem in report.problems] == ["3", "4", "5"]
    assert store.all()[0].record.listed == date(2026, 11, 24)
    store.close()
