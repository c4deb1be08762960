"""The domain data as rows: two tables that an operator can read and edit with any SQL client.

``<prefix>seed`` remembers which shipped files filled them. ``<prefix>pack`` has a row for each domain and each kind of rejection; ``<prefix>entry`` a row for each keyword, rule, example and
cue: ``(pack_key, field, value)``. A rule is its lemmas joined by `` + ``.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from pydantic import ValidationError
from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    UniqueConstraint,
    cast,
    func,
    select,
)

from utils.domain_pack import DomainDataError, DomainPack, Keywords, PackSet, RejectionPack, Tier

DOMAIN, REJECTION = "domain", "rejection"
RULE_SEPARATOR = " + "

_KEYWORD_FIELDS = {tier: f"keyword_{tier}" for tier in Tier}
# Case and accents tell entries apart; MySQL's default collations do not.
_MYSQL_CHARSET, _MYSQL_COLLATION = "utf8mb4", "utf8mb4_bin"

Pack = DomainPack | RejectionPack
Values = dict[str, Any]


class DomainTables:
    """Table definitions under one name prefix, and the way from packs to rows and back."""

    def __init__(self, prefix: str) -> None:
        self.metadata = MetaData()
        self.pack = Table(
            f"{prefix}pack",
            self.metadata,
            Column("key", String(48), primary_key=True),
            Column("role", String(16), nullable=False),
            Column("label", String(100), nullable=False),
            Column("description", String(500), nullable=False, default=""),
            Column("collection", String(100), nullable=False, default=""),
            Column("position", Integer, nullable=False, default=0),
            mysql_charset=_MYSQL_CHARSET,
            mysql_collate=_MYSQL_COLLATION,
        )
        self.entry = Table(
            f"{prefix}entry",
            self.metadata,
            Column("id", Integer, primary_key=True, autoincrement=True),
            Column("pack_key", String(48), nullable=False, index=True),
            Column("field", String(24), nullable=False),
            Column("value", String(500), nullable=False),
            UniqueConstraint("pack_key", "field", "value", name=f"{prefix}entry_unique"),
            mysql_charset=_MYSQL_CHARSET,
            mysql_collate=_MYSQL_COLLATION,
        )

        self.seed = Table(
            f"{prefix}seed",
            self.metadata,
            Column("id", Integer, primary_key=True, autoincrement=False),
            Column("files_digest", String(64), nullable=False),
            Column("version", String(200), nullable=False),
        )

    def checksums(self, dialect: str) -> tuple[Select[int, int], Select[int, int]]:
        """Two one-row queries of which the result changes when any value does; the server does the hashing."""
        hashed = func.hashtext if dialect == "postgresql" else func.crc32  # SQLite has none: see `register_functions`
        pack, entry = self.pack.c, self.entry.c
        about = [pack.key, pack.role, pack.label, pack.description, pack.collection, cast(pack.position, String(12))]
        of_packs, of_entries = (
            select(func.count(), func.sum(cast(hashed(_joined(columns)), BigInteger)))
            for columns in (about, [entry.pack_key, entry.field, entry.value])
        )
        return of_packs, of_entries


def register_functions(connection: Any, _record: Any) -> None:
    """Give a new SQLite connection the ``crc32`` that MySQL has."""
    connection.create_function("crc32", 1, lambda text: zlib.crc32(text.encode()), deterministic=True)


def _joined(columns: Sequence[ColumnElement[str]]) -> ColumnElement[str]:
    first, *rest = columns
    return reduce(lambda left, right: left + "|" + right, rest, first)


def pack_key(pack: Pack) -> str:
    return pack.key if isinstance(pack, DomainPack) else pack.kind


def pack_row(pack: Pack, position: int) -> Values:
    """The row of ``pack`` in the pack table."""
    if isinstance(pack, DomainPack):
        about = {"role": DOMAIN, "description": pack.description, "collection": pack.collection}
    else:
        about = {"role": REJECTION, "description": "", "collection": ""}
    return {"key": pack_key(pack), "label": pack.label, "position": position, **about}


def entry_rows(pack: Pack) -> list[Values]:
    """The rows of ``pack`` in the entry table, in their order."""
    fields: list[tuple[str, Iterable[str]]]
    if isinstance(pack, DomainPack):
        fields = [
            *((_KEYWORD_FIELDS[tier], words) for tier, words in pack.keywords.by_tier()),
            ("rule", (RULE_SEPARATOR.join(rule) for rule in pack.rules)),
            ("example", pack.examples),
            ("exclude", pack.exclude),
            ("neighbour", pack.neighbours),
        ]
    else:
        fields = [("phrase", pack.phrases), ("cue", pack.cues), ("example", pack.examples)]
    key = pack_key(pack)
    return [{"pack_key": key, "field": field, "value": value} for field, values in fields for value in values]


def packs_from_rows(packs: Sequence[Any], entries: Sequence[Any]) -> PackSet:
    """The packs that the rows describe. Raises ``DomainDataError`` naming the pack when they do not make sense."""
    values: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in entries:
        values[entry.pack_key, entry.field].append(entry.value)
    domains, rejections = [], []
    for row in packs:
        try:
            if row.role == DOMAIN:
                domains.append(_domain(row, values))
            elif row.role == REJECTION:
                rejections.append(_rejection(row, values))
            else:
                raise DomainDataError(f"{row.key}: unknown role {row.role!r}")
        except ValidationError as error:
            raise DomainDataError(f"{row.key}: {error.errors()[0]['msg']}") from error
    try:
        return PackSet(domains=tuple(domains), rejections=tuple(rejections))
    except ValidationError as error:
        raise DomainDataError(str(error.errors()[0]["msg"])) from error


def _domain(row: Any, values: dict[tuple[str, str], list[str]]) -> DomainPack:
    def of(field: str) -> tuple[str, ...]:
        return tuple(values.get((row.key, field), ()))

    return DomainPack(
        key=row.key,
        label=row.label,
        description=row.description,
        collection=row.collection,
        neighbours=of("neighbour"),
        keywords=Keywords(**{tier.value: of(field) for tier, field in _KEYWORD_FIELDS.items()}),
        rules=tuple(tuple(part.strip() for part in rule.split(RULE_SEPARATOR.strip())) for rule in of("rule")),
        examples=of("example"),
        exclude=of("exclude"),
    )


def _rejection(row: Any, values: dict[tuple[str, str], list[str]]) -> RejectionPack:
    def of(field: str) -> tuple[str, ...]:
        return tuple(values.get((row.key, field), ()))

    return RejectionPack(kind=row.key, label=row.label, phrases=of("phrase"), cues=of("cue"), examples=of("example"))
