"""The candidates of both sides for a question and its variants, and their fusion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schemas.chat import Component
from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import LAW, copied, cut, request_for
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from utils.protocols import AnalyzedText
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.integrity.checksums import Part
from vectorstores.integrity.damage_messages import SEARCHED
from vectorstores.search.candidates import Found, Query, best_candidates, find_candidates, fuse, question_cosines
from vectorstores.search.request import SearchRequest
from vectorstores.storage.lexical import top_k

VECTORS = ("chroma/chroma.sqlite3", "vectors.npy")


@pytest.fixture
def collection(statute_index: KnowledgeIndex) -> CollectionIndex:
    return statute_index.collections[LAW]


def find(knowledge: SmallKnowledge, collection: CollectionIndex, request: SearchRequest) -> Found:
    queries = [
        Query(AnalyzedText(text, tuple(text.split())), tuple(1.0 for _ in text.split())) for text in request.queries
    ]
    return find_candidates(collection, queries, knowledge.embedder.embed([query.text for query in queries]), request)


def labels(collection: CollectionIndex, ordinals: list[int]) -> list[str]:
    return [chunk.label or "" for chunk in collection.chunks(ordinals)]


def empty_found(lexical: list[dict[int, float]], cosine: list[dict[int, float]]) -> Found:
    return Found(lexical, cosine, np.zeros((len(lexical), 2), dtype=np.float32), [])


def test_both_sides_best_first(statutes: SmallKnowledge, collection: CollectionIndex) -> None:
    found = find(statutes, collection, request_for("휴업 신고"))
    for side in (found.lexical[0], found.cosine[0]):
        assert labels(collection, list(side))[0] == "가게보호법|제3조"
        assert list(side.values()) == sorted(side.values(), reverse=True)
    assert found.degraded == []
    assert found.ordinals().tolist() == sorted(found.lexical[0].keys() | found.cosine[0].keys())


def test_a_deleted_article_is_no_candidate(statutes: SmallKnowledge, collection: CollectionIndex) -> None:
    found = find(statutes, collection, request_for("가게 보호법 삭제", "삭제"))
    assert "가게보호법|제5조" not in labels(collection, found.ordinals().tolist())
    assert "가게보호법|제1조" in labels(collection, found.ordinals().tolist())


def test_an_act_on_the_subject_brings_an_article_that_its_own_words_leave_out(tmp_path: Path) -> None:
    """신고 stands in a dozen shorter articles of another act, but the act with this one is about 임대료."""
    (tmp_path / "kr").mkdir()
    rent = {f"제{number}조": f"임대료 번호{number}" for number in range(1, 4)}
    write_statute(tmp_path / "kr", "가게법", {**rent, "제9조": "신고 는 따로 정한다"})
    write_statute(tmp_path / "kr", "나라법", {f"제{number}조": f"신고 번호{number}" for number in range(1, 13)})
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "var"))
    knowledge.add(tmp_path / "kr")
    index = knowledge.store.open_current()
    collection = index.collections[LAW]
    plain, _ = top_k(collection.bm25_scores(["임대료", "신고"]) * collection.ranking.boost, 8)
    assert "가게법|제9조" not in labels(collection, plain.tolist())
    found = find(knowledge, collection, request_for("임대료 신고", pool=8))
    assert labels(collection, list(found.lexical[0])) == [*labels(collection, plain.tolist()), "가게법|제9조"]
    index.close()


def test_only_the_chunks_asked_for(statutes: SmallKnowledge, collection: CollectionIndex) -> None:
    within = tuple(sorted(collection.by_label("가게보호법|제6조") + collection.by_label("나라살림법|제2조")))
    found = find(statutes, collection, request_for("휴업 신고", "살림", within=within))
    assert set(found.ordinals().tolist()) == set(within)
    assert list(found.lexical[0]) == collection.by_label("가게보호법|제6조")


def test_without_the_lexical_side_only_vectors(statutes: SmallKnowledge, collection: CollectionIndex) -> None:
    found = find(statutes, collection, request_for("휴업 신고", lexical=False))
    assert found.lexical == [{}]
    assert found.question_scores is None
    assert found.degraded == []
    assert labels(collection, list(found.cosine[0]))[0] == "가게보호법|제3조"


@pytest.mark.parametrize(
    ("damaged", "component"), [(VECTORS, Component.VECTOR), (("bm25/data.csc.index.npy",), Component.BM25)]
)
def test_one_side_stands_in_for_the_other(
    statutes: SmallKnowledge, tmp_path: Path, damaged: tuple[str, ...], component: Component
) -> None:
    knowledge = copied(statutes, tmp_path / "var")
    cut(knowledge, *damaged)
    index = knowledge.store.open_current()
    collection = index.collections[LAW]
    found = find(knowledge, collection, request_for("휴업 신고"))
    assert [item.component for item in found.degraded] == [component]
    assert found.degraded[0].reason
    assert "가게보호법|제3조" in labels(collection, found.ordinals().tolist())
    assert (found.lexical == [{}], found.cosine == [{}]) == (component is Component.BM25, component is Component.VECTOR)
    index.close()


@pytest.mark.parametrize("lexical", [True, False])
def test_without_both_sides_there_is_no_search(statutes: SmallKnowledge, tmp_path: Path, lexical: bool) -> None:
    knowledge = copied(statutes, tmp_path / "var")
    index = knowledge.store.open_current()
    index.collections[LAW].take_out(SEARCHED if lexical else {Part.VECTOR})
    with pytest.raises(VectorStoreUnavailable):
        find(knowledge, index.collections[LAW], request_for("휴업 신고", lexical=lexical))
    index.close()


def test_cosines_of_candidates_that_words_found(statutes: SmallKnowledge, collection: CollectionIndex) -> None:
    found = find(statutes, collection, request_for("휴업 신고"))
    ordinals = np.asarray(collection.by_label("가게보호법|제3조") + collection.by_label("나라살림법|제1조"))
    near, far = question_cosines(collection, found, ordinals).tolist()
    assert near == pytest.approx(found.cosine[0][int(ordinals[0])], abs=2e-3)
    assert near > far


def test_cosines_without_the_vector_file_are_those_found_before(statutes: SmallKnowledge, tmp_path: Path) -> None:
    knowledge = copied(statutes, tmp_path / "var")
    index = knowledge.store.open_current()
    found = find(knowledge, index.collections[LAW], request_for("휴업 신고", vector_pool=1, k=1))
    (nearest,) = found.cosine[0]
    index.collections[LAW].take_out({Part.VECTOR})
    cosines = question_cosines(index.collections[LAW], found, np.asarray([nearest, nearest + 1])).tolist()
    assert cosines == [pytest.approx(found.cosine[0][nearest]), 0.0]
    index.close()


def test_a_variant_counts_less_than_the_question() -> None:
    found = empty_found([{1: 4.0, 2: 2.0}, {2: 8.0}], [{2: 0.5}, {3: 0.25}])
    assert fuse(found, request_for("q", "v", vector_weight=0.4)) == pytest.approx(
        {1: 0.6, 2: 0.6 * 0.5 + 0.4 * 0.5 + 0.4 * 0.6, 3: 0.4 * (0.4 * 0.25)}
    )


def test_by_ranks_the_first_of_both_sides_comes_to_one() -> None:
    found = empty_found([{1: 4.0, 2: 2.0}], [{1: 0.9, 3: 0.8}])
    fused = fuse(found, request_for("q", vector_weight=0.7, fusion="rrf"))
    assert fused == pytest.approx({1: 1.0, 2: 0.3 * 61 / 62, 3: 0.7 * 61 / 62})


def test_the_best_of_each_variant_are_read_whatever_their_scores() -> None:
    found = empty_found([{1: 9.0, 2: 8.0, 3: 7.0}, {8: 1.0, 9: 0.5}], [{1: 0.9}, {7: 0.1}])
    scores = {1: 9.0, 2: 8.0, 3: 7.0, 7: 0.3, 8: 0.2, 9: 0.1}
    request = request_for("q", "v", k=1, rerank_pool=2, per_variant=1)
    assert best_candidates(scores, found, request) == [1, 2, 8, 7]
    assert best_candidates(scores, found, request_for("q", k=4, rerank_pool=2, per_variant=1))[:4] == [1, 2, 3, 7]
