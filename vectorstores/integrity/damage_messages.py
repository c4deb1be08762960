"""Korean descriptions of the damage of a collection: its effect on answers, and the command that mends it."""

from __future__ import annotations

from collections.abc import Iterable

from vectorstores.errors import LexicalIndexUnavailable, VectorStoreUnavailable
from vectorstores.integrity.checksums import Part

REPAIR_COMMAND = "python -m vectorstores repair"
MENDED = f"고치는 명령: {REPAIR_COMMAND}"
_WITHOUT = {
    Part.BM25: f"BM25 색인 파일이 손상되어 벡터 검색만 합니다. {MENDED}",
    Part.GRAPH: f"벡터 그래프 파일이 손상되어 BM25 검색만 합니다. {MENDED}",
    Part.VECTOR: f"벡터 파일이 손상되어 BM25 검색만 합니다. {MENDED}",
    Part.TEXTS: f"색인 파일이 손상되어 이 컬렉션의 문서 없이 답합니다. {MENDED}",
}
_WITH_OLDER_TEXTS = f"색인 파일이 손상되어 이전 버전의 문서로 답합니다. {MENDED}"
_VECTOR_SIDE = frozenset({Part.GRAPH, Part.VECTOR})
SEARCHED = frozenset({Part.BM25}) | _VECTOR_SIDE
"""The sides of a search; without either of them a collection is of no use."""


class LexicalIndexDamaged(LexicalIndexUnavailable):
    """The BM25 part is not what its build left."""

    reason = _WITHOUT[Part.BM25]


class VectorsDamaged(VectorStoreUnavailable):
    """The vectors are not what their build left."""

    reason = _WITHOUT[Part.VECTOR]


def is_unusable(damaged: Iterable[Part]) -> bool:
    """Return whether nothing of a collection can be searched or shown."""
    parts = set(damaged)
    return Part.TEXTS in parts or (Part.BM25 in parts and not parts.isdisjoint(_VECTOR_SIDE))


def without(domain: str, part: Part) -> str:
    """Return what it means for the answers of a domain that a part is damaged."""
    return f"{domain}: {_WITHOUT[part]}"


def with_older_texts(domain: str) -> str:
    """Return the same where an earlier build stands in."""
    return f"{domain}: {_WITH_OLDER_TEXTS}"
