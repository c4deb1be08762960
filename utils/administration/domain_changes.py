"""Changing the domain tables: one transaction holds the look at what is there, the change, and its entry of the audit log."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.administration.audit import AuditKind, AuditOutcome
from utils.administration.audit import AuditTrail
from utils.administration.audit_records import Actor, AuditedWrite
from utils.administration.domain_edits import ChangedPack, changed_packs
from utils.routing.domain_pack import DomainDataError, Pack, PackSet
from utils.routing.domain_rows import DomainRows
from utils.routing.domain_store import DomainStore
from utils.routing.domain_tables import pack_digest, pack_key

_KINDS = {
    "created": AuditKind.DOMAIN_CREATED,
    "replaced": AuditKind.DOMAIN_REPLACED,
    "removed": AuditKind.DOMAIN_REMOVED,
}


class StaleEdit(Exception):
    """Somebody else has changed what was to be changed; ``etag`` is what it is now, None where it is gone."""

    def __init__(self, etag: str | None) -> None:
        super().__init__(etag)
        self.etag = etag


@dataclass(frozen=True, slots=True)
class Expected:
    """The state that the operator has seen: one of ``etags`` of the pack ``key``, or of all data where ``key`` is None."""

    etags: frozenset[str]
    key: str | None = None


@dataclass(frozen=True, slots=True)
class MadeChange:
    """The packs that have changed, and the tag of all data after it."""

    changed: tuple[ChangedPack, ...]
    etag: str


class DomainChanges:
    """Changes the tables; blocking. ``trail`` gets an entry for each pack that changes, in the same transaction."""

    def __init__(self, store: DomainStore, trail: AuditTrail) -> None:
        self._store = store
        self._trail = trail

    def make(
        self,
        change: Callable[[PackSet | None], PackSet],
        actor: Actor,
        expected: Expected | None = None,
        *,
        replaces_all: bool = False,
    ) -> MadeChange:
        """Store what ``change`` makes of the packs that are there, whole or not at all.

        With ``replaces_all`` rows that make no sense are no hindrance; ``change`` is given None then.

        Raises:
            StaleEdit: the tables are not as ``expected``.
            DomainDataError: the rows make no sense, or would make none.
            DomainStoreError: the database is away; nothing has changed.
            Exception: whatever ``change`` raises; nothing has changed.
        """
        self._trail.make_ready()
        with self._store.editing() as rows:
            before = _packs(rows, replaces_all=replaces_all)
            _require(expected, rows, before)
            after = change(before)
            changed = _all_changed(rows, before, after)
            for pack in changed:
                if pack.after is not None:
                    rows.put(pack.after)
                else:
                    rows.remove(pack.key)
                self._trail.append(rows.connection, _audited(pack, actor))
            stored = rows.packs()
            if changed_packs(stored, after):
                raise DomainDataError("the tables do not hold what was written to them")
            return MadeChange(tuple(changed), set_etag(stored))


def pack_etag(pack: Pack) -> str:
    """Return the tag of a pack, which is equal for equal packs."""
    return pack_digest(pack)


def set_etag(packs: PackSet) -> str:
    """Return the tag of all packs together, whatever their order."""
    tags = sorted(f"{pack_key(pack)}:{pack_digest(pack)}" for pack in packs.all())
    return hashlib.blake2b("\n".join(tags).encode(), digest_size=16).hexdigest()


def difference(before: Pack | None, after: Pack | None) -> dict[str, Any]:
    """Return by field what a change adds and takes away, for people to read."""
    old, new = _fields(before), _fields(after)
    found: dict[str, Any] = {}
    for name in dict.fromkeys([*old, *new]):
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        if isinstance(was or now, list):
            known, wanted = [str(x) for x in was or ()], [str(x) for x in now or ()]
            found[f"{name} +"] = [value for value in wanted if value not in set(known)]
            found[f"{name} -"] = [value for value in known if value not in set(wanted)]
        else:
            found[name] = [str(value) for value in (was, now) if value is not None]
    return {name: values for name, values in found.items() if values}


def _fields(pack: Pack | None) -> dict[str, Any]:
    """The fields of a pack by their paths, each a text or a list of texts."""
    if pack is None:
        return {}
    fields = pack.model_dump(mode="json")
    keywords = fields.pop("keywords", {})
    fields |= {f"keywords.{tier}": words for tier, words in keywords.items()}
    if "rules" in fields:
        fields["rules"] = [" + ".join(rule) for rule in fields["rules"]]
    return {name: value for name, value in fields.items() if value not in ("", [], {}, False, None)}


def _audited(pack: ChangedPack, actor: Actor) -> AuditedWrite:
    return AuditedWrite(
        kind=_KINDS[pack.kind],
        target=pack.key,
        actor=actor,
        outcome=AuditOutcome.DONE,
        before=pack_etag(pack.before) if pack.before is not None else None,
        after=pack_etag(pack.after) if pack.after is not None else None,
        details=difference(pack.before, pack.after),
    )


def _packs(rows: DomainRows, *, replaces_all: bool) -> PackSet | None:
    try:
        return rows.packs()
    except DomainDataError:
        if not replaces_all:
            raise
        return None


def _require(expected: Expected | None, rows: DomainRows, before: PackSet | None) -> None:
    if expected is None or "*" in expected.etags:
        return
    if expected.key is None:
        current = set_etag(before) if before is not None else None
    else:
        held = rows.each().get(expected.key)
        current = pack_etag(held) if held is not None else None
    if current is None and expected.key is None:
        return  # rows that make no sense have no tag; to replace them is the way out
    if current not in expected.etags:
        raise StaleEdit(current)


def _all_changed(rows: DomainRows, before: PackSet | None, after: PackSet) -> Sequence[ChangedPack]:
    if before is not None:
        return changed_packs(before, after)
    new = {pack_key(pack): pack for pack in after.all()}
    held = rows.each()
    every = [ChangedPack(key, held.get(key), new.get(key)) for key in sorted(held.keys() | new.keys())]
    return [change for change in every if change.before is None or change.after != change.before]
