"""Regions by all their names, and what is none."""

from __future__ import annotations

import pytest

from vectorstores.notices.pack import NoticeData

REGIONS = NoticeData.load().regions["support"]


@pytest.mark.parametrize(
    ("text", "regions", "cities"),
    [
        ("서울 창업", ("서울",), ()),
        ("서울시 창업", ("서울",), ()),
        ("서울특별시에서", ("서울",), ()),
        ("수원 제조기업", ("경기",), ("수원시",)),
        ("전라북도 전주시", ("전북",), ("전주시",)),
        ("부산 강서구", ("부산",), ("강서구",)),
        ("강서구 소상공인", (), ()),
        ("호남 공고", ("광주", "전북", "전남"), ()),
        ("경기가 어려운 소상공인", (), ()),
        ("부산물 재활용", (), ()),
        ("대구와 경북", ("대구", "경북"), ()),
    ],
)
def test_places_of_a_text(text: str, regions: tuple[str, ...], cities: tuple[str, ...]) -> None:
    found = REGIONS.read(text)
    assert (found.regions, found.cities) == (regions, cities)


@pytest.mark.parametrize(
    ("text", "unknown"), [("뉴욕 공고", "뉴욕"), ("달나라 지역 공고", "달나라"), ("우리 지역 공고", "")]
)
def test_a_place_that_is_no_region_is_named(text: str, unknown: str) -> None:
    assert REGIONS.read(text).unknown == unknown


def test_columns_of_sources() -> None:
    assert REGIONS.listed("대구, 경북") == ("대구", "경북")
    assert REGIONS.listed("대구광역시 외") == ("대구",)
    assert REGIONS.listed("전국") == ("전국",)
    assert REGIONS.listed("") == ()
    assert REGIONS.listed("경북ㆍ대구") == ("경북", "대구")
