"""Regions of notices: the names that people use for them, and the places within them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

NATIONWIDE = "전국"
_FULL_ONLY = "="
_CITY = re.compile(r"[시군구]$")
_ABROAD = re.compile(r"(?<![가-힣])([가-힣]{2,6})\s?(?:지역|지방)(?=[\s,.?!에의은는]|$)")
_BEFORE_PLACE = re.compile(r"^(?:\s|\[[^\]]*\]|\([^)]*\)|['‘’\"]|20\d\d[.\d]*년?)+")
_LATIN = re.compile(r"(?<![A-Za-z가-힣])([A-Za-z]{2,12})\s?(?:지역|지방)(?=[\s,.?!에의은는]|$)")
_SUFFIXED = re.compile(r"(?<![가-힣])([가-힣]{2,4}(?:특별시|광역시|시|군|도))(?=에\s?있|에서|\s?지역|\s소재|의\s)")
# 필요한 지역, 우리 지역: what stands before is no name
_NO_NAME = frozenset(
    "우리 해당 다른 어느 어떤 모든 전체 지방 인근 주변 같은 농촌 어촌 도시 산업 낙후 특정 희망 거주 관심 무슨 여러 각 전 타 비수도권 그 이 저 "
    "신청 지원 개발 소멸 위기 인구감소 관광 접경 가능 필요 현재 그리고 제도 한도 정도 용도 다시 역시 당시 즉시 반드시 임시 상시 수시 혹시 몇시 "
    "소도시 신도시 혁신도시 내지 사업 창업 접수 모집 광역 도심 구도심 상권".split()
)


class Region(BaseModel):
    """A region by its short name. A city with ``=`` before it counts only by its full name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    aliases: tuple[str, ...]
    cities: tuple[str, ...] = ()


class RegionData(BaseModel):
    """``data/notices/regions.toml``, or the file of a pack of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nationwide: tuple[str, ...]
    regions: tuple[Region, ...]
    groups: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    not_before: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedPlaces:
    """The places that a text names. ``cities`` are full names within ``regions``; ``unknown`` is no region of ours.

    ``spans`` are character offsets of all of them.
    """

    regions: tuple[str, ...] = ()
    cities: tuple[str, ...] = ()
    nationwide: bool = False
    unknown: str = ""
    spans: tuple[tuple[int, int], ...] = ()


class Regions:
    """Reads the names of regions."""

    def __init__(self, data: RegionData) -> None:
        self._data = data
        self.names = tuple(region.name for region in data.regions)
        self._by_alias = {alias: region.name for region in data.regions for alias in region.aliases}

    @cached_property
    def _cities(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Each name of a city: the full name and the regions in which there is one."""
        found: dict[str, tuple[str, tuple[str, ...]]] = {}
        for region in self._data.regions:
            for written in region.cities:
                full = written.removeprefix(_FULL_ONLY)
                short = _CITY.sub("", full)
                names = {full} if written != full or len(short) < 2 or full.endswith("구") else {full, short}
                for name in names:
                    known = found.get(name, (full, ()))[1]
                    found[name] = (full, (*known, region.name))
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = {*self._by_alias, *self._cities, *self._data.groups, *self._data.nationwide}
        parts = []
        for name in sorted(names, key=len, reverse=True):
            barred = "|".join(map(re.escape, self._data.not_before.get(name, ())))
            parts.append(re.escape(name) + (f"(?!{barred})" if barred else ""))
        return re.compile(rf"(?<![가-힣A-Za-z])(?:{'|'.join(parts)})")

    @cached_property
    def _short(self) -> re.Pattern[str]:
        """The short names of cities where a word begins."""
        names = sorted((name for name, (full, _) in self._cities.items() if name != full), key=len, reverse=True)
        return re.compile(rf"(?<![가-힣])(?:{'|'.join(map(re.escape, names)) or '(?!)'})")

    def _first_city(self, title: str) -> tuple[str, ...]:
        """The cities by whose short names a title begins, also such as mean something else elsewhere: 양산대석."""
        start = _BEFORE_PLACE.sub("", title)
        full = (name for name, (known, _) in self._cities.items() if name == known)
        return tuple(name for name in full if len(short := _CITY.sub("", name)) > 1 and start.startswith(short))

    @cached_property
    def _elsewhere(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self._data.elsewhere)) or r"(?!)")

    def read(self, text: str) -> NamedPlaces:
        """Return the places that ``text`` names. A city that several regions have needs its region beside it."""
        regions: dict[str, None] = {}
        cities: dict[str, tuple[str, ...]] = {}
        nationwide, spans = False, []
        for match in self._pattern.finditer(text):
            name = match.group()
            spans.append(match.span())
            if name in self._by_alias:
                regions[self._by_alias[name]] = None
            elif name in self._data.groups:
                regions.update(dict.fromkeys(self._data.groups[name]))
            elif name in self._cities:
                full, within = self._cities[name]
                cities[full] = within
            else:
                nationwide = True
        kept = []
        for full, within in cities.items():
            beside = [region for region in within if region in regions] or (within if len(within) == 1 else ())
            if beside:
                kept.append(full)
                regions.update(dict.fromkeys(beside))
        unknown, span = ("", None) if regions or nationwide else self._unknown(text)
        return NamedPlaces(tuple(regions), tuple(kept), nationwide, unknown, tuple([*spans, span] if span else spans))

    def find(self, word: str) -> NamedPlaces:
        """Return the places that a word of a filter names; ``unknown`` where it is none."""
        found = self.read(word.strip())
        return found if found.regions or found.nationwide else NamedPlaces(unknown=word.strip())

    def city_of(self, name: str) -> NamedPlaces | None:
        """Return the city of a short name that means something else elsewhere, or None: 하남 before a word for notices."""
        found = [known for full, known in self._cities.items() if full == known[0] and _CITY.sub("", full) == name]
        if len(found) != 1 or len(found[0][1]) != 1:
            return None
        return NamedPlaces(found[0][1], (found[0][0],))

    def listed(self, text: str) -> tuple[str, ...]:
        """Return the regions of a notice's region column: 서울, 부산 or 대구광역시 외; 전국 as it is."""
        parts = [self.read(part) for part in text.replace("ㆍ", ",").replace("·", ",").split(",")]
        if any(part.nationwide for part in parts):
            return (NATIONWIDE,)
        found = tuple(dict.fromkeys(name for part in parts for name in part.regions))
        return (NATIONWIDE,) if len(found) == len(self.names) else found

    def cities_in(self, text: str, regions: Sequence[str], title: str = "") -> tuple[str, ...]:
        """Return the cities that ``text`` names by their full names, of those in ``regions``; ``title`` by short ones too: 군산나운4."""
        within: Iterable[str] = regions or self.names
        wanted = set(within)
        by_short = {*self._short.findall(title), *self._first_city(title)} if regions else set()
        return tuple(
            dict.fromkeys(
                full
                for name, (full, places) in self._cities.items()
                if (name in text or full in by_short if name == full else name in by_short)
                and (wanted & set(places))
                and (regions or len(places) == 1)
            )
        )

    def _unknown(self, text: str) -> tuple[str, tuple[int, int] | None]:
        if match := self._elsewhere.search(text):
            return match.group(), match.span()
        for pattern in (_ABROAD, _LATIN, _SUFFIXED):
            for match in pattern.finditer(text):
                if match[1] not in _NO_NAME:
                    return match[1], match.span(1)
        return "", None
