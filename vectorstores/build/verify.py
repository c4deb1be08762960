"""Check that the files of an index are as they were built, and that texts, terms, BM25 and vectors agree."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from vectorstores.backends.strays import NEARLY_EQUAL
from vectorstores.errors import IndexDamaged, LexicalIndexUnavailable, VectorStoreUnavailable
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.integrity.checksums import Part, damaged_files, part_of

_LEXICAL_SAMPLES = 100
_VECTOR_SAMPLES = 400
_FOUND_WITHIN = 10
# The graph is approximate, and among texts that say nearly the same it leads to some of them only: these count as found
# where another is that near. A few outliers may not be reached. A store that two writers corrupted loses 13 to 20 in a
# hundred.
_LOST_SHARE = 0.05


def verify_index(index: KnowledgeIndex, only: Collection[str] | None = None) -> list[str]:
    """Problems found, one sentence each; ``only`` limits the check to some collections.

    Every file is read whole and compared with its checksum before anything else reads it: what is damaged is named and not
    opened, for native code may die of it.
    """
    return [
        f"{name}: {problem}"
        for name, collection in index.collections.items()
        if only is None or name in only
        for problem in _problems(index, collection)
    ]


def _problems(index: KnowledgeIndex, collection: CollectionIndex) -> Iterator[str]:
    build = index.manifest.collections[collection.name]
    files = damaged_files(collection.directory, build.files)
    yield from (f"파일이 없거나 손상되었습니다: {file}" for file in files)
    damaged = {part_of(file) for file in files}
    if collection.is_stand_in or Part.TEXTS in damaged:
        return
    collection.take_out(damaged)
    if (collection.documents, collection.size) != (build.documents, build.chunks):
        yield f"문서 수가 목록과 다릅니다 ({collection.size} ≠ {build.chunks})"
    checks: tuple[tuple[set[Part], Callable[[], None]], ...] = (
        ({Part.TEXTS}, collection.check_texts),
        ({Part.BM25}, lambda: _check_lexical(collection)),
        ({Part.GRAPH, Part.VECTOR}, lambda: _check_vectors(collection)),
    )
    for needed, check in checks:
        if needed & damaged:
            continue
        try:
            check()
        except (IndexDamaged, LexicalIndexUnavailable, VectorStoreUnavailable) as error:
            yield str(error)


def _check_lexical(collection: CollectionIndex) -> None:
    """A sample of chunks must be found by their own terms."""
    for ordinal in _sample(collection.size, _LEXICAL_SAMPLES):
        ids = collection.terms_of([ordinal])[0]
        if len(ids) == 0:
            continue
        terms = collection.vocabulary.strings(np.unique(ids))
        if collection.bm25_scores(terms)[ordinal] <= 0.0:
            raise LexicalIndexUnavailable(f"BM25가 {ordinal}번 문서를 그 자신의 용어로 찾지 못합니다")


def _check_vectors(collection: CollectionIndex) -> None:
    """The same uids on both sides, and a sample of vectors must find themselves."""
    texts, vectors = collection.stored_uids()
    if texts != vectors:
        raise VectorStoreUnavailable(f"문서와 벡터의 번호가 다릅니다 (한쪽에만 {len(texts ^ vectors)}개)")
    ordinals = _sample(collection.size, _VECTOR_SAMPLES)
    if not ordinals:
        return
    own = collection.vectors_of(ordinals)
    found = collection.vector_search(own, _FOUND_WITHIN)
    lost = [
        ordinal
        for ordinal, vector, (near, cosines) in zip(ordinals, own, found, strict=True)
        if np.any(vector) and ordinal not in near and (len(cosines) == 0 or cosines[0] < NEARLY_EQUAL)
    ]
    if len(lost) > _LOST_SHARE * len(ordinals):
        raise VectorStoreUnavailable(f"벡터가 자기 자신을 찾지 못합니다: {len(ordinals)}개 중 {len(lost)}개")


def _sample(size: int, most: int) -> list[int]:
    return sorted({int(ordinal) for ordinal in np.linspace(0, size - 1, min(size, most))}) if size else []
