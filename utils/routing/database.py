"""A connection to the SQL database of the domain data: SQLite, MySQL/MariaDB or PostgreSQL by URL, bounded in time."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from utils.routing.domain_pack import DomainDataError
from utils.routing.domain_tables import register_functions

_DRIVERS = {"sqlite": "sqlite", "mysql": "mysql+pymysql", "mariadb": "mysql+pymysql", "postgresql": "postgresql+psycopg",
            "postgres": "postgresql+psycopg"}  # fmt: skip
_WHOLE = 5  # times the limit of one statement: what a whole transaction may take
_HIGHEST_PORT = 65_535
_RACES = ("exist", "deadlock", "duplicate column")


class DomainStoreError(RuntimeError):
    """The database cannot be used now; the message does not carry credentials."""


class Database:
    """A database by its URL; ``timeout_seconds`` bound connecting and every statement.

    Raises ``DomainDataError`` on construction for a URL that cannot be used or a driver that is not installed; a server
    that is down is no error here.
    """

    def __init__(self, url: str, timeout_seconds: float) -> None:
        self._timeout = timeout_seconds
        self._engine = _engine(url, timeout_seconds)
        self._patience = timeout_seconds * _WHOLE

    def use(self, url: str) -> None:
        """Connect by ``url`` from now on; transactions under way go on. Raises as the construction."""
        before, self._engine = self._engine, _engine(url, self._timeout)
        before.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a connection for a block that counts as a whole or not at all. Raises ``DomainStoreError``."""
        try:
            with self._connected() as connection, _given_up_after(self._patience, connection), connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise DomainStoreError(type(error).__name__) from error

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def _connected(self) -> Connection:
        try:
            return self._engine.connect()
        except (TypeError, ValueError, OSError) as error:  # of a driver that does not know an option of the URL
            raise DomainStoreError(type(error).__name__) from error


def lost_race(error: BaseException | None) -> bool:
    """Return whether another process created the tables, columns or rows first, or was doing so at the same time."""
    message = str(error).lower()
    return isinstance(error, IntegrityError) or any(word in message for word in _RACES)


@contextmanager
def _given_up_after(seconds: float, connection: Connection) -> Iterator[None]:
    """Break the connection when the block takes longer: libpq waits for ever on a server that hangs but is not gone."""
    driver = connection.connection.driver_connection
    if driver is None or not hasattr(driver, "fileno"):
        yield  # the driver has a time limit of its own for every statement
        return
    watch = threading.Timer(seconds, _break_off, [driver.fileno()])
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _break_off(descriptor: int) -> None:
    with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as other:
        other.shutdown(socket.SHUT_RDWR)


def _engine(url: str, timeout_seconds: float) -> Engine:
    try:
        parsed = make_url(url)
        driver = _DRIVERS.get(parsed.get_backend_name())
        if driver is None:
            raise DomainDataError(f"DATABASE_URL: {parsed.get_backend_name()!r} is not one of {sorted(_DRIVERS)}")
        if (parsed.port or 0) > _HIGHEST_PORT:
            raise DomainDataError(f"DATABASE_URL: the port is not a number from 0 to {_HIGHEST_PORT}")
        if "+" not in parsed.drivername:
            parsed = parsed.set(drivername=driver)
        if driver == "sqlite" and parsed.database and parsed.database != ":memory:":
            with suppress(OSError):  # then it cannot be connected to, which is no error here
                Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(
            parsed,
            connect_args=_time_limits(parsed, timeout_seconds),
            # a look every few seconds needs no pool, and a pooled connection hangs where a new one is refused in time
            **({} if driver == "sqlite" else {"poolclass": NullPool}),
        )
        if driver == "sqlite":
            event.listen(engine, "connect", register_functions)
        return engine
    except (ArgumentError, NoSuchModuleError, ValueError) as error:  # ValueError: a port that is no number
        if isinstance(error, DomainDataError):
            raise
        raise DomainDataError("DATABASE_URL: not a database URL such as mysql://user:password@host/name") from error
    except ModuleNotFoundError as error:
        raise DomainDataError(
            f"DATABASE_URL: the driver is not installed ({error.name}); install the extra for it"
        ) from error


def _time_limits(url: URL, seconds: float) -> dict[str, Any]:
    """Return the arguments by which each driver bounds connecting and every statement to ``seconds``."""
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
