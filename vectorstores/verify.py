"""Whether the parts of an index agree: texts, terms, BM25 and vectors."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from vectorstores.errors import IndexDamaged, LexicalIndexUnavailable, VectorStoreUnavailable
from vectorstores.index import CollectionIndex, KnowledgeIndex

_SAMPLES = 100
_FOUND_WITHIN = 10  # equal vectors may stand before the one that was asked for
_COSINE_OF_SELF = 0.99
# The graph is approximate: now and then an outlier cannot be reached. A store that two writers corrupted
# loses 13 to 20 in a hundred.
_LOST_SHARE = 0.05


def verify_index(index: KnowledgeIndex, only: Collection[str] | None = None) -> list[str]:
    """Problems found, one sentence each; ``only`` limits the check to some collections."""
    problems: list[str] = []
    for name, collection in index.collections.items():
        if only is None or name in only:
            build = index.manifest.collections[name]
            if (collection.documents, collection.size) != (build.documents, build.chunks):
                problems.append(f"{name}: 문서 수가 목록과 다릅니다 ({collection.size} ≠ {build.chunks})")
            problems += [f"{name}: {problem}" for problem in _collection_problems(collection)]
    return problems


def _collection_problems(collection: CollectionIndex) -> list[str]:
    problems = []
    for check in (collection.check_texts, lambda: _check_lexical(collection), lambda: _check_vectors(collection)):
        try:
            check()
        except (IndexDamaged, LexicalIndexUnavailable, VectorStoreUnavailable) as error:
            problems.append(str(error))
    return problems


def _check_lexical(collection: CollectionIndex) -> None:
    """A sample of chunks must be found by their own terms."""
    for ordinal in _sample(collection.size):
        ids = collection.terms_of([ordinal])[0]
        if len(ids) == 0:
            continue
        terms = [collection.vocabulary.term(int(term_id)) for term_id in np.unique(ids)]
        if collection.bm25_scores(terms)[ordinal] <= 0.0:
            raise LexicalIndexUnavailable(f"BM25가 {ordinal}번 문서를 그 자신의 용어로 찾지 못합니다")


def _check_vectors(collection: CollectionIndex) -> None:
    """The same uids on both sides, and a sample of vectors must find themselves."""
    texts, vectors = collection.stored_uids()
    if texts != vectors:
        raise VectorStoreUnavailable(f"문서와 벡터의 번호가 다릅니다 (한쪽에만 {len(texts ^ vectors)}개)")
    ordinals = _sample(collection.size)
    if not ordinals:
        return
    own = collection.vectors_of(ordinals)
    found = collection.vector_search(own, _FOUND_WITHIN)
    lost = [
        ordinal
        for ordinal, vector, (near, cosines) in zip(ordinals, own, found, strict=True)
        if np.any(vector) and ordinal not in near and (len(cosines) == 0 or cosines[0] < _COSINE_OF_SELF)
    ]
    if len(lost) > _LOST_SHARE * len(ordinals):
        raise VectorStoreUnavailable(f"벡터가 자기 자신을 찾지 못합니다: {len(ordinals)}개 중 {len(lost)}개")


def _sample(size: int) -> list[int]:
    return sorted({int(ordinal) for ordinal in np.linspace(0, size - 1, min(size, _SAMPLES))}) if size else []
