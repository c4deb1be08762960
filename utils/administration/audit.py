"""The audit log: a row of the SQL database for everything that an administrator changes. Rows are added and never changed.

A change of the domain data and its row are of one transaction: neither is there without the other. Other changes have a row before
they begin, without which they do not begin, and a second row that tells how they ended; see docs/decisions/0041-domain-administration.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, Text, insert, select

from schemas.administration.audit import AuditEntry, AuditKind, AuditOutcome, AuditPage, Details
from utils.administration.audit_records import AuditedWrite, AuditFilter
from utils.config.settings import Settings
from utils.observability.personal_data import mask_personal_data
from utils.routing.database import Database, DomainStoreError, lost_race
from utils.routing.domain_store import database_address

_TABLE = "bizi_audit"
_ATTEMPTS = 3
_LONGEST_VALUE = 200
_MOST_VALUES = 50
_LONGEST_DETAILS = 16_000  # characters; MySQL's TEXT holds 65,535 bytes
_DETAILS: TypeAdapter[Details] = TypeAdapter(Details)


class AuditTrail:
    """The table of the log; blocking, run it in a thread. Its table is made when it is first written to."""

    def __init__(self, database: Database, table: str = _TABLE) -> None:
        self._database = database
        self._metadata = MetaData()
        self._is_ready = False
        mysql: dict[str, Any] = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}
        self._table = Table(
            table,
            self._metadata,
            Column("id", Integer, primary_key=True, autoincrement=True),
            Column("begun", Integer, index=True),
            Column("time", String(32), nullable=False),
            Column("client", String(200), nullable=False),
            Column("request_id", String(128), nullable=False),
            Column("kind", String(40), nullable=False),
            Column("target", String(512), nullable=False),
            Column("outcome", String(16), nullable=False),
            Column("before_digest", String(128)),
            Column("after_digest", String(128)),
            Column("details", Text),
            **mysql,
        )

    @classmethod
    def from_settings(cls, settings: Settings) -> AuditTrail:
        """Open the log in the database of the domain data. Raises `DomainDataError` for an address that cannot be used."""
        return cls(Database(database_address(settings), timeout_seconds=3.0))

    def close(self) -> None:
        """Give the connections back."""
        self._database.close()

    def make_ready(self) -> None:
        """Make the table where it is missing. Raises `DomainStoreError`."""
        for attempts_left in reversed(range(_ATTEMPTS)):
            if self._is_ready:
                return
            try:
                with self._database.transaction() as connection:
                    self._metadata.create_all(connection)
                self._is_ready = True
            except DomainStoreError as error:
                if not attempts_left or not lost_race(error.__cause__):
                    raise

    def append(self, connection: Connection, written: AuditedWrite, begun: int | None = None) -> int:
        """Add a row within the transaction of the change that it tells of; ``begun`` is the row that told of its beginning.

        `make_ready` is to be called before, outside of the transaction: MySQL ends it where a table is made.
        """
        actor = written.actor
        values = {
            "begun": begun,
            "time": _iso(datetime.now(UTC)),
            "client": actor.client[:200],
            "request_id": actor.request_id[:128],
            "kind": written.kind.value,
            "target": mask_personal_data(written.target)[:512],
            "outcome": written.outcome.value,
            "before_digest": written.before,
            "after_digest": written.after,
            "details": json.dumps(shortened(written.details), ensure_ascii=False) if written.details else None,
        }
        key = connection.execute(insert(self._table).values(values)).inserted_primary_key
        assert key is not None
        return int(key[0])

    def note(self, written: AuditedWrite, begun: int | None = None) -> int:
        """Add a row in a transaction of its own; its id. Raises `DomainStoreError`: then nothing is noted."""
        self.make_ready()
        with self._database.transaction() as connection:
            return self.append(connection, written, begun)

    def page(self, wanted: AuditFilter, limit: int) -> AuditPage:
        """Return the youngest ``limit`` entries that are wanted. Raises `DomainStoreError`."""
        self.make_ready()
        table = self._table.c
        query = select(self._table).where(table.begun.is_(None))
        equal = {"kind": wanted.kind and wanted.kind.value, "client": wanted.client, "target": wanted.target}
        for name, value in equal.items():
            if value is not None:
                query = query.where(table[name] == value)
        if wanted.since is not None:
            query = query.where(table.time >= _iso(wanted.since))
        if wanted.until is not None:
            query = query.where(table.time < _iso(wanted.until))
        if wanted.older_than is not None:
            query = query.where(table.id < wanted.older_than)
        with self._database.transaction() as connection:
            rows = connection.execute(query.order_by(table.id.desc()).limit(limit + 1)).all()
            ids = [row.id for row in rows]
            ends = connection.execute(select(self._table).where(table.begun.in_(ids)).order_by(table.id)).all()
        entries = _entries(rows[:limit], {row.begun: row for row in ends})
        return AuditPage(entries=entries, next=entries[-1].id if len(rows) > limit else None)


def shortened(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return details without personal data, of a length that a row takes."""
    found: dict[str, Any] = {}
    left = _LONGEST_DETAILS
    for name, value in details.items():
        short = _short(value)
        left -= len(json.dumps(short, ensure_ascii=False)) + len(name) + 6
        if left < 0:
            found["cut"] = True
            break
        found[name] = short
    return found


def _short(value: Any) -> Any:
    if isinstance(value, str):
        masked = mask_personal_data(value)
        return masked if len(masked) <= _LONGEST_VALUE else f"{masked[:_LONGEST_VALUE]}…"
    if isinstance(value, Mapping):
        return {str(name): _short(inner) for name, inner in value.items()}
    if isinstance(value, Iterable):
        listed = [_short(inner) for inner in value]
        more = len(listed) - _MOST_VALUES
        return (
            listed
            if more <= 0 or not all(isinstance(x, str) for x in listed)
            else [*listed[:_MOST_VALUES], f"… 외 {more}건"]
        )
    return value


def _entries(rows: Sequence[Any], ends: Mapping[int, Any]) -> list[AuditEntry]:
    return [_entry(row, ends.get(row.id)) for row in rows]


def _entry(row: Any, end: Any) -> AuditEntry:
    last = row if end is None else end
    details = {**_details(row), **(_details(end) if end is not None else {})}
    return AuditEntry(
        id=row.id,
        time=datetime.fromisoformat(row.time),
        client=row.client,
        request_id=row.request_id,
        kind=AuditKind(row.kind),
        target=row.target,
        outcome=AuditOutcome(last.outcome),
        before=last.before_digest or row.before_digest,
        after=last.after_digest,
        details=details,
    )


def _details(row: Any) -> Details:
    try:
        return _DETAILS.validate_json(row.details) if row.details else {}
    except ValidationError:  # written by hand
        return {}


def _iso(moment: datetime) -> str:
    """A moment as it is stored: text of one length in UTC, so that it sorts as it is."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
