"""The documents of a collection by what is known of them: for lists, and for searches that look at some of them alone.

The conditions are put to the text store, which both sides of a search share: what does not fit is left out before anything is ranked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from schemas.vectordb import DocumentFilter
from utils.documents import is_web_address
from vectorstores.index import CollectionIndex
from vectorstores.storage.page_ids import PART_MARK

_AFTER_PARTS = chr(ord(PART_MARK) + 1)
# One condition for all filters, so that no query is put together: a field that is not asked for is null. Numbers in the metadata
# are equal however they are written, and true is no 1.
_FITS = """
WHERE (?1 IS NULL OR documents.source_name = ?1)
  AND (?2 IS NULL OR documents.type IN (SELECT value FROM json_each(?2)))
  AND (?3 IS NULL OR (documents.label >= ?3 || '|' AND documents.label < ?3 || '}'))
  AND (?4 IS NULL OR documents.id = ?4 OR (documents.id >= ?5 AND documents.id < ?6))
  AND (?7 IS NULL OR documents.effective_date >= ?7)
  AND (?8 IS NULL OR documents.effective_date <= ?8)
  AND (?9 IS NULL OR instr(documents.title, ?9) > 0)
  AND (?10 IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(?10) AS wanted WHERE NOT EXISTS (
      SELECT 1 FROM json_each(CAST(documents.metadata AS TEXT)) AS held
      WHERE held.key = wanted.key AND held.value = wanted.value
        AND replace(held.type, 'integer', 'real') = replace(wanted.type, 'integer', 'real'))))
"""
# The documents outside, so that of the chunks an index is read and not their texts.
_ORDINALS = " ".join(
    ("SELECT chunks.ordinal FROM documents CROSS JOIN chunks ON chunks.document = documents.number", _FITS)
)
_COUNT = " ".join(("SELECT count(*) FROM documents", _FITS))
_PAGE = " ".join(
    (
        "SELECT id, type, title, source_name, source_url, effective_date,",
        "(SELECT count(*) FROM chunks WHERE chunks.document = documents.number) FROM documents",
        _FITS,
        "ORDER BY number LIMIT ?11 OFFSET ?12",
    )
)


_TAGS = """
SELECT json_extract(CAST(documents.metadata AS TEXT), '$.tag') AS tag, chunks.ordinal
FROM documents CROSS JOIN chunks ON chunks.document = documents.number WHERE tag IS NOT NULL
"""
_TAGGED: WeakKeyDictionary[CollectionIndex, Mapping[str, Sequence[int]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document as a list shows it; ``passages`` counts its chunks."""

    id: str
    type: str
    title: str
    source: str
    url: str
    effective_date: str | None
    passages: int


def ordinals_of(collection: CollectionIndex, wanted: DocumentFilter) -> tuple[int, ...]:
    """Return the chunks of the documents that fit, rising. Raises `vectorstores.errors.IndexDamaged`."""
    return tuple(sorted(int(row[0]) for row in collection.texts.scan(_ORDINALS, _values(wanted, ""))))


def tagged(collection: CollectionIndex | None, tags: Sequence[str]) -> tuple[int, ...] | None:
    """Return the chunks of the documents with one of these tags (``tag`` of their metadata), rising.

    None, which leaves out nothing: no tag is asked for, or the collection has no document of these. Raises as `ordinals_of`.
    """
    if collection is None or not tags:
        return None
    by_tag = _chunks_by_tag(collection)
    return tuple(sorted(ordinal for tag in set(tags) for ordinal in by_tag.get(tag, ()))) or None


def tags_of(collection: CollectionIndex) -> frozenset[str]:
    """Return the tags of a collection's documents. Raises as `ordinals_of`."""
    return frozenset(_chunks_by_tag(collection))


def _chunks_by_tag(collection: CollectionIndex) -> Mapping[str, Sequence[int]]:
    """The chunks of each tag, read once: an opened collection does not change."""
    known = _TAGGED.get(collection)
    if known is None:
        found: dict[str, list[int]] = {}
        for tag, ordinal in collection.texts.scan(_TAGS, ()):
            found.setdefault(str(tag), []).append(int(ordinal))
        known = _TAGGED[collection] = found
    return known


def count_of(collection: CollectionIndex, wanted: DocumentFilter, title: str = "") -> int:
    """Return how many documents fit and hold ``title`` in theirs. Raises as `ordinals_of`."""
    return int(collection.texts.scan(_COUNT, _values(wanted, title))[0][0])


def listed(
    collection: CollectionIndex, wanted: DocumentFilter, title: str, offset: int, limit: int
) -> list[ListedDocument]:
    """Return a page of the documents that fit, in the order of the collection. Raises as `ordinals_of`."""
    rows = collection.texts.scan(_PAGE, (*_values(wanted, title), limit, offset))
    return [
        ListedDocument(row[0], row[1], row[2], row[3], row[4] if is_web_address(row[4]) else "", row[5], row[6])
        for row in rows
    ]


def _values(wanted: DocumentFilter, title: str) -> tuple[str | None, ...]:
    """The ten values of `_FITS`."""
    document = wanted.document
    start, end = wanted.effective_from, wanted.effective_to
    return (
        wanted.source,
        json.dumps(wanted.doc_type) if wanted.doc_type else None,
        "".join(wanted.law.split()) if wanted.law else None,
        document,
        document and document + PART_MARK,
        document and document + _AFTER_PARTS,
        start.isoformat() if start else None,
        end.isoformat() if end else None,
        title or None,
        json.dumps(wanted.metadata) if wanted.metadata else None,
    )
