"""Refreshing notices: each source is read page by page until nothing new comes, and what came before a failure stays."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from utils.config.settings import Settings
from utils.law.korean_day import korean_day
from utils.resilience.deadline import Deadline
from vectorstores.notices.errors import NoticeSourceError
from vectorstores.notices.importers.lines import read_lines
from vectorstores.notices.importers.sources import NoticeSource
from vectorstores.notices.pack import NoticePack
from vectorstores.notices.store import Changes, NoticeStore, lapsed_before

logger = logging.getLogger(__name__)

_MAX_PAGES = 500
_FILE_SOURCE = "file"


@dataclass
class RefreshReport:
    """The outcome for one source. ``failure`` is a sentence for the operator; ``problems`` were left out."""

    source: str
    changes: Changes = field(default_factory=Changes)
    pages: int = 0
    skipped: int = 0
    failure: str = ""
    problems: list[str] = field(default_factory=list)


def refresh(
    store: NoticeStore,
    sources: Iterable[NoticeSource],
    settings: Settings,
    *,
    everything: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[RefreshReport]:
    """Refresh each source; a failure of one is in its report and stops no other.

    A page on which nothing is new ends a source, unless ``everything`` is wanted or its last refresh had failed.

    Raises:
        NoticesUnavailable: the database cannot be written.
    """
    store.prepare()
    known = {state.name: state for state in store.sources()}
    reports = []
    for source in sources:
        state = known.get(source.name)
        thorough = everything or state is None or bool(state.failure) or state.refreshed is None
        report = RefreshReport(source.name)
        now = clock()
        try:
            _read_all(store, source, korean_day(now), settings.notice_refresh_timeout, report, thorough=thorough)
        except NoticeSourceError as error:
            report.failure = str(error)
            logger.warning("공고를 다 받지 못했습니다: %s", error)
        if not report.failure and settings.notice_keep_days:
            before = lapsed_before(korean_day(now), settings.notice_keep_days)
            report.changes.removed = store.remove_ended(source.name, before)
        changed = report.changes.any
        store.note_refresh(source.name, source.pack, now, failure=report.failure, is_api=True, changed=changed)
        reports.append(report)
    return reports


def import_file(store: NoticeStore, file: Path, pack: NoticePack, now: datetime) -> RefreshReport:
    """Take in a file of JSON Lines. Raises OSError and `NoticesUnavailable`."""
    store.prepare()
    report = RefreshReport(file.name)
    store.put(read_lines(file, pack, korean_day(now), report.problems), report.changes)
    name = f"{_FILE_SOURCE}:{pack.key}"
    store.note_refresh(name, pack.key, now, failure="", is_api=False, changed=report.changes.any)
    return report


def _read_all(
    store: NoticeStore, source: NoticeSource, today: date, seconds: float, report: RefreshReport, *, thorough: bool
) -> None:
    whole = Deadline.after(seconds)
    seen: set[str] = set()
    for number in range(1, _MAX_PAGES + 1):
        page = source.page(number, today, whole)
        report.pages += 1
        report.skipped += page.skipped
        records = [record for record in page.records if record.id not in seen]
        seen.update(record.id for record in records)
        before = report.changes.added + report.changes.updated
        store.put(records, report.changes)
        nothing_new = before == report.changes.added + report.changes.updated
        if number == 1 and not page.records and not page.skipped:
            raise NoticeSourceError(f"{source.name}: 첫 쪽이 비어 있습니다")
        if page.is_last or not records or (nothing_new and not thorough):
            return
    raise NoticeSourceError(f"{source.name}: {_MAX_PAGES}쪽을 넘습니다")
