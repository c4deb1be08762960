"""Tables of the notices, and the numbered steps that make them and change them.

``<prefix>notice`` has a row for each notice, ``<prefix>source`` a row for each source with how its last refresh went,
``<prefix>migration`` the numbers of the steps that were taken. A step is never changed once it was released: what comes later is a
further step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Date,
    DateTime,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.dialects.mysql import MEDIUMTEXT

_MYSQL: dict[str, Any] = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}
_LONG = Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")
PREFIX = "bizi_notice_"

Step = Callable[[Connection, "NoticeTables"], None]


class NoticeTables:
    """Table definitions under one name prefix."""

    def __init__(self, prefix: str = PREFIX) -> None:
        self.metadata = MetaData()
        self.migration = Table(
            f"{prefix}migration",
            self.metadata,
            Column("number", Integer, primary_key=True, autoincrement=False),
            **_MYSQL,
        )
        self.notice = Table(
            f"{prefix}notice",
            self.metadata,
            Column("pack", String(24), primary_key=True),
            Column("id", String(120), primary_key=True),
            Column("title", String(300), nullable=False),
            Column("agency", String(200), nullable=False),
            Column("region", String(300), nullable=False),
            Column("field", String(200), nullable=False),
            Column("target", String(300), nullable=False),
            Column("apply_start", Date),
            Column("apply_end", Date, index=True),
            Column("period", String(100), nullable=False),
            Column("posted", Date),
            Column("year", Integer),
            Column("summary", Text, nullable=False),
            Column("body", _LONG, nullable=False),
            Column("url", String(500), nullable=False),
            Column("source", String(48), nullable=False),
            Column("listed", Date, nullable=False),
            Column("tokenizer", String(48), nullable=False),
            Column("title_terms", Text, nullable=False),
            Column("terms", Text, nullable=False),
            Column("digest", String(64), nullable=False),
            Index(f"{prefix}by_source", "pack", "source"),
            **_MYSQL,
        )
        self.source = Table(
            f"{prefix}source",
            self.metadata,
            Column("name", String(48), primary_key=True),
            Column("pack", String(24), nullable=False),
            Column("refreshed", DateTime),
            Column("tried", DateTime),
            Column("failure", String(200), nullable=False),
            Column("is_api", Integer, nullable=False),
            Column("changes", Integer, nullable=False),
            **_MYSQL,
        )


def _first_tables(connection: Connection, tables: NoticeTables) -> None:
    tables.metadata.create_all(connection, [tables.notice, tables.source])


STEPS: tuple[Step, ...] = (_first_tables,)
"""The steps, the first under number 1."""


def migrate(connection: Connection, tables: NoticeTables) -> int:
    """Take the steps that were not taken yet, in order; return their number. Who loses a race to another process tries again."""
    tables.metadata.create_all(connection, [tables.migration])
    number = tables.migration.c.number
    done = connection.execute(select(func.max(number))).scalar() or 0
    for step, take in enumerate(STEPS[done:], start=done + 1):
        take(connection, tables)
        connection.execute(insert(tables.migration).values(number=step))
    return len(STEPS) - done


def are_there(connection: Connection, tables: NoticeTables) -> bool:
    """Return whether the tables were made already."""
    return inspect(connection).has_table(tables.notice.name)
