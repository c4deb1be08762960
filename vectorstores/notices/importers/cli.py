"""``python -m vectorstores notices …``: taking notices in, refreshing them from public APIs, and counting them."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from utils.config.settings import Settings
from utils.law.korean_day import korean_day
from vectorstores.notices.catalogue import read_notices
from vectorstores.notices.pack import NoticeData
from vectorstores.notices.store import NoticeStore, is_kept_anywhere, store_url
from vectorstores.tokenizer import KiwiTokenizer

if TYPE_CHECKING:  # commands that fetch nothing load no HTTP client
    from vectorstores.notices.importers.refresh import RefreshReport

_SHOWN = 20
_NO_KEY = "API 키가 없습니다. BIZINFO_API_KEY(기업마당)나 KSTARTUP_API_KEY(공공데이터포털)를 정해 주십시오."
_NONE = "공고가 없습니다. 가져오기: python -m vectorstores notices import FILE --pack support"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``notices`` takes."""
    parser.add_argument(
        "action", choices=("import", "refresh", "stats"), help="파일에서 가져오기, API에서 새로 받기, 세기"
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="import: 한 줄에 한 공고인 JSONL")
    parser.add_argument("--pack", default="support", metavar="KEY", help="import: 공고의 묶음 (support, housing …)")
    parser.add_argument("--all", action="store_true", help="refresh: 새것이 없는 쪽에서 멈추지 않고 끝까지")


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Run one action; 1 where something failed or was left out, 2 for wrong usage. Raises `KnowledgeIndexError` and OSError."""
    data = NoticeData.load(settings.notice_dir)
    match options.action:
        case "import":
            return _import(options, settings, data)
        case "refresh":
            return _refresh(options, settings)
        case _:
            return _stats(settings, data)


def _import(options: argparse.Namespace, settings: Settings, data: NoticeData) -> int:
    pack = data.packs.get(options.pack)
    if pack is None or not options.files:
        print(f"--pack은 {', '.join(data.packs)} 가운데 하나이고, 파일이 필요합니다.", file=sys.stderr)
        return 2
    from vectorstores.notices.importers.refresh import import_file

    store = NoticeStore(store_url(settings), KiwiTokenizer())
    try:
        reports = [import_file(store, file, pack, datetime.now(UTC)) for file in options.files]
    finally:
        store.close()
    return _told(reports)


def _refresh(options: argparse.Namespace, settings: Settings) -> int:
    from vectorstores.notices.importers.refresh import refresh
    from vectorstores.notices.importers.sources import configured_sources

    sources = configured_sources(settings)
    if not sources:
        print(_NO_KEY, file=sys.stderr)
        return 1
    store = NoticeStore(store_url(settings), KiwiTokenizer())
    try:
        return _told(refresh(store, sources, settings, everything=options.all))
    finally:
        store.close()
        for source in sources:
            source.close()


def _stats(settings: Settings, data: NoticeData) -> int:
    if not is_kept_anywhere(settings):
        print(_NONE)
        return 0
    tokenizer, today = KiwiTokenizer(), korean_day()
    store = NoticeStore(store_url(settings))
    try:
        store.prepare()
        counts, states, stored = store.counts(), store.sources(), store.all()
    finally:
        store.close()
    for (of_pack, source), count in sorted(counts.items()):
        print(f"{of_pack:<12}{source:<20}{count:>10,}건")
    for key, pack in data.packs.items():
        notices = read_notices(stored, pack, data.regions[key], tokenizer)
        states_now = [notice.status_on(today, pack) for notice in notices]
        told = ", ".join(f"{pack.label_of(status)} {states_now.count(status):,}" for status in pack.statuses)
        print(f"{pack.label} ({today.isoformat()}): {told}")
    for state in states:
        when = state.refreshed.isoformat(timespec="minutes") if state.refreshed else "아직 없음"
        print(f"{state.name:<20} 받은 때 {when}{f', 실패: {state.failure}' if state.failure else ''}")
    if not counts:
        print(_NONE)
    return 0


def _told(reports: list[RefreshReport]) -> int:
    for report in reports:
        changes = report.changes
        print(
            f"{report.source}: 추가 {changes.added:,}, 변경 {changes.updated:,}, 그대로 {changes.unchanged:,}, 삭제 {changes.removed:,}"
        )
        for problem in report.problems[:_SHOWN]:
            print(problem, file=sys.stderr)
        left_out = report.skipped + len(report.problems)
        if left_out:
            print(f"{report.source}: 읽지 못한 항목 {left_out:,}건", file=sys.stderr)
        if report.failure:
            print(f"오류: {report.failure}. 받은 것은 남아 있습니다.", file=sys.stderr)
    return int(any(report.failure or report.problems for report in reports))
