"""The notices that the service searches: catalogues in memory that follow the database.

The database may go away: what was read last goes on being served, and every answer says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from schemas.chat import Component, Degradation
from utils.config.settings import Settings
from utils.observability.sparse_log import SparseLog
from utils.protocols import Analyzer
from vectorstores.notices.catalogue import Catalogue, read_notices
from vectorstores.notices.errors import NoticesUnavailable
from vectorstores.notices.pack import NoticeData
from vectorstores.notices.store import NoticeStore, SourceState, is_kept_anywhere, store_url

logger = logging.getLogger(__name__)

_POLL_SECONDS = 5.0
_KOREA = timedelta(hours=9)
_AWAY = "공고 데이터베이스를 쓸 수 없어 {day}에 읽은 공고로 답합니다."
_OLD = "{name} 공고를 새로 받지 못해 {day}에 받은 공고로 답합니다({days}일 전)."
_NEVER = "{name} 공고를 아직 받지 못했습니다."


@dataclass(frozen=True, slots=True)
class Shelf:
    """A state of the notices. ``version`` is equal for equal notices, empty where there are none."""

    catalogues: Mapping[str, Catalogue] = field(default_factory=lambda: MappingProxyType({}))
    version: str = ""
    sources: tuple[SourceState, ...] = ()
    read: datetime | None = None
    is_away: bool = False

    def of(self, packs: Sequence[str]) -> Shelf:
        """Return the shelf with the notices of these packs alone; with no packs given, itself."""
        if not packs:
            return self
        return replace(self, catalogues={key: each for key, each in self.catalogues.items() if key in packs})

    @property
    def is_empty(self) -> bool:
        return not any(len(catalogue) for catalogue in self.catalogues.values())


class NoticeLibrary:
    """Gives the notices in force; `watch` follows the database. Reading it blocks: `refresh` belongs into a thread."""

    def __init__(
        self,
        data: NoticeData,
        analyzer: Analyzer,
        settings: Settings,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.data = data
        self.shelf = Shelf()
        self._analyzer = analyzer
        self._settings = settings
        self._clock = clock
        self._store: NoticeStore | None = None
        self._log = SparseLog(logger)

    @property
    def version(self) -> str:
        """Return a text that changes with the notices, and when their database goes away or comes back."""
        shelf = self.shelf
        return f"{shelf.version}:{'away' if shelf.is_away else 'there'}"

    def refresh(self) -> None:
        """Read what has changed. A database that is away leaves the notices as they are, and marks them."""
        if not is_kept_anywhere(self._settings):
            return
        store = self._opened()
        try:
            version = store.version()
            if version != self.shelf.version or self.shelf.is_away:
                self.shelf = self._read(store, version)
        except NoticesUnavailable as error:
            self._log.warning(str(error))
            now = self._clock()
            shelf = self.shelf
            self.shelf = Shelf(shelf.catalogues, shelf.version, shelf.sources, shelf.read or now, is_away=True)

    async def watch(self) -> None:
        """Follow the database until cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                await asyncio.to_thread(self.refresh)
            except Exception:  # whatever a driver brings up, the next look shall come
                logger.exception("공고를 다시 읽지 못했습니다.")

    def body(self, pack: str, notice_id: str) -> str:
        """Return the text of a notice. Raises `NoticesUnavailable`."""
        return self._opened().body(pack, notice_id)

    def degradations(self, pack: str) -> tuple[Degradation, ...]:
        """Return why the notices of a pack may be old, each with their age."""
        shelf, now = self.shelf, self._clock()
        told = []
        if shelf.is_away and shelf.read is not None:
            told.append(_AWAY.format(day=_day(shelf.read)))
        limit = timedelta(hours=self._settings.notice_max_age_hours)
        for source in shelf.sources:
            if source.pack != pack or not source.is_api:
                continue
            if source.refreshed is None:
                told.append(_NEVER.format(name=source.name))
            elif source.failure or now - source.refreshed > limit:
                days = max((now - source.refreshed).days, 0)
                told.append(_OLD.format(name=source.name, day=_day(source.refreshed), days=days))
        return tuple(Degradation(component=Component.NOTICES, reason=reason) for reason in told)

    def close(self) -> None:
        """Give the connections back."""
        if self._store is not None:
            self._store.close()

    def _opened(self) -> NoticeStore:
        if self._store is None:
            self._store = NoticeStore(store_url(self._settings))
        return self._store

    def _read(self, store: NoticeStore, version: str) -> Shelf:
        if not version:
            return Shelf(read=self._clock())
        stored = store.all()
        catalogues = {
            key: Catalogue(
                pack,
                self.data.regions[key],
                read_notices(stored, pack, self.data.regions[key], self._analyzer),
                self._analyzer,
            )
            for key, pack in self.data.packs.items()
        }
        return Shelf(MappingProxyType(catalogues), version, tuple(store.sources()), self._clock())


def _day(moment: datetime) -> str:
    return (moment + _KOREA).date().isoformat()
