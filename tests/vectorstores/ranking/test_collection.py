"""The ranking side of an opened collection."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import LAW, copied, cut
from utils.protocols import FloatMatrix
from vectorstores.errors import LexicalIndexUnavailable
from vectorstores.index import CollectionIndex, KnowledgeIndex
from vectorstores.ranking.features import FEATURES
from vectorstores.ranking.passages import PASSAGE_FEATURES

QUESTION = ("휴업", "신고")


@pytest.fixture
def collection(statute_index: KnowledgeIndex) -> CollectionIndex:
    return statute_index.collections[LAW]


def ordinals_of(collection: CollectionIndex, *labels: str) -> list[int]:
    return [ordinal for label in labels for ordinal in collection.by_label(label)]


def features(collection: CollectionIndex, terms: tuple[str, ...]) -> FloatMatrix:
    """Of every chunk, with a cosine of 0."""
    weights = [1.0] * len(terms)
    scores = collection.bm25_scores(terms, weights)
    return collection.ranking.features(
        collection.ranking.question(terms, weights),
        np.arange(collection.size),
        lexical=scores,
        group=collection.ranking.group_scores(terms, weights),
        context=collection.ranking.context_scores(terms, weights),
        cosine=np.zeros_like(scores),
    )


def test_the_known_terms_of_a_question_each_once_by_how_rare_they_are(collection: CollectionIndex) -> None:
    asked = collection.ranking.question(["휴업", "없는말", "살림", "휴업", "번호7"], [1.0, 1.0, 0.5, 1.0, 0.0])
    assert collection.vocabulary.strings(asked.ids.astype(np.int32)) == ["휴업", "살림"]
    rare, common = asked.mass.tolist()
    assert rare > 2 * common > 0, "살림 stands in most articles and was given half the weight"
    assert asked.total == pytest.approx(rare + common)
    assert collection.ranking.question(["없는말"], [1.0]).total == 1.0


def test_a_word_is_as_rare_as_it_is_among_the_chunks_that_are_looked_at(collection: CollectionIndex) -> None:
    within = np.asarray(ordinals_of(collection, "나라살림법|제1조", "나라살림법|제2조"), dtype=np.int64)
    common, unknown = collection.ranking.rarity_within(["살림", "없는말"], within)
    assert common < 1, "살림 stands in all that are looked at, and not in all that there are"
    assert unknown == 1.0
    everything = np.arange(collection.size)
    assert collection.ranking.rarity_within(["살림"], everything) == pytest.approx([1.0], rel=1e-3)


def test_an_act_with_decree_and_rule_has_one_score(collection: CollectionIndex) -> None:
    scores = collection.ranking.group_scores(QUESTION, [1.0, 1.0])
    family = ordinals_of(
        collection, "가게보호법|제1조", "가게보호법|제3조", "가게보호법시행령|제3조", "가게보호법시행규칙|제3조"
    )
    assert len(set(scores[family].tolist())) == 1
    assert scores[family[0]] > 0
    assert not scores[ordinals_of(collection, "나라살림법|제1조")].any()
    assert scores.shape == (collection.size,)


def test_features_of_every_chunk_are_finite_and_name_what_they_are(collection: CollectionIndex) -> None:
    made = features(collection, QUESTION)
    assert made.shape == (collection.size, len(FEATURES))
    assert np.isfinite(made).all()
    values = dict(zip(FEATURES, made[ordinals_of(collection, "가게보호법시행령|제3조")[0]].tolist(), strict=True))
    assert values["heading_asked"] == values["coverage"] == values["heading"] == pytest.approx(1.0)
    assert 0.0 < values["lexical_mass"] <= 1.0
    assert values["decree"] == 1.0
    assert values["name"] == 0.0


def test_the_words_of_every_statutes_name_are_not_asked_for(collection: CollectionIndex) -> None:
    row = ordinals_of(collection, "가게보호법시행령|제3조")[0]
    asked = FEATURES.index("name_asked")
    assert features(collection, ("시행령",))[row, asked] == 0.0
    assert features(collection, ("가게", "보호법"))[row, asked] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "file", ["passages.npy", "groups.npy", "bm25_groups/data.csc.index.npy", "bm25_contexts/data.csc.index.npy"]
)
def test_a_damaged_file_leaves_the_vector_side(statutes: SmallKnowledge, tmp_path: Path, file: str) -> None:
    knowledge = copied(statutes, tmp_path / "var")
    cut(knowledge, file)
    _only_vectors(knowledge)


def test_a_table_of_another_build_leaves_the_vector_side(statutes: SmallKnowledge, tmp_path: Path) -> None:
    for number, shape in enumerate([(3, len(PASSAGE_FEATURES)), (25, len(PASSAGE_FEATURES) - 1), (25,)]):
        knowledge = copied(statutes, tmp_path / f"var{number}")
        file = next((tmp_path / f"var{number}").rglob(f"{LAW}/passages.npy"))
        np.save(file, np.zeros(shape, dtype=np.float16))
        _only_vectors(knowledge)


def _only_vectors(knowledge: SmallKnowledge) -> None:
    index = knowledge.store.open_current()
    collection = index.collections[LAW]
    assert isinstance(collection.bm25_error, LexicalIndexUnavailable)
    with pytest.raises(LexicalIndexUnavailable):
        _ = collection.ranking
    assert len(collection.vector_search(knowledge.vector("휴업"), 3)[0][0]) == 3
    index.close()
