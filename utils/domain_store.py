"""Domain data in a SQL database that operators edit while the service runs; the shipped files when it is away.

SQLite by default, MySQL/MariaDB or PostgreSQL by URL. Every call is blocking and bounded in time: run it in a thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import URL, Connection, Engine, create_engine, delete, event, func, insert, make_url, select, update
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from schemas.chat import Component, Degradation
from utils.domain_pack import DomainDataError, DomainPack, PackSet, RejectionPack, load_pack_files
from utils.domain_tables import DomainTables, entry_rows, pack_key, pack_row, packs_from_rows, register_functions

_DRIVERS = {"sqlite": "sqlite", "mysql": "mysql+pymysql", "mariadb": "mysql+pymysql", "postgresql": "postgresql+psycopg",
            "postgres": "postgresql+psycopg"}  # fmt: skip
_RECYCLE_SECONDS = 1_800  # below the usual idle limits of servers and proxies
_BATCH = 500
_START_ATTEMPTS = 4  # losing to another process can happen at the tables, at the rows, and by a deadlock


class DomainStoreError(RuntimeError):
    """The database cannot be used now; the message does not carry credentials."""


@dataclass(frozen=True, slots=True)
class DomainData:
    """The packs in force, where they come from, and why not from the database when they do not.

    ``version`` is equal for equal data of one origin.
    """

    packs: PackSet
    version: str
    origin: Literal["database", "files"]
    reason: str | None = None

    @property
    def degradation(self) -> Degradation | None:
        """What to name in every answer while the database is not what serves."""
        return None if self.reason is None else Degradation(component=Component.DOMAIN_DB, reason=self.reason)


class DomainStore:
    """The domain tables of one database.

    Raises ``DomainDataError`` on construction for a URL that cannot be used or a driver that is not installed; a server
    that is down is no error here.
    """

    def __init__(
        self, url: str, files: Path, *, timeout_seconds: float = 3.0, table_prefix: str = "bizi_domain_"
    ) -> None:
        self._files = files
        self._tables = DomainTables(table_prefix)
        self._engine = _engine(url, timeout_seconds)

    def load(self) -> DomainData:
        """The data of the database, seeded first when it is empty; those of the files when it cannot be read.

        Raises ``DomainDataError`` when the files cannot be read either.
        """
        try:
            return self._load_prepared()
        except (DomainStoreError, DomainDataError) as error:
            return DomainData(load_pack_files(self._files), "files", "files", _reason(error))

    def refresh(self, current: DomainData) -> DomainData:
        """``current`` itself while nothing has changed, else the data now in force.

        When the database cannot be read or its data make no sense, the packs of ``current`` stay in force with a reason.
        """
        try:
            if current.origin == "files":
                return self._load_prepared()
            with self._transaction() as connection:
                unchanged = self._version(connection) == current.version
                if unchanged and current.reason is None:
                    return current
                return self._select(connection)
        except (DomainStoreError, DomainDataError) as error:
            reason = _reason(error)
            return current if current.reason == reason else replace(current, reason=reason)

    def save(self, pack: DomainPack | RejectionPack) -> None:
        """Create the pack or replace it whole.

        Raises ``DomainStoreError`` when the database is away and ``DomainDataError`` when the set would make no sense.
        """
        key = pack_key(pack)
        with self._transaction() as connection:
            known = connection.execute(
                select(self._tables.pack.c.position).where(self._tables.pack.c.key == key)
            ).scalar()
            if known is None:
                self._insert_pack(connection, pack, self._next_position(connection))
            else:
                row = pack_row(pack, known)
                connection.execute(update(self._tables.pack).where(self._tables.pack.c.key == key).values(row))
                connection.execute(delete(self._tables.entry).where(self._tables.entry.c.pack_key == key))
                self._insert_entries(connection, pack)
            self._select(connection)

    def delete(self, key: str) -> bool:
        """Remove a domain or a kind of rejection; False when there was none. Raises as `save` does."""
        with self._transaction() as connection:
            connection.execute(delete(self._tables.entry).where(self._tables.entry.c.pack_key == key))
            removed = connection.execute(delete(self._tables.pack).where(self._tables.pack.c.key == key)).rowcount
            if removed:
                self._select(connection)
        return bool(removed)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def _prepare(self) -> None:
        """Create the tables and fill them from the files when they are empty; several processes may do so at once.

        Rows that nobody has edited since they were filled follow the files when those change; edited rows stay.
        """
        shipped = load_pack_files(self._files)
        for attempts_left in reversed(range(_START_ATTEMPTS)):
            try:
                with self._transaction() as connection:
                    self._tables.metadata.create_all(connection)
                    if self._is_empty(connection):
                        self._seed(connection, shipped)
                    elif self._is_outdated(connection, shipped):
                        connection.execute(delete(self._tables.entry))
                        connection.execute(delete(self._tables.pack))
                        self._seed(connection, shipped)
                return
            except DomainStoreError as error:
                if not attempts_left or not _lost_race(error):
                    raise

    def _is_empty(self, connection: Connection) -> bool:
        return not connection.execute(select(func.count()).select_from(self._tables.pack)).scalar_one()

    def _is_outdated(self, connection: Connection, shipped: PackSet) -> bool:
        """Whether the rows are as an older state of the files left them."""
        seeded = connection.execute(select(self._tables.seed)).first()
        if seeded is None or seeded.files_digest == _digest(shipped):
            return False
        return bool(seeded.version == self._version(connection))

    def _seed(self, connection: Connection, shipped: PackSet) -> None:
        packs: tuple[DomainPack | RejectionPack, ...] = (*shipped.domains, *shipped.rejections)
        for position, pack in enumerate(packs):
            self._insert_pack(connection, pack, position)
        seed = self._tables.seed
        connection.execute(delete(seed))
        values = {"id": 1, "files_digest": _digest(shipped), "version": self._version(connection)}
        connection.execute(insert(seed), [values])

    def _insert_pack(self, connection: Connection, pack: DomainPack | RejectionPack, position: int) -> None:
        connection.execute(insert(self._tables.pack), [pack_row(pack, position)])
        self._insert_entries(connection, pack)

    def _insert_entries(self, connection: Connection, pack: DomainPack | RejectionPack) -> None:
        rows = entry_rows(pack)
        for start in range(0, len(rows), _BATCH):
            connection.execute(insert(self._tables.entry), rows[start : start + _BATCH])

    def _next_position(self, connection: Connection) -> int:
        highest = connection.execute(select(func.max(self._tables.pack.c.position))).scalar()
        return 0 if highest is None else int(highest) + 1

    def _load_prepared(self) -> DomainData:
        self._prepare()
        with self._transaction() as connection:
            return self._select(connection)

    def _select(self, connection: Connection) -> DomainData:
        pack, entry = self._tables.pack, self._tables.entry
        version = self._version(connection)
        packs = connection.execute(select(pack).order_by(pack.c.position, pack.c.key)).all()
        entries = connection.execute(select(entry.c.pack_key, entry.c.field, entry.c.value).order_by(entry.c.id)).all()
        return DomainData(packs_from_rows(packs, entries), version, "database")

    def _version(self, connection: Connection) -> str:
        rows = [connection.execute(query).one() for query in self._tables.checksums(connection.dialect.name)]
        return ":".join(str(value) for row in rows for value in row)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise DomainStoreError(type(error).__name__) from error


def _digest(packs: PackSet) -> str:
    return hashlib.blake2b(packs.model_dump_json().encode(), digest_size=16).hexdigest()


def _lost_race(error: DomainStoreError) -> bool:
    """Whether another process created the tables or the rows first, or was doing so at the same time."""
    message = str(error.__cause__).lower()
    return isinstance(error.__cause__, IntegrityError) or "exist" in message or "deadlock" in message


def _reason(error: Exception) -> str:
    if isinstance(error, DomainDataError):
        return f"the domain tables hold invalid data: {error}"
    return f"the domain database is unavailable ({error})"


def _engine(url: str, timeout_seconds: float) -> Engine:
    try:
        parsed = make_url(url)
        driver = _DRIVERS.get(parsed.get_backend_name())
        if driver is None:
            raise DomainDataError(f"DATABASE_URL: {parsed.get_backend_name()!r} is not one of {sorted(_DRIVERS)}")
        if "+" not in parsed.drivername:
            parsed = parsed.set(drivername=driver)
        if driver == "sqlite" and parsed.database and parsed.database != ":memory:":
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(
            parsed,
            connect_args=_time_limits(parsed, timeout_seconds),
            pool_pre_ping=True,
            pool_recycle=_RECYCLE_SECONDS,
            **({} if driver == "sqlite" else {"pool_timeout": timeout_seconds}),
        )
        if driver == "sqlite":
            event.listen(engine, "connect", register_functions)
        return engine
    except (ArgumentError, NoSuchModuleError) as error:
        raise DomainDataError("DATABASE_URL: not a database URL such as mysql://user:password@host/name") from error
    except ModuleNotFoundError as error:
        raise DomainDataError(
            f"DATABASE_URL: the driver is not installed ({error.name}); install the extra for it"
        ) from error


def _time_limits(url: URL, seconds: float) -> dict[str, Any]:
    """What bounds connecting and every statement, in the words of each driver."""
    whole = max(1, round(seconds))
    match url.get_backend_name():
        case "mysql" | "mariadb":
            return {"connect_timeout": whole, "read_timeout": whole, "write_timeout": whole}
        case "postgresql":
            milliseconds = int(seconds * 1000)
            return {
                "connect_timeout": max(2, whole),
                "options": f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds}",
                "tcp_user_timeout": milliseconds,
            }
        case _:
            return {"timeout": seconds}
