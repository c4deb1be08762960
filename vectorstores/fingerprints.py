"""Content hashes of files and folders, and of documents as they reach the index."""

from __future__ import annotations

import hashlib
from pathlib import Path

import orjson

from vectorstores.collections import CHUNKING_VERSION, ChunkingPolicy
from vectorstores.loaders.base import SourceDocument

_BLOCK = 1 << 20


def path_sha256(path: Path) -> str:
    """Of a file its bytes; of a folder its files' names and bytes, in path order (links are not followed)."""
    digest = hashlib.sha256()
    if not path.is_dir():
        _add_file(digest, path)
        return digest.hexdigest()
    for file in sorted(entry for entry in path.rglob("*") if entry.is_file() and not entry.is_symlink()):
        digest.update(file.relative_to(path).as_posix().encode("utf-8", "surrogateescape") + b"\0")
        _add_file(digest, file)
    return digest.hexdigest()


def document_hash(source: SourceDocument, policy: ChunkingPolicy) -> bytes:
    """Equal when a document would be stored, cut and shown the same."""
    parts = (
        source.document.model_dump(mode="json"),
        source.heading,
        source.name,
        source.prefix,
        source.label,
        policy.threshold,
        policy.size,
        CHUNKING_VERSION,
    )
    return hashlib.blake2b(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS), digest_size=16).digest()


def _add_file(digest: hashlib._Hash, path: Path) -> None:
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
