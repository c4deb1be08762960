"""Hash the content of documents as they reach the index."""

from __future__ import annotations

import hashlib

import orjson

from utils.knowledge.unit_records import unit_record
from vectorstores.collections import CHUNKING_VERSION, ChunkingPolicy
from vectorstores.loaders.base import SourceDocument


def document_hash(source: SourceDocument, policy: ChunkingPolicy) -> bytes:
    """Equal when a document would be stored, cut and shown the same."""
    parts = (
        source.document.model_dump(mode="json"),
        source.heading,
        source.name,
        source.prefix,
        source.label,
        *policy.rules,
        CHUNKING_VERSION,
        [unit_record(unit) for unit in source.units],
    )
    return hashlib.blake2b(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS), digest_size=16).digest()
