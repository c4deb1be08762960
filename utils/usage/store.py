"""Sums of usage in a SQL database that several processes add to: SQLite by default, PostgreSQL by URL.

Every call is blocking and bounded in time: run it in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import BigInteger, Column, Connection, MetaData, String, Table, Text, func, select

from schemas.usage import UsageGroup, UsagePurpose
from utils.config.settings import Settings
from utils.routing.database import Database, DomainStoreError, lost_race
from utils.usage.records import COUNTED, UsageCounts, UsageKey

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

_DEFAULT_FILE = ("usage", "usage.db")
_KEPT_BATCHES = timedelta(days=7)  # nobody writes a batch again after so long
_ATTEMPTS = 3  # to make the tables, which another process may be making
_PURPOSES = frozenset(UsagePurpose)


class UsageStoreError(RuntimeError):
    """The database cannot be used now; the message does not carry credentials."""


@dataclass(frozen=True, slots=True)
class UsageBatch:
    """Counts that are written as a whole, and once however often that is tried: ``id`` tells whether they were."""

    id: str
    counts: Mapping[UsageKey, UsageCounts]

    @classmethod
    def of(cls, counts: Mapping[UsageKey, UsageCounts]) -> UsageBatch:
        """Return a new batch."""
        return cls(uuid4().hex, dict(counts))


class UsageStore:
    """The tables of a database; nothing is connected to before it is used.

    Raises:
        DomainDataError: on construction: the URL cannot be used.
    """

    def __init__(self, url: str, timeout_seconds: float) -> None:
        self._database = Database(url, timeout_seconds)
        self._insert = _insert_into(url)
        metadata = MetaData()
        self._sums = Table(
            "bizi_usage",
            metadata,
            Column("day", String(10), primary_key=True),
            Column("client", Text, primary_key=True),
            Column("purpose", String(32), primary_key=True),
            Column("model", Text, primary_key=True),
            *(Column(name, BigInteger, nullable=False) for name in COUNTED),
        )
        self._batches = Table(
            "bizi_usage_batches",
            metadata,
            Column("id", String(32), primary_key=True),
            Column("written", String(32), nullable=False, index=True),
        )
        self._metadata = metadata
        self._is_ready = False

    @classmethod
    def from_settings(cls, settings: Settings) -> UsageStore:
        """Return the store that the settings name. Raises `DomainDataError`."""
        return cls(_url(settings), settings.usage_timeout)

    def use_secrets(self, settings: Settings) -> None:
        """Connect with the password of ``settings`` from now on. Raises `DomainDataError` for an address that is none."""
        self._database.use(_url(settings))

    def add(
        self, batch: UsageBatch | None, since: date, clients: Collection[str] | None
    ) -> dict[UsageKey, UsageCounts]:
        """Add a batch to the sums unless that was done before, and return the sums ``since`` a day, in one transaction.

        They are those of some clients, of all where ``clients`` is None; none of an empty collection. Purposes are not told
        apart in them: they all count as `UsagePurpose.GENERATION`.

        Raises:
            UsageStoreError: the sums are what they were, or the batch was written and nobody could say so.
        """
        with self._connection() as connection:
            if batch is not None and self._is_new(connection, batch.id):
                for key, counts in sorted(
                    batch.counts.items()
                ):  # in one order, so that processes do not lock each other
                    self._add(connection, key, counts)
            if clients is not None and not clients:
                return {}
            apart = {UsageGroup.DAY, UsageGroup.CLIENT, UsageGroup.MODEL}
            return self._read(connection, since, date.max, clients, apart)

    def sums(
        self, first: date, last: date, client: str | None, groups: Collection[UsageGroup]
    ) -> dict[UsageKey, UsageCounts]:
        """Return the sums of the days from ``first`` to ``last``, by day and model and by what else ``groups`` names.

        Of a key that is not grouped by, client is empty and purpose `UsagePurpose.GENERATION`.

        Raises:
            UsageStoreError: they cannot be read.
        """
        with self._connection() as connection:
            apart = {UsageGroup.DAY, UsageGroup.MODEL, *groups}
            return self._read(connection, first, last, None if client is None else (client,), apart)

    def close(self) -> None:
        """Give the connections back."""
        self._database.close()

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """Open a transaction on ready tables. Those that went away are made anew the next time."""
        try:
            self._make_ready()
            with self._database.transaction() as connection:
                yield connection
        except DomainStoreError as error:
            self._is_ready = False
            raise UsageStoreError(str(error)) from error

    def _make_ready(self) -> None:
        for attempts_left in reversed(range(0 if self._is_ready else _ATTEMPTS)):
            try:
                with self._database.transaction() as connection:
                    self._metadata.create_all(connection)
                self._is_ready = True
                return
            except DomainStoreError as error:
                if not attempts_left or not lost_race(error.__cause__):
                    raise

    def _is_new(self, connection: Connection, batch: str) -> bool:
        now = datetime.now(UTC)
        marked = self._insert(self._batches).values(id=batch, written=now.isoformat()).on_conflict_do_nothing()
        is_new = connection.execute(marked.returning(self._batches.c.id)).first() is not None
        old = self._batches.c.written < (now - _KEPT_BATCHES).isoformat()
        connection.execute(self._batches.delete().where(old))
        return is_new

    def _add(self, connection: Connection, key: UsageKey, counts: UsageCounts) -> None:
        place = {"day": key.day.isoformat(), "client": key.client, "purpose": key.purpose.value, "model": key.model}
        added = self._insert(self._sums).values(**place, **dict(zip(COUNTED, astuple(counts), strict=True)))
        sums = {name: self._sums.c[name] + added.excluded[name] for name in COUNTED}
        connection.execute(added.on_conflict_do_update(index_elements=list(place), set_=sums))

    def _read(
        self,
        connection: Connection,
        first: date,
        last: date,
        clients: Collection[str] | None,
        groups: Collection[UsageGroup],
    ) -> dict[UsageKey, UsageCounts]:
        table = self._sums
        columns = [table.c[group.value] for group in UsageGroup if group in groups]
        sums = [func.sum(table.c[name]).label(name) for name in COUNTED]
        query = select(*columns, *sums).where(table.c.day.between(first.isoformat(), last.isoformat()))
        if clients is not None:
            query = query.where(table.c.client.in_(list(clients)))
        rows = connection.execute(query.group_by(*columns)).mappings()
        return {_key(row): UsageCounts(*(int(row[name]) for name in COUNTED)) for row in rows}


def _key(row: Mapping[Any, Any]) -> UsageKey:
    """Return the key of a row; a purpose of a later version of the service counts as generation."""
    purpose = row.get("purpose")
    return UsageKey(
        date.fromisoformat(row["day"]),
        str(row.get("client", "")),
        UsagePurpose(purpose) if purpose in _PURPOSES else UsagePurpose.GENERATION,
        str(row["model"]),
    )


def _insert_into(url: str) -> Callable[[Table], sqlite.Insert | postgresql.Insert]:
    # not at the top: a dialect has thirty modules, and a service uses one
    if url.startswith("sqlite"):
        from sqlalchemy.dialects.sqlite import insert as into_sqlite

        return into_sqlite
    from sqlalchemy.dialects.postgresql import insert as into_postgresql

    return into_postgresql


def _url(settings: Settings) -> str:
    return settings.usage_url or f"sqlite:///{settings.data_dir.joinpath(*_DEFAULT_FILE)}"
