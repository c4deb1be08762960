"""Fetching from the open API: paging, retries, and typed errors that lose nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import Response
from pydantic import SecretStr

from tests.support.law_server import HTML, KEY, Law, LawServer, article
from vectorstores.build.progress import NoProgress
from vectorstores.errors import (
    IngestError,
    StatuteAnswerMalformed,
    StatuteListIncomplete,
    StatuteQuotaReached,
    StatuteSourceError,
    StatuteSourceRefused,
    StatuteSourceUnavailable,
)
from vectorstores.statute_book.mirror import FetchReport, update_tree
from vectorstores.statute_book.open_api import OpenApiSource

pytestmark = pytest.mark.whole


def fetched(
    center: LawServer, root: Path, limit: int | None = None, key: str = KEY, timeout: float = 5.0, **options: bool
) -> tuple[FetchReport, list[float]]:
    report, paused = FetchReport(), list[float]()
    source = OpenApiSource(SecretStr(key), center.url, timeout, pause=paused.append)
    try:
        update_tree(source, root, report, NoProgress(), limit, **options)
    finally:
        source.close()
    return report, paused


def files(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_every_page_is_read_and_a_second_run_fetches_nothing(center: LawServer, tmp_path: Path) -> None:
    report, _ = fetched(center, tmp_path)
    assert (report.fetched, report.problems) == (5, [])
    held = files(tmp_path)
    assert list(held) == [
        "kr/시험법/법률.md",
        "kr/시험보호법/법률.md",
        "kr/시험보호법/시행규칙.md",
        "kr/시험보호법/시행령.md",
        "kr/장부ㆍ전표규정/대통령령.md",
    ]
    center.asked.clear()
    again, _ = fetched(center, tmp_path)
    assert (again.fetched, again.unchanged) == (0, 5)
    assert set(center.asked) == {"page 1", "page 2", "page 3"}, "what is held is not asked for"
    assert files(tmp_path) == held


def test_only_a_new_edition_is_fetched_and_an_older_one_never_replaces_a_newer(
    center: LawServer, tmp_path: Path
) -> None:
    fetched(center, tmp_path)
    center.laws[0] = Law("21", "001", "시험 보호법", promulgated="20261001", articles=[article(1, "새로 보호한다.")])
    center.laws[4] = Law("3", "005", "시험법", promulgated="19970313", articles=[article(1, "옛 조문")])
    center.asked.clear()
    report, _ = fetched(center, tmp_path)
    assert (report.fetched, report.unchanged) == (1, 4)
    assert "MST 21" in center.asked
    assert "새로 보호한다." in files(tmp_path)["kr/시험보호법/법률.md"]
    assert "옛 조문" not in files(tmp_path)["kr/시험법/법률.md"]


def test_two_acts_of_one_name_have_a_place_each(center: LawServer, tmp_path: Path) -> None:
    center.laws.append(Law("16", "006", "시험법", promulgated="20260501"))
    fetched(center, tmp_path)
    fetched(center, tmp_path)
    assert {name for name in files(tmp_path) if "/시험법/" in name} == {"kr/시험법/법률.md", "kr/시험법/법률(법률).md"}


def test_a_run_stops_at_its_limit_and_the_next_goes_on(center: LawServer, tmp_path: Path) -> None:
    first, _ = fetched(center, tmp_path, limit=2)
    assert (first.fetched, first.left) == (2, 3)
    second, _ = fetched(center, tmp_path, limit=2)
    assert (second.fetched, second.unchanged, second.left) == (2, 2, 1)
    assert fetched(center, tmp_path, limit=2)[0].left == 0


def test_what_is_no_longer_listed_stays_unless_pruned(center: LawServer, tmp_path: Path) -> None:
    fetched(center, tmp_path)
    del center.laws[4]
    report, _ = fetched(center, tmp_path)
    assert [str(path) for path in report.gone] == ["kr/시험법/법률.md"]
    assert "kr/시험법/법률.md" in files(tmp_path)
    assert fetched(center, tmp_path, prune=True)[0].removed == 1
    assert "kr/시험법/법률.md" not in files(tmp_path)


def test_a_passing_fault_is_tried_again(center: LawServer, tmp_path: Path) -> None:
    center.broken = {
        "page 2": [Response(status_code=500), HTML],
        "MST 12": [Response(status_code=429, headers={"Retry-After": "7"})],
        "MST 13": ["{broken", "[]"],
    }
    report, paused = fetched(center, tmp_path)
    assert (report.fetched, report.problems) == (5, [])
    assert 7.0 in paused, "as long as the server asks for"


@pytest.mark.parametrize(
    ("name", "answer", "error"),
    [
        ("page 1", Response(status_code=500), StatuteSourceUnavailable),
        ("page 2", HTML, StatuteAnswerMalformed),
        ("page 2", {"LawSearch": {"totalCnt": "5", "page": "2"}}, StatuteListIncomplete),
        ("page 2", {"LawSearch": {"totalCnt": "many"}}, StatuteAnswerMalformed),
        ("page 2", {"LawSearch": {"totalCnt": "5", "law": [{"법령명한글": "이름만"}]}}, StatuteSourceError),
        ("page 1", {"result": "사용자 정보 검증에 실패", "msg": "등록"}, StatuteSourceRefused),
        ("page 3", Response(status_code=429, headers={"Retry-After": "86400"}), StatuteQuotaReached),
        ("page 3", Response(status_code=429), StatuteQuotaReached),
        ("MST 14", Response(status_code=429, headers={"Retry-After": "86400"}), StatuteQuotaReached),
        ("MST 14", Response(status_code=403), StatuteSourceRefused),
        ("page 3", "hang", StatuteSourceUnavailable),
    ],
)
def test_a_broken_source_is_a_typed_error_and_what_was_there_stays(
    center: LawServer, tmp_path: Path, name: str, answer: Response | str, error: type[StatuteSourceError]
) -> None:
    fetched(center, tmp_path, limit=2)
    held = files(tmp_path)
    center.always(name, answer)
    with pytest.raises(error) as raised:
        fetched(center, tmp_path, timeout=0.3)
    assert KEY not in str(raised.value)
    after = files(tmp_path)
    assert {path: after[path] for path in held} == held
    assert not [path for path in after if "part" in path]
    center.broken.clear()
    assert fetched(center, tmp_path)[0].left == 0
    assert len(files(tmp_path)) == 5, "the next run goes on"


def test_a_statute_that_is_never_given_is_named_and_the_others_come(center: LawServer, tmp_path: Path) -> None:
    center.always("MST 12", HTML)
    center.always("MST 14", {"법령": {"기본정보": {"법령명_한글": "장부"}}})
    report, _ = fetched(center, tmp_path)
    assert report.fetched == 3
    assert [problem.path for problem in report.problems] == ["kr/시험보호법/시행령.md", "kr/장부ㆍ전표규정/대통령령.md"]


def test_a_source_that_gives_nothing_is_left_alone_after_a_few(center: LawServer, tmp_path: Path) -> None:
    center.laws += [Law(str(number), f"1{number}", f"법 {number}") for number in range(30, 40)]
    for law in center.laws:
        center.always(f"MST {law.serial}", Response(status_code=500))
    with pytest.raises(StatuteSourceUnavailable, match="HTTP 500"):
        fetched(center, tmp_path)
    assert len([name for name in center.asked if name.startswith("MST")]) == 5


def test_a_wrong_key_is_said(center: LawServer, tmp_path: Path) -> None:
    with pytest.raises(StatuteSourceRefused, match="LAW_API_KEY") as raised:
        fetched(center, tmp_path, key="somebody-else")
    assert "somebody-else" not in str(raised.value)


def test_an_address_must_be_one() -> None:
    with pytest.raises(IngestError, match="LAW_API_URL"):
        OpenApiSource(SecretStr("x"), "file:///etc", 1.0)
