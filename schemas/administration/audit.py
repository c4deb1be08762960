"""Wire types of ``/api/audit``: what administrators have changed, when, and under which request."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from schemas.chat import Scalar


class AuditKind(StrEnum):
    """Everything that an administrator can change."""

    DOMAIN_CREATED = "domain.created"
    DOMAIN_REPLACED = "domain.replaced"
    DOMAIN_REMOVED = "domain.removed"
    INDEX_INGEST = "index.ingest"
    INDEX_DELETE = "index.delete"
    INDEX_PURGE = "index.purge"
    INDEX_CANCEL = "index.cancel"
    INDEX_ROLLBACK = "index.rollback"


class AuditOutcome(StrEnum):
    """The end of a write. ``unconfirmed``: it was begun, and how it ended could not be noted."""

    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    UNCONFIRMED = "unconfirmed"


Details = dict[str, Scalar | list[str] | list[dict[str, Scalar | list[str]]]]
Target = Annotated[str, StringConstraints(min_length=1, max_length=512)]


class AuditEntry(BaseModel):
    """A write of an administrator."""

    id: int
    time: datetime
    client: str = Field(description="Name of the API client; `command` for a command on the machine.")
    request_id: str
    kind: AuditKind
    target: str = Field(
        description="Key of a domain. Of a document only a digest, so that a purge leaves no trace of it here either."
    )
    outcome: AuditOutcome
    before: str | None = Field(None, description="Digest or index version before.")
    after: str | None = Field(None, description="Digest or index version afterwards.")
    details: Details = Field(default_factory=dict, description="What changed, with personal data masked.")


class AuditPage(BaseModel):
    """A page of the audit log, the youngest entry first."""

    entries: list[AuditEntry]
    next: int | None = Field(None, description="`before` of the next page; null: there are no more.")
