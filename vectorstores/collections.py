"""The four collections and how their documents are cut: the table of the knowledge base, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from utils.knowledge import DocumentType, canonical_domain
from vectorstores.errors import IngestError

CHUNKING_VERSION = 2
"""Raised whenever cutting or sentence spans change; an index cut by another version is cut anew."""


@dataclass(frozen=True, slots=True)
class ChunkingPolicy:
    """Texts longer than ``threshold`` characters are cut into pieces of at most ``size``; None: never cut."""

    threshold: int | None
    size: int = 0


WHOLE = ChunkingPolicy(threshold=None)
LONG_ONLY = ChunkingPolicy(threshold=3_500, size=2_000)
ALWAYS = ChunkingPolicy(threshold=1_500, size=1_500)
PAGE = ChunkingPolicy(threshold=1_100, size=1_100)
"""Of a page of a PDF: about a dense page's worth, so that most pages stay whole and a hit names its page exactly."""


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """One collection. ``policies`` is keyed by the stem of a knowledge file first, then by document type."""

    domain: str
    name: str
    policies: Mapping[str, ChunkingPolicy] = field(default_factory=dict)

    def policy(self, doc_type: DocumentType, file_stem: str = "") -> ChunkingPolicy:
        return self.policies.get(file_stem) or self.policies.get(doc_type, LONG_ONLY)


COLLECTIONS: tuple[CollectionSpec, ...] = (
    CollectionSpec(
        "startup_funding",
        "startup_funding_db",
        {"announcements": WHOLE, "industry_startup_guide": WHOLE, "startup_procedures": LONG_ONLY, "announce": WHOLE},
    ),
    CollectionSpec("finance_tax", "finance_tax_db", {"tax_support": LONG_ONLY, "court_case": ALWAYS}),
    CollectionSpec(
        "hr_labor",
        "hr_labor_db",
        {"labor_interpretation": LONG_ONLY, "hr_insurance_edu": LONG_ONLY, "court_case": ALWAYS},
    ),
    CollectionSpec(
        "law_common", "law_common_db", {"law": LONG_ONLY, "interpretation": LONG_ONLY, "court_case": ALWAYS}
    ),
)


def collection_for(key: str) -> CollectionSpec:
    """The collection of a domain key (``hr_labor``, older ``legal``) or of its own name (``hr_labor_db``)."""
    wanted = canonical_domain(key)
    for spec in COLLECTIONS:
        if wanted in (spec.domain, spec.name):
            return spec
    known = ", ".join(spec.domain for spec in COLLECTIONS)
    raise IngestError(f"알 수 없는 컬렉션입니다: {key!r} (가능한 값: {known})")
