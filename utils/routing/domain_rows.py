"""Reading and writing of the domain tables within one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, select, update

from utils.routing.domain_pack import DomainDataError, Pack, PackSet
from utils.routing.domain_tables import (
    DomainTables,
    action_rows,
    entry_rows,
    pack_from_rows,
    pack_key,
    pack_row,
    pack_set,
)

_BATCH = 500


class DomainRows:
    """The domain tables through an open connection."""

    def __init__(self, connection: Connection, tables: DomainTables) -> None:
        self.connection = connection
        self.tables = tables

    def version(self) -> str:
        """Return what changes with any value; equal for equal rows."""
        return self._summed(self.tables.checksums(self.connection.dialect.name))

    def earlier_version(self) -> str:
        """Return what `version` was before the tables had the later columns."""
        return self._summed(self.tables.earlier_checksums(self.connection.dialect.name))

    def _summed(self, queries: Sequence[Any]) -> str:
        rows = [self.connection.execute(query).one() for query in queries]
        return ":".join(str(value) for row in rows for value in row)

    def packs(self) -> PackSet:
        """Return all packs. Raises ``DomainDataError`` naming the pack when the rows do not make sense."""
        rows, entries, actions = self._all()
        return pack_set(pack_from_rows(row, entries[row.key], actions[row.key]) for row in rows)

    def each(self) -> Mapping[str, Pack | None]:
        """Return the packs by key, None for those of which the rows make no sense."""
        rows, entries, actions = self._all()
        found: dict[str, Pack | None] = {}
        for row in rows:
            try:
                found[row.key] = pack_from_rows(row, entries[row.key], actions[row.key])
            except DomainDataError:
                found[row.key] = None
        return found

    def _all(self) -> tuple[Sequence[Any], Mapping[str, list[Any]], Mapping[str, list[Any]]]:
        pack = self.tables.pack
        rows = self.connection.execute(select(pack).order_by(pack.c.position, pack.c.key)).all()
        return rows, self._by_pack(self.tables.entry), self._by_pack(self.tables.action)

    def _by_pack(self, table: Table) -> Mapping[str, list[Any]]:
        found: defaultdict[str, list[Any]] = defaultdict(list)
        for row in self.connection.execute(select(table).order_by(table.c.id)):
            found[row.pack_key].append(row)
        return found

    def lock(self) -> None:
        """Keep other writers of packs out until the end of the transaction: what is read from now on is what will be changed.

        Writing the rows as they are does that in every database, without a table that an older one would lack.
        """
        table = self.tables.pack
        self.connection.execute(update(table).values(position=table.c.position))

    def is_empty(self) -> bool:
        return not self.connection.execute(select(func.count()).select_from(self.tables.pack)).scalar_one()

    def put(self, pack: Pack) -> None:
        """Replace the rows of a pack, or add them behind those of all others."""
        key = pack_key(pack)
        table = self.tables.pack
        position = self.connection.execute(select(table.c.position).where(table.c.key == key)).scalar()
        if position is None:
            self.connection.execute(insert(table), [pack_row(pack, self._next_position())])
        else:
            row = pack_row(pack, position)
            self.connection.execute(update(table).where(table.c.key == key).values(row))
            self._remove_lists(key)
        for lists, rows in ((self.tables.entry, entry_rows(pack)), (self.tables.action, action_rows(pack))):
            for start in range(0, len(rows), _BATCH):
                self.connection.execute(insert(lists), rows[start : start + _BATCH])

    def remove(self, key: str) -> bool:
        """Remove the rows of a pack; False when there were none."""
        self._remove_lists(key)
        table = self.tables.pack
        return bool(self.connection.execute(delete(table).where(table.c.key == key)).rowcount)

    def _remove_lists(self, key: str) -> None:
        for table in (self.tables.entry, self.tables.action):
            self.connection.execute(delete(table).where(table.c.pack_key == key))

    def origins(self) -> Mapping[str, str]:
        """Return the digest of the file that each pack came from, when it was last taken over."""
        origin = self.tables.origin
        return {row.pack_key: row.digest for row in self.connection.execute(select(origin))}

    def set_origin(self, key: str, digest: str | None) -> None:
        """Remember the file that a pack comes from, or forget it."""
        origin = self.tables.origin
        self.connection.execute(delete(origin).where(origin.c.pack_key == key))
        if digest is not None:
            self.connection.execute(insert(origin), [{"pack_key": key, "digest": digest}])

    def _next_position(self) -> int:
        highest = self.connection.execute(select(func.max(self.tables.pack.c.position))).scalar()
        return 0 if highest is None else int(highest) + 1
