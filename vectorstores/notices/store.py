"""Notices in a SQL database: SQLite by default, PostgreSQL or MySQL/MariaDB by URL. Every call is blocking: run it in a thread."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import Connection, and_, delete, func, insert, select, update
from sqlalchemy.engine import make_url

from utils.config.settings import Settings
from utils.protocols import Analyzer
from utils.routing.database import Database, DomainStoreError
from utils.routing.domain_pack import DomainDataError
from vectorstores.notices.errors import NoticeDataError, NoticesUnavailable
from vectorstores.notices.notice import LONGEST_BODY, NoticeRecord
from vectorstores.notices.tables import NoticeTables, are_there, migrate

_FILE = "notices.db"
_TIMEOUT = 5.0
_AT_ONCE = 100  # rows of a transaction
_ATTEMPTS = 5
_PAUSE = 0.2
_LIMITS = {
    "title": 300,
    "agency": 200,
    "region": 300,
    "field": 200,
    "target": 300,
    "period": 100,
    "url": 500,
    "source": 48,
}
_LONGEST_SUMMARY = 5_000
_MOST_TERMS = 20_000  # characters of joined terms
_FIELDS = tuple(each.name for each in fields(NoticeRecord))


@dataclass(frozen=True, slots=True)
class StoredNotice:
    """A row without its body; terms as they were when it was taken in, by the analyser ``tokenizer``."""

    record: NoticeRecord
    tokenizer: str
    title_terms: tuple[str, ...]
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceState:
    """The last refresh of a source. ``failure``: why the last try failed, empty where it did not. Times are UTC."""

    name: str
    pack: str
    refreshed: datetime | None
    tried: datetime | None
    failure: str
    is_api: bool


@dataclass
class Changes:
    """Counts of what an import changed."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0

    @property
    def any(self) -> bool:
        return bool(self.added or self.updated or self.removed)


class NoticeStore:
    """The notices of one database.

    Raises ``NoticeDataError`` on construction for a URL that cannot be used; a server that is down is no error here.
    """

    def __init__(self, url: str, analyzer: Analyzer | None = None, timeout: float = _TIMEOUT) -> None:
        try:
            self._database = Database(url, timeout)
        except DomainDataError as error:
            raise NoticeDataError(str(error).replace("DATABASE_URL", "NOTICE_DATABASE_URL")) from error
        self._analyzer = analyzer
        self._tables = NoticeTables()

    def close(self) -> None:
        self._database.close()

    def prepare(self) -> None:
        """Make or change the tables; several processes may do so at once. Raises `NoticesUnavailable`."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                with self._connected() as connection:
                    migrate(connection, self._tables)
                return
            except NoticesUnavailable:  # another process may have been faster; each database says so in its own way
                if not left:
                    raise
                time.sleep(_PAUSE)

    def version(self) -> str:
        """Return a text that is another one after every change; empty where nothing was ever taken in. Raises `NoticesUnavailable`."""
        source = self._tables.source.c
        with self._connected() as connection:
            if not are_there(connection, self._tables):
                return ""
            rows = connection.execute(
                select(source.name, source.changes, source.tried, source.failure).order_by(source.name)
            ).all()
        told = "|".join(f"{row.name}:{row.changes}:{row.tried}:{row.failure}" for row in rows)
        return hashlib.sha256(told.encode()).hexdigest()[:16] if rows else ""

    def put(self, records: Iterable[NoticeRecord], changes: Changes) -> None:
        """Add notices, or replace those of the same pack and id; ``changes`` counts them as they are written.

        Raises:
            NoticesUnavailable: those counted so far are kept.
        """
        waiting = iter(records)
        while batch := list(islice(waiting, _AT_ONCE)):
            last = {(record.pack, record.id): _bounded(record) for record in batch}
            with self._connected() as connection:
                self._put(connection, list(last.values()), changes)

    def note_refresh(self, name: str, pack: str, now: datetime, *, failure: str, is_api: bool, changed: bool) -> None:
        """Remember how a refresh went. Raises `NoticesUnavailable`."""
        source = self._tables.source
        moment = now.astimezone(UTC).replace(tzinfo=None, microsecond=0)
        values: dict[str, Any] = {"pack": pack, "tried": moment, "failure": failure[:200], "is_api": int(is_api)}
        if not failure:
            values["refreshed"] = moment
        with self._connected() as connection:
            known = connection.execute(select(source.c.changes).where(source.c.name == name)).scalar()
            count = (known or 0) + int(changed)
            if known is None:
                connection.execute(insert(source).values(name=name, changes=count, **values))
            else:
                connection.execute(update(source).where(source.c.name == name).values(changes=count, **values))

    def sources(self) -> list[SourceState]:
        """Return how the refreshes of all sources went. Raises `NoticesUnavailable`."""
        with self._connected() as connection:
            rows = connection.execute(select(self._tables.source).order_by(self._tables.source.c.name)).all()
        return [
            SourceState(row.name, row.pack, _utc(row.refreshed), _utc(row.tried), row.failure, bool(row.is_api))
            for row in rows
        ]

    def remove_ended(self, source: str, before: date) -> int:
        """Remove notices of a source whose deadline was before a day; return how many. Raises `NoticesUnavailable`."""
        notice = self._tables.notice
        with self._connected() as connection:
            gone = connection.execute(
                delete(notice).where(and_(notice.c.source == source, notice.c.apply_end < before))
            )
        return int(gone.rowcount)

    def counts(self) -> dict[tuple[str, str], int]:
        """Return the number of notices of each pack and source. Raises `NoticesUnavailable`."""
        notice = self._tables.notice.c
        with self._connected() as connection:
            rows = connection.execute(
                select(notice.pack, notice.source, func.count()).group_by(notice.pack, notice.source)
            ).all()
        return {(row[0], row[1]): row[2] for row in rows}

    def all(self) -> list[StoredNotice]:
        """Return all notices, without their bodies. Raises `NoticesUnavailable`."""
        columns = [column for column in self._tables.notice.c if column.name not in ("body", "digest")]
        with self._connected() as connection:
            rows = connection.execute(select(*columns)).all()
        return [
            StoredNotice(
                NoticeRecord(**{name: getattr(row, name) for name in _FIELDS if name != "body"}),
                row.tokenizer,
                tuple(row.title_terms.split()),
                tuple(row.terms.split()),
            )
            for row in rows
        ]

    def body(self, pack: str, notice_id: str) -> str:
        """Return the text of a notice; empty where there is no such notice. Raises `NoticesUnavailable`."""
        notice = self._tables.notice.c
        with self._connected() as connection:
            found = connection.execute(
                select(notice.body).where(and_(notice.pack == pack, notice.id == notice_id))
            ).scalar()
        return found or ""

    def _put(self, connection: Connection, records: Sequence[NoticeRecord], changes: Changes) -> None:
        notice = self._tables.notice
        for record in records:
            same = and_(notice.c.pack == record.pack, notice.c.id == record.id)
            digest = _digest(record)
            known = connection.execute(select(notice.c.digest, notice.c.listed).where(same)).first()
            if known is None:
                connection.execute(insert(notice).values(**self._row(record, digest)))
                changes.added += 1
            elif known.digest != digest:
                connection.execute(update(notice).where(same).values(**self._row(record, digest)))
                changes.updated += 1
            else:
                if record.listed > known.listed:
                    connection.execute(update(notice).where(same).values(listed=record.listed))
                changes.unchanged += 1

    def _row(self, record: NoticeRecord, digest: str) -> dict[str, Any]:
        assert self._analyzer is not None, "a store that is written to has an analyser"
        title = self._analyzer.terms(record.title)
        rest = self._analyzer.terms(searched_text(record))
        return {
            **asdict(record),
            "tokenizer": self._analyzer.id,
            "title_terms": " ".join(dict.fromkeys(title))[:_MOST_TERMS],
            "terms": " ".join(dict.fromkeys(rest))[:_MOST_TERMS],
            "digest": digest,
        }

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        try:
            with self._database.transaction() as connection:
                yield connection
        except DomainStoreError as error:
            raise NoticesUnavailable(f"공고 데이터베이스를 쓸 수 없습니다 ({error})") from error


def searched_text(record: NoticeRecord) -> str:
    """Return the text of a notice that keywords are looked for in, besides its title."""
    return "\n".join((record.summary, record.target, record.field, record.agency))


def store_url(settings: Settings) -> str:
    """Return the address of the notices' database."""
    return settings.notice_database_url or settings.database_url or f"sqlite:///{settings.data_dir / _FILE}"


def is_kept_anywhere(settings: Settings) -> bool:
    """Return whether there may be notices: a database is named, or its file is there. A URL is not connected to."""
    url = make_url(store_url(settings)) if "://" in store_url(settings) else None
    return url is None or url.get_backend_name() != "sqlite" or (settings.data_dir / _FILE).exists()


def lapsed_before(today: date, days: int) -> date:
    """Return the day before which a deadline must lie for its notice to be removed."""
    return today - timedelta(days=days)


def _bounded(record: NoticeRecord) -> NoticeRecord:
    cut = {name: getattr(record, name)[:limit] for name, limit in _LIMITS.items()}
    values = {name: getattr(record, name) for name in _FIELDS}
    return NoticeRecord(
        **{**values, **cut, "summary": record.summary[:_LONGEST_SUMMARY], "body": record.body[:LONGEST_BODY]}
    )


def _digest(record: NoticeRecord) -> str:
    """Equal for equal notices, whenever they were listed."""
    parts = [f"{name}={getattr(record, name)}" for name in _FIELDS if name != "listed"]
    return hashlib.sha256("\x1e".join(parts).encode()).hexdigest()


def _utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None else None
