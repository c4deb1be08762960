"""Domain data in a SQL database that operators edit while the service runs; the files when it is away.

SQLite by default, MySQL/MariaDB or PostgreSQL by URL. Every call is blocking and bounded in time: run it in a thread.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from schemas.chat import Component, Degradation
from utils.config.settings import PROJECT_ROOT, Settings
from utils.observability.sparse_log import SparseLog
from utils.routing.database import Database, DomainStoreError, lost_race
from utils.routing.domain_pack import (
    DomainDataError,
    DomainPack,
    PackSet,
    RejectionPack,
    files_stamp,
    load_pack_files,
)
from utils.routing.domain_rows import DomainRows
from utils.routing.domain_seed import TablesOutdated, prepare
from utils.routing.domain_tables import DomainTables, pack_digest

logger = logging.getLogger(__name__)
_UNAVAILABLE = "도메인 정보 데이터베이스를 쓸 수 없어 마지막으로 읽은 정보나 함께 제공된 정보로 안내합니다."
_INVALID = "도메인 정보의 내용이 올바르지 않아 마지막으로 읽은 정보나 함께 제공된 정보로 안내합니다."
_OUTDATED = "도메인 정보 데이터베이스에 테이블이나 열이 모자라 마지막으로 읽은 정보나 함께 제공된 정보로 안내합니다."
_START_ATTEMPTS = 4  # losing to another process can happen at the tables, at the rows, and by a deadlock
_DEFAULT_FILE = "domains.db"
SHIPPED_DOMAINS = PROJECT_ROOT / "data" / "domains"

__all__ = ["DomainData", "DomainStore", "DomainStoreError", "open_domain_store", "packs_in_force"]


@dataclass(frozen=True, slots=True)
class DomainData:
    """The packs in force, where they come from, and why they are not what database and files say, when they are not.

    ``version`` is equal for equal data of one origin.
    """

    packs: PackSet
    version: str
    origin: Literal["database", "files"]
    reason: str | None = None

    @property
    def degradation(self) -> Degradation | None:
        """The degradation to name in every answer while the database is not what serves; None while it is."""
        return None if self.reason is None else Degradation(component=Component.DOMAIN_DB, reason=self.reason)


class DomainStore:
    """The domain tables of one database and the files that fill them.

    Raises ``DomainDataError`` on construction for a URL that cannot be used or a driver that is not installed; a server
    that is down is no error here.
    """

    def __init__(
        self, url: str, files: Path, *, timeout_seconds: float = 3.0, table_prefix: str = "bizi_domain_"
    ) -> None:
        self._files = files
        self._stamp: object = None
        """Of the files that the tables have followed."""
        self._tables = DomainTables(table_prefix)
        self._database = Database(url, timeout_seconds)
        self._log = SparseLog(logger)

    def load(self) -> DomainData:
        """Return the data of the database, which follows the files first; those of the files when it cannot be read.

        Where one of both cannot be used the other serves, with a reason. Raises ``DomainDataError`` when neither can.
        """
        stamp = files_stamp(self._files)
        shipped, reason = None, None
        try:
            shipped = load_pack_files(self._files)
        except DomainDataError as error:
            unreadable, reason = error, self._reason(error)
        try:
            data = self._from_database(shipped)
        except (DomainStoreError, DomainDataError) as error:
            if shipped is None:
                raise unreadable from error
            return DomainData(shipped, f"files:{_digest(shipped)}", "files", self._reason(error))
        data = replace(data, reason=reason or data.reason)
        self._stamp = stamp if data.reason is None else None
        return data

    def refresh(self, current: DomainData) -> DomainData:
        """Return ``current`` itself while nothing has changed, else the data now in force.

        When database or files cannot be read or their data make no sense, the last good packs stay in force with a reason.
        """
        try:
            if current.origin == "files" or files_stamp(self._files) != self._stamp:
                found = self.load()
                if found.origin == "files" and current.origin == "database":
                    return _with_reason(current, found.reason)
                return current if found == current else found
            with self._rows() as rows:
                unchanged = rows.version() == current.version
                if unchanged and current.reason is None:
                    return current
                return self._select(rows)
        except (DomainStoreError, DomainDataError) as error:
            return _with_reason(current, self._reason(error))

    def read(self) -> DomainData:
        """Return what the tables hold now. Raises ``DomainStoreError`` and, where the rows make no sense, ``DomainDataError``."""
        with self._rows() as rows:
            return self._select(rows)

    @contextmanager
    def editing(self) -> Iterator[DomainRows]:
        """Open the tables for a change that counts as a whole; who else edits waits for its end. Raises ``DomainStoreError``."""
        with self._rows() as rows:
            rows.lock()
            yield rows

    def save(self, pack: DomainPack | RejectionPack) -> None:
        """Create the pack or replace it whole.

        Raises ``DomainStoreError`` when the database is away and ``DomainDataError`` when the set would make no sense.
        """
        with self._rows() as rows:
            rows.put(pack)
            rows.packs()

    def delete(self, key: str) -> bool:
        """Remove a domain or a kind of rejection; False when there was none. Raises as `save` does."""
        with self._rows() as rows:
            removed = rows.remove(key)
            if removed:
                rows.packs()
        return removed

    def close(self) -> None:
        """Give the connections back."""
        self._database.close()

    def _from_database(self, shipped: PackSet | None) -> DomainData:
        """Return what the tables hold; changed files that do not go with them are left out, and that is the reason."""
        reason = None
        if shipped is not None:
            try:
                self._prepare(shipped)
            except DomainDataError as error:
                reason = self._reason(error)
        with self._rows() as rows:
            return replace(self._select(rows), reason=reason)

    def _prepare(self, shipped: PackSet) -> None:
        """Make the tables ready; several processes may do so at once."""
        for attempts_left in reversed(range(_START_ATTEMPTS)):
            try:
                with self._rows() as rows:
                    prepare(rows, shipped)
                return
            except DomainStoreError as error:
                if not attempts_left or not lost_race(error.__cause__):
                    raise

    def _select(self, rows: DomainRows) -> DomainData:
        version = rows.version()
        return DomainData(rows.packs(), version, "database")

    @contextmanager
    def _rows(self) -> Iterator[DomainRows]:
        with self._database.transaction() as connection:
            yield DomainRows(connection, self._tables)

    def _reason(self, error: Exception) -> str:
        """Return the sentence for clients; what happened goes to the log."""
        sentence = _UNAVAILABLE
        if isinstance(error, DomainDataError):
            sentence = _INVALID
        elif isinstance(error, TablesOutdated):
            sentence = _OUTDATED
        self._log.warning(f"{sentence} ({error})")
        return sentence


def open_domain_store(settings: Settings) -> DomainStore:
    """Open the domain data that the settings name. Raises as `DomainStore`."""
    return DomainStore(database_address(settings), settings.domain_dir or SHIPPED_DOMAINS)


def database_address(settings: Settings) -> str:
    """Return the URL of the database that the settings name; a file of SQLite in the data directory where they name none."""
    return settings.database_url or f"sqlite:///{settings.data_dir / _DEFAULT_FILE}"


def packs_in_force(settings: Settings) -> PackSet:
    """Return the packs that a service with these settings has; for commands, which need them once.

    A database that nobody has made yet is not made for it. Raises ``DomainDataError``.
    """
    if not settings.database_url and not (settings.data_dir / _DEFAULT_FILE).exists():
        return load_pack_files(settings.domain_dir or SHIPPED_DOMAINS)
    store = open_domain_store(settings)
    try:
        return store.load().packs
    finally:
        store.close()


def _with_reason(data: DomainData, reason: str | None) -> DomainData:
    return data if data.reason == reason else replace(data, reason=reason)


def _digest(packs: PackSet) -> str:
    return hashlib.blake2b("".join(map(pack_digest, packs.all())).encode(), digest_size=16).hexdigest()
