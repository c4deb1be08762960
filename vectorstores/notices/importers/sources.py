"""The public APIs of support programmes: 기업마당 (bizinfo.go.kr) and K-Startup (data.go.kr, 창업진흥원).

Both list notices by page, the newest first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from utils.config.settings import Settings
from utils.resilience.deadline import Deadline
from utils.sanitizing.sanitize import printable
from vectorstores.notices.errors import NoticeSourceError, NoticeSourceRefused
from vectorstores.notices.importers.pages import JsonPages
from vectorstores.notices.importers.values import (
    cleaned_line,
    day_of,
    period_of,
    region_in_title,
    text_of_html,
    web_address,
)
from vectorstores.notices.notice import NoticeRecord

PAGE = 100
"""Notices of a page."""
_SUPPORT = "support"
_MAX_MESSAGE = 120
_BIZINFO_HOST = "https://www.bizinfo.go.kr/"
_KSTARTUP_HOST = "https://www.k-startup.go.kr/"


@dataclass(frozen=True, slots=True)
class NoticePage:
    """A page of a source. ``skipped`` entries were no notices; ``is_last``: nothing follows."""

    records: tuple[NoticeRecord, ...]
    skipped: int
    is_last: bool


class NoticeSource(Protocol):
    """A source that is asked page by page."""

    name: str
    pack: str

    def page(self, number: int, today: date, whole: Deadline) -> NoticePage:
        """Return a page, the first under number 1. Raises `NoticeSourceError`."""
        ...

    def close(self) -> None: ...


class BizinfoSource:
    """기업마당. ``{"jsonArray": [...]}``, or ``{"jsonArray": {"item": [...]}}``; ``{"reqErr": …}`` where it refuses."""

    name = "bizinfo"
    pack = _SUPPORT

    def __init__(self, pages: JsonPages, key: str, size: int = PAGE) -> None:
        self._pages = pages
        self._key = key
        self._size = size

    def close(self) -> None:
        self._pages.close()

    def page(self, number: int, today: date, whole: Deadline) -> NoticePage:
        query = {"crtfcKey": self._key, "dataType": "json", "pageUnit": str(self._size), "pageIndex": str(number)}
        answer = self._pages.get(query, whole)
        if "reqErr" in answer:
            told = printable(cleaned_line(answer["reqErr"]), _MAX_MESSAGE)
            raise NoticeSourceRefused(f"{self.name}: 거절되었습니다: {told}")
        rows = answer.get("jsonArray")
        rows = rows.get("item", []) if isinstance(rows, dict) else rows
        rows = [rows] if isinstance(rows, dict) else rows
        if not isinstance(rows, list):
            raise NoticeSourceError(f"{self.name}: 응답이 알려진 모양이 아닙니다 (jsonArray)")
        records = [record for row in rows if (record := self._record(row, today)) is not None]
        return NoticePage(tuple(records), len(rows) - len(records), len(rows) < self._size)

    def _record(self, row: object, today: date) -> NoticeRecord | None:
        if not isinstance(row, dict):
            return None
        number = _plain_id(row.get("pblancId") or row.get("seq"))
        title = cleaned_line(row.get("pblancNm") or row.get("title"))
        if not number or not title:
            return None
        start, end, period = period_of(row.get("reqstBeginEndDe") or row.get("reqstDt"))
        posted = day_of(row.get("creatPnttm") or row.get("pubDate"))
        summary = text_of_html(row.get("bsnsSumryCn") or row.get("description"))
        agency = [cleaned_line(row.get(name)) for name in ("jrsdInsttNm", "excInsttNm")]
        target = cleaned_line(row.get("trgetNm"))
        heads = {
            "지원대상": target,
            "신청기간": cleaned_line(row.get("reqstBeginEndDe") or row.get("reqstDt")),
            "신청방법": text_of_html(row.get("reqstMthPapersCn")).replace("\n", " "),
            "문의처": cleaned_line(row.get("refrncNm")),
            "접수처": cleaned_line(row.get("rceptEngnHmpgUrl")),
        }
        return NoticeRecord(
            pack=self.pack,
            id=f"bizinfo-{number.removeprefix('PBLN_').lstrip('0') or number}",
            title=title,
            source=self.name,
            listed=today,
            agency=" / ".join(dict.fromkeys(part for part in agency if part)),
            region=region_in_title(title) or _tagged_regions(row.get("hashtags") or row.get("hashTags")),
            field=cleaned_line(row.get("pldirSportRealmLclasCodeNm") or row.get("lcategory")),
            target=target,
            apply_start=start,
            apply_end=end,
            period=period,
            posted=posted,
            year=(posted or end or today).year,
            summary=summary,
            body=_heads(heads),
            url=web_address(row.get("pblancUrl") or row.get("link"), _BIZINFO_HOST),
        )


class KStartupSource:
    """K-Startup. ``{"data": [...], "totalCount": n, …}``; ``{"code": -401, "msg": …}`` or XML where it refuses."""

    name = "kstartup"
    pack = _SUPPORT

    def __init__(self, pages: JsonPages, key: str, size: int = PAGE) -> None:
        self._pages = pages
        self._key = key
        self._size = size

    def close(self) -> None:
        self._pages.close()

    def page(self, number: int, today: date, whole: Deadline) -> NoticePage:
        query = {"serviceKey": self._key, "returnType": "json", "page": str(number), "perPage": str(self._size)}
        answer = self._pages.get(query, whole)
        if "code" in answer and "data" not in answer:
            told = printable(cleaned_line(f"{answer['code']} {answer.get('msg', '')}"), _MAX_MESSAGE)
            raise NoticeSourceRefused(f"{self.name}: 거절되었습니다: {told}")
        rows = answer.get("data")
        if not isinstance(rows, list):
            raise NoticeSourceError(f"{self.name}: 응답이 알려진 모양이 아닙니다 (data)")
        records = [record for row in rows if (record := self._record(row, today)) is not None]
        total = answer.get("totalCount")
        is_last = len(rows) < self._size if not isinstance(total, int) else not rows or number * self._size >= total
        return NoticePage(tuple(records), len(rows) - len(records), is_last)

    def _record(self, row: object, today: date) -> NoticeRecord | None:
        if not isinstance(row, dict):
            return None
        number, title = _plain_id(row.get("pbanc_sn")), cleaned_line(row.get("biz_pbanc_nm"))
        if not number or not title:
            return None
        start, end = day_of(row.get("pbanc_rcpt_bgng_dt")), day_of(row.get("pbanc_rcpt_end_dt"))
        age = cleaned_line(row.get("biz_enyy"))
        target = cleaned_line(row.get("aply_trgt"))
        agencies = [cleaned_line(row.get(name)) for name in ("sprv_inst", "pbanc_ntrp_nm")]
        recruiting = cleaned_line(row.get("rcrt_prgs_yn"))
        heads = {
            "지원대상": text_of_html(row.get("aply_trgt_ctnt")) or target,
            "업력": age,
            "연령": cleaned_line(row.get("biz_trgt_age")),
            "신청방법": " ".join(_ways(row)),
            "제외대상": text_of_html(row.get("aply_excl_trgt_ctnt")),
            "우대사항": text_of_html(row.get("prfn_matr")),
            "문의처": cleaned_line(row.get("prch_cnpl_no")),
        }
        return NoticeRecord(
            pack=self.pack,
            id=f"kstartup-{number}",
            title=title,
            source=self.name,
            listed=today,
            agency=" / ".join(dict.fromkeys(part for part in agencies if part)),
            region=cleaned_line(row.get("supt_regin")) or region_in_title(title),
            field=cleaned_line(row.get("supt_biz_clsfc")),
            target=", ".join(part for part in (target, age) if part),
            apply_start=start,
            apply_end=end,
            period="마감" if recruiting == "N" and end is None else "",
            posted=start,
            year=(start or end or today).year,
            summary=text_of_html(row.get("pbanc_ctnt")),
            body=_heads(heads),
            url=web_address(row.get("detl_pg_url"), _KSTARTUP_HOST),
        )


def configured_sources(
    settings: Settings, *, pause: Callable[[float], None] = time.sleep, size: int = PAGE
) -> list[NoticeSource]:
    """Return the sources that have a key. Raises `NoticeSourceError` for an address that is none."""
    found: list[NoticeSource] = []
    timeout = settings.notice_api_timeout
    if settings.bizinfo_api_key is not None:
        pages = JsonPages("bizinfo", settings.bizinfo_api_url, timeout, pause=pause)
        found.append(BizinfoSource(pages, settings.bizinfo_api_key.get_secret_value(), size))
    if settings.kstartup_api_key is not None:
        pages = JsonPages("kstartup", settings.kstartup_api_url, timeout, pause=pause)
        found.append(KStartupSource(pages, settings.kstartup_api_key.get_secret_value(), size))
    return found


def _plain_id(value: object) -> str:
    text = cleaned_line(value)
    allowed = all(letter.isascii() and (letter.isalnum() or letter in "_-.") for letter in text)
    return text if allowed and len(text) <= 100 else ""


def _tagged_regions(value: object) -> str:
    """The regions among the hash tags; that there are more words in it does no harm, for only regions are read."""
    return cleaned_line(value)[:300]


def _heads(lines: dict[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)


def _ways(row: dict[str, Any]) -> Sequence[str]:
    names = {
        "aply_mthd_onli_rcpt_istc": "온라인",
        "aply_mthd_eml_rcpt_istc": "이메일",
        "aply_mthd_vst_rcpt_istc": "방문",
        "aply_mthd_pssr_rcpt_istc": "우편",
        "aply_mthd_fax_rcpt_istc": "팩스",
        "aply_mthd_etc_istc": "기타",
    }
    return [f"{name} {value}" for column, name in names.items() if (value := cleaned_line(row.get(column)))]
