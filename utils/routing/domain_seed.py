"""Filling of the domain tables from the files of the domain data, and adding of the columns that older tables lack.

Pack by pack: rows that nobody has edited follow their file, come with it and go with it; rows that an operator has edited, added
or deleted stay as they are.
"""

from __future__ import annotations

import logging

from sqlalchemy import TextClause, delete, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable, ExecutableDDLElement

from utils.routing.database import DomainStoreError, lost_race
from utils.routing.domain_pack import DomainPack, Pack, PackSet, RejectionPack
from utils.routing.domain_rows import DomainRows
from utils.routing.domain_tables import LATER_COLUMNS, LATER_FIELDS, pack_digest, pack_key

logger = logging.getLogger(__name__)


class TablesOutdated(DomainStoreError):
    """Tables or columns are missing and the account may not add them; the message has the statements that do."""


def prepare(rows: DomainRows, shipped: PackSet) -> None:
    """Make the tables what this version of the service needs, and have them follow the files.

    Raises:
        TablesOutdated: see there.
        DomainDataError: what the files would make of the rows makes no sense; to be rolled back.
    """
    _add_tables_and_columns(rows)
    if not rows.is_empty() and not rows.origins():
        _take_over(rows, shipped)
    if _follow(rows, shipped):
        rows.packs()


def _add_tables_and_columns(rows: DomainRows) -> None:
    connection, pack = rows.connection, rows.tables.pack
    inspector, dialect = inspect(connection), connection.dialect
    tables = [table for table in rows.tables.metadata.sorted_tables if not inspector.has_table(table.name)]
    present = {} if pack in tables else {column["name"] for column in inspector.get_columns(pack.name)}
    columns = [] if pack in tables else [pack.c[name] for name in LATER_COLUMNS if name not in present]
    name = dialect.identifier_preparer.format_table(pack)
    statements: list[ExecutableDDLElement | TextClause] = [CreateTable(table) for table in tables]
    statements += [CreateIndex(index) for table in tables for index in table.indexes]
    statements += [
        text(f"ALTER TABLE {name} ADD COLUMN {CreateColumn(column).compile(dialect=dialect)}") for column in columns
    ]
    try:
        for statement in statements:
            connection.execute(statement)
    except SQLAlchemyError as error:
        if lost_race(error):
            raise
        needed = "; ".join(" ".join(str(statement.compile(dialect=dialect)).split()) for statement in statements)
        raise TablesOutdated(f"{type(error).__name__}; {needed}") from error
    if columns:
        logger.warning(
            "도메인 정보 테이블 %s에 열을 더했습니다: %s", name, ", ".join(column.name for column in columns)
        )


def _take_over(rows: DomainRows, shipped: PackSet) -> None:
    """Give rows of before what they could not say, out of the files, and begin to remember where each pack comes from."""
    if _is_unedited(rows):
        for key in rows.each():
            rows.remove(key)
        return
    held = {pack_key(pack): pack for pack in rows.packs().all()}
    for pack in shipped.all():
        known = held.get(pack_key(pack))
        if known is not None:
            rows.put(_completed(known, pack))
        rows.set_origin(pack_key(pack), pack_digest(pack))
    rows.packs()
    _forget_earlier_seed(rows)
    logger.warning("도메인 정보 테이블의 고친 내용은 그대로 두고, 프롬프트처럼 없던 항목만 파일의 값으로 채웠습니다.")


def _is_unedited(rows: DomainRows) -> bool:
    """Return whether the rows are as the files left them, by what the service before noted."""
    seed = rows.tables.earlier_seed
    if not inspect(rows.connection).has_table(seed.name):
        return False
    return rows.connection.execute(select(seed.c.version)).scalar() == rows.earlier_version()


def _forget_earlier_seed(rows: DomainRows) -> None:
    """Keep a service of before, that runs on the same tables, from filling them anew without the later columns."""
    seed = rows.tables.earlier_seed
    if inspect(rows.connection).has_table(seed.name):
        rows.connection.execute(delete(seed))


def _completed(known: Pack, shipped: Pack) -> Pack:
    if isinstance(known, DomainPack) and isinstance(shipped, DomainPack):
        return known.model_copy(update={name: getattr(shipped, name) for name in LATER_FIELDS})
    if isinstance(known, RejectionPack) and isinstance(shipped, RejectionPack):
        return known.model_copy(update={"response": known.response or shipped.response})
    return known


def _follow(rows: DomainRows, shipped: PackSet) -> bool:
    """Take over what has changed in the files since; True when something had."""
    held, origins = rows.each(), rows.origins()
    files = {pack_key(pack): pack for pack in shipped.all()}
    changed = False

    def is_unedited(key: str) -> bool:
        pack = held.get(key)
        return pack is not None and pack_digest(pack) == origins[key]

    for key, pack in files.items():
        digest = pack_digest(pack)
        if key not in origins:
            if key not in held:
                rows.put(pack)
            rows.set_origin(key, digest)
        elif origins[key] != digest and is_unedited(key):
            rows.put(pack)
            rows.set_origin(key, digest)
        else:
            continue
        changed = True
    for key in origins.keys() - files.keys():
        if is_unedited(key):
            rows.remove(key)
        rows.set_origin(key, None)
        changed = True
    if changed:
        _forget_earlier_seed(rows)
    return changed
