"""The domain data as rows: tables that an operator can read and edit with any SQL client.

``<prefix>pack`` has a row for each domain and each kind of rejection; ``<prefix>entry`` a row for each keyword, rule, example,
cue, neighbour and all else that there may be several of: ``(pack_key, field, value)``. A rule is its lemmas joined by `` + ``,
a policy of cutting texts ``name = policy``. ``<prefix>action`` has a row for each next step. ``<prefix>origin`` remembers which
state of a file filled a pack.
"""

from __future__ import annotations

import hashlib
import json
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
    Text,
    UniqueConstraint,
    cast,
    func,
    select,
)

from utils.routing.domain_pack import (
    ActionPack,
    DomainDataError,
    DomainPack,
    Keywords,
    Pack,
    PackSet,
    RejectionPack,
    Tier,
    first_message,
)

DOMAIN, REJECTION = "domain", "rejection"
RULE_SEPARATOR = " + "
LATER_COLUMNS = ("agent_label", "is_law", "prompt")
"""Columns of the pack table that the first tables did not have."""
LATER_FIELDS = (
    "agent_label", "is_law", "prompt", "aliases", "chunking", "case_folders", "case_kinds", "search_hints", "actions",
)  # fmt: skip
"""Fields that a domain pack did not have while the tables lacked these columns."""

_KEYWORD_FIELDS = {tier: f"keyword_{tier}" for tier in Tier}
# Case and accents tell entries apart; MySQL's default collations do not.
_MYSQL: dict[str, Any] = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}

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
            Column("agent_label", String(100)),
            Column("is_law", Integer),
            Column("prompt", Text),
            **_MYSQL,
        )
        self.entry = Table(
            f"{prefix}entry",
            self.metadata,
            Column("id", Integer, primary_key=True, autoincrement=True),
            Column("pack_key", String(48), nullable=False, index=True),
            Column("field", String(24), nullable=False),
            Column("value", String(500), nullable=False),
            UniqueConstraint("pack_key", "field", "value", name=f"{prefix}entry_unique"),
            **_MYSQL,
        )
        self.action = Table(
            f"{prefix}action",
            self.metadata,
            Column("id", Integer, primary_key=True, autoincrement=True),
            Column("pack_key", String(48), nullable=False, index=True),
            Column("type", String(40), nullable=False),
            Column("label", String(100), nullable=False),
            Column("description", String(500), nullable=False),
            Column("keywords", Text, nullable=False),
            Column("params", Text),
            **_MYSQL,
        )
        self.origin = Table(
            f"{prefix}origin",
            self.metadata,
            Column("pack_key", String(48), primary_key=True),
            Column("digest", String(64), nullable=False),
            **_MYSQL,
        )
        self.earlier_seed = Table(
            f"{prefix}seed", MetaData(), Column("id", Integer, primary_key=True), Column("version", String(200))
        )
        """Where it is there, the tables were filled when the pack table had fewer columns."""

    def checksums(self, dialect: str) -> list[Select[int, int]]:
        """Return one-row queries of which the result changes when any value does; the server does the hashing."""
        about = [self.pack.c[name] for name in LATER_COLUMNS]
        return [
            _checksum([*self._pack_columns(), *about], dialect),
            *self._of_entries(dialect),
            _checksum([column for column in self.action.c if column.name != "id"], dialect),
        ]

    def earlier_checksums(self, dialect: str) -> list[Select[int, int]]:
        """Return what `checksums` was for the tables without the later columns."""
        return [_checksum(self._pack_columns(), dialect), *self._of_entries(dialect)]

    def _of_entries(self, dialect: str) -> list[Select[int, int]]:
        entry = self.entry.c
        return [_checksum([entry.pack_key, entry.field, entry.value], dialect)]

    def _pack_columns(self) -> list[ColumnElement[Any]]:
        pack = self.pack.c
        return [pack.key, pack.role, pack.label, pack.description, pack.collection, pack.position]


def _checksum(columns: Sequence[ColumnElement[Any]], dialect: str) -> Select[int, int]:
    """Count and sum of the hashes of the joined columns. SQLite has no hash of its own: see `register_functions`."""
    hashed = func.hashtext if dialect == "postgresql" else func.crc32
    return select(func.count(), func.sum(cast(hashed(_joined(columns)), BigInteger)))


def register_functions(connection: Any, _record: Any) -> None:
    """Give a new SQLite connection the ``crc32`` that MySQL has."""
    connection.create_function("crc32", 1, lambda text: zlib.crc32(text.encode()), deterministic=True)


def _joined(columns: Sequence[ColumnElement[Any]]) -> ColumnElement[str]:
    first, *rest = (
        func.coalesce(cast(column, String(12)) if isinstance(column.type, Integer) else column, "")
        for column in columns
    )
    return reduce(lambda left, right: left + "|" + right, rest, first)


def pack_key(pack: Pack) -> str:
    return pack.key if isinstance(pack, DomainPack) else pack.kind


def pack_digest(pack: Pack) -> str:
    """Return a digest that is equal for equal packs."""
    plain = json.dumps(pack.model_dump(mode="json"), ensure_ascii=False, sort_keys=True)
    return hashlib.blake2b(plain.encode(), digest_size=16).hexdigest()


def pack_row(pack: Pack, position: int) -> Values:
    """Return the row of ``pack`` in the pack table."""
    about: Values
    if isinstance(pack, DomainPack):
        about = {
            "role": DOMAIN,
            "description": pack.description,
            "collection": pack.collection,
            "agent_label": pack.agent_label,
            "is_law": int(pack.is_law),
            "prompt": pack.prompt,
        }
    else:
        about = {"role": REJECTION, "description": pack.response, "collection": ""}
    return {"key": pack_key(pack), "label": pack.label, "position": position, **about}


def entry_rows(pack: Pack) -> list[Values]:
    """Return the rows of ``pack`` in the entry table, in their order."""
    fields: list[tuple[str, Iterable[str]]]
    if isinstance(pack, DomainPack):
        fields = [
            *((_KEYWORD_FIELDS[tier], words) for tier, words in pack.keywords.by_tier()),
            ("rule", (RULE_SEPARATOR.join(rule) for rule in pack.rules)),
            ("example", pack.examples),
            ("exclude", pack.exclude),
            ("neighbour", pack.neighbours),
            ("alias", pack.aliases),
            ("chunking", (f"{name} = {policy}" for name, policy in pack.chunking.items())),
            ("case_folder", pack.case_folders),
            ("case_kind", pack.case_kinds),
            ("search_hint", pack.search_hints),
        ]
    else:
        fields = [("phrase", pack.phrases), ("cue", pack.cues), ("example", pack.examples)]
    key = pack_key(pack)
    return [{"pack_key": key, "field": field, "value": value} for field, values in fields for value in values]


def action_rows(pack: Pack) -> list[Values]:
    """Return the rows of ``pack`` in the action table, in their order."""
    if not isinstance(pack, DomainPack):
        return []
    return [
        {
            "pack_key": pack.key,
            "type": action.type.value,
            "label": action.label,
            "description": action.description,
            "keywords": ", ".join(action.keywords),
            "params": json.dumps(action.params, ensure_ascii=False) if action.params else None,
        }
        for action in pack.actions
    ]


def pack_from_rows(row: Any, entries: Sequence[Any], actions: Sequence[Any]) -> Pack:
    """Return the pack that its rows describe. Raises ``DomainDataError`` naming it when they do not make sense."""
    values: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        values[entry.field].append(entry.value)
    try:
        if row.role == DOMAIN:
            return _domain(row, values, actions)
        if row.role == REJECTION:
            return _rejection(row, values)
    except ValidationError as error:
        raise DomainDataError(f"{row.key}: {first_message(error)}") from error
    except ValueError as error:
        raise DomainDataError(f"{row.key}: {error}") from error
    raise DomainDataError(f"{row.key}: unknown role {row.role!r}")


def pack_set(packs: Iterable[Pack]) -> PackSet:
    """Return the set of these packs. Raises ``DomainDataError`` when they do not go together."""
    given = tuple(packs)
    try:
        return PackSet(
            domains=tuple(pack for pack in given if isinstance(pack, DomainPack)),
            rejections=tuple(pack for pack in given if isinstance(pack, RejectionPack)),
        )
    except ValidationError as error:
        raise DomainDataError(first_message(error)) from error


def _domain(row: Any, values: dict[str, list[str]], actions: Sequence[Any]) -> DomainPack:
    def of(field: str) -> tuple[str, ...]:
        return tuple(values.get(field, ()))

    return DomainPack(
        key=row.key,
        label=row.label,
        agent_label=row.agent_label or "",
        description=row.description,
        collection=row.collection,
        is_law=bool(row.is_law),
        prompt=row.prompt or "",
        neighbours=of("neighbour"),
        aliases=of("alias"),
        chunking=dict(_named_policy(line) for line in of("chunking")),
        case_folders=of("case_folder"),
        case_kinds=of("case_kind"),
        search_hints=of("search_hint"),
        actions=tuple(_action(action) for action in actions),
        keywords=Keywords(**{tier.value: of(field) for tier, field in _KEYWORD_FIELDS.items()}),
        rules=tuple(tuple(part.strip() for part in rule.split(RULE_SEPARATOR.strip())) for rule in of("rule")),
        examples=of("example"),
        exclude=of("exclude"),
    )


def _named_policy(line: str) -> tuple[str, str]:
    name, _, policy = (part.strip() for part in line.partition("="))
    return name, policy


def _action(row: Any) -> ActionPack:
    try:
        params = json.loads(row.params) if row.params else {}
    except json.JSONDecodeError as error:
        raise ValueError(f"actions: params of {row.label!r} are not JSON: {error}") from error
    keywords = tuple(word.strip() for word in row.keywords.split(","))
    return ActionPack(type=row.type, label=row.label, description=row.description, keywords=keywords, params=params)


def _rejection(row: Any, values: dict[str, list[str]]) -> RejectionPack:
    def of(field: str) -> tuple[str, ...]:
        return tuple(values.get(field, ()))

    return RejectionPack(
        kind=row.key,
        label=row.label,
        response=row.description,
        phrases=of("phrase"),
        cues=of("cue"),
        examples=of("example"),
    )
