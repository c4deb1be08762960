"""The values of the audit log (`utils.administration.audit`), without what stores them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime

from schemas.administration.audit import AuditKind, AuditOutcome, Details


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes something: the name of the API client, and the id of its request."""

    client: str
    request_id: str


@dataclass(frozen=True, slots=True)
class AuditedWrite:
    """A write as it is noted; ``details`` are masked and cut short."""

    kind: AuditKind
    target: str
    actor: Actor
    outcome: AuditOutcome
    before: str | None = None
    after: str | None = None
    details: Details | None = None


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The entries that are asked for; None: any. ``older_than`` is the id of the last entry of the page before."""

    kind: AuditKind | None = None
    client: str | None = None
    target: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    older_than: int | None = None


@dataclass(slots=True)
class WriteResult:
    """Facts of a write, noted before, that its writer knows only afterwards."""

    before: str | None = None
    after: str | None = None
    details: Details = field(default_factory=dict)


def target_of_document(document_id: str) -> str:
    """Return how a document stands in the log: a digest, which tells who knows the id that it is meant, and nobody else."""
    return f"document:{hashlib.blake2b(document_id.encode(), digest_size=12).hexdigest()}"
