"""BM25 of a question: the same from the mapped files and from a Milvus server, which also goes away and hangs."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.support.milvus_process import MilvusProcess
from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import LAW
from tests.support.statute_files import write_statute
from utils.config.provider_settings import VectorBackend
from utils.config.settings import Settings
from vectorstores.index import CollectionIndex
from vectorstores.ranking.question_scores import MappedScores, QuestionScores, Terms
from vectorstores.storage.lexical import Scores, top_k

QUESTION: Terms = (("신고", "휴업", "임대료", "신고", "없는말"), (1.0, 0.7, 1.0, 0.5, 1.0))
VARIANT: Terms = (("휴업",), (1.0,))
ACTS = 10
MANY = 560  # more chunks with a word of the question than are asked for at once


def write_statutes(folder: Path) -> Path:
    folder.mkdir()
    for act in range(ACTS):
        crowd = {f"제{number}조": f"신고 번호{number}" for number in range(1, MANY // ACTS)}
        write_statute(folder, f"나라{act}법", crowd)
    rent = {f"제{number}조": f"임대료 휴업 번호{number}" for number in range(1, 5)}
    write_statute(folder, "가게법", {**rent, "제8조": "삭제", "제9조": "신고 는 따로 정한다"})
    write_statute(folder, "이웃법", {"제1조": "「가게법」 제9조 에 따른 임대료 의 조정", "제2조": "휴업"})
    return folder


def settings_with(folder: Path, milvus: str | None, timeout: float) -> Settings:
    backend = VectorBackend.CHROMA if milvus is None else VectorBackend.MILVUS
    return Settings(data_dir=folder / "var", vector_backend=backend, milvus_uri=milvus, milvus_timeout=timeout)


@pytest.fixture(scope="module")
def milvus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusProcess]:
    with MilvusProcess(tmp_path_factory.mktemp("milvus")) as running:
        yield running


@pytest.fixture(scope="module", params=["files", pytest.param("milvus", marks=pytest.mark.services)])
def collection(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectionIndex]:
    folder = tmp_path_factory.mktemp(request.param)
    uri = request.getfixturevalue("milvus").uri if request.param == "milvus" else None
    knowledge = SmallKnowledge(settings_with(folder, uri, 20))
    knowledge.add(write_statutes(folder / "kr"))
    index = knowledge.store.open_current()
    yield index.collections[LAW]
    index.close()


@pytest.fixture
def scores(collection: CollectionIndex) -> QuestionScores:
    return collection.question_scores([QUESTION, VARIANT], 20)[0]


def expected(collection: CollectionIndex) -> tuple[Scores, Scores, Scores, Scores]:
    """Of every chunk: text, group, context, and the factor for its kind."""
    ranking = collection.ranking
    text = collection.bm25_scores(*QUESTION)
    return text, ranking.group_scores(*QUESTION), ranking.context_scores(*QUESTION), ranking.boost


def test_the_best_chunks_by_text(collection: CollectionIndex, scores: QuestionScores) -> None:
    text, _, _, boost = expected(collection)
    best, values = top_k(text * boost, 20)
    found, found_values = scores.best(20)
    np.testing.assert_allclose(found_values, values, rtol=1e-4)
    np.testing.assert_allclose((text * boost)[found], values, rtol=1e-4)  # equal scores in any order
    assert len(set(found.tolist())) == len(best)


def test_a_variant_has_scores_of_its_own(collection: CollectionIndex) -> None:
    variant = collection.question_scores([QUESTION, VARIANT], 20)[1]
    text = collection.bm25_scores(*VARIANT) * collection.ranking.boost
    assert set(variant.best(20)[0].tolist()) == set(np.flatnonzero(text).tolist())
    assert len(collection.question_scores([((), ())], 20)[0].best(5)[0]) == 0


def test_what_stands_in_an_act_on_the_subject_is_found_behind_a_crowd(
    collection: CollectionIndex, scores: QuestionScores
) -> None:
    text, group, _, boost = expected(collection)
    weighed = text * boost * (0.5 + group / group.max())
    found, values = scores.on_subject(7)
    np.testing.assert_allclose(weighed[found], top_k(weighed, 7)[1], rtol=1e-4)
    np.testing.assert_allclose(values, (text * boost)[found], rtol=1e-4)
    (article,) = collection.by_label("가게법|제9조")
    assert article in found
    assert article not in top_k(text * boost, 400)[0], "its own words would not have brought it up"


def test_what_others_say(collection: CollectionIndex, scores: QuestionScores) -> None:
    _, _, context, _ = expected(collection)
    assert (
        scores.said_by_others(4)[0].tolist() == np.flatnonzero(context).tolist() == collection.by_label("가게법|제9조")
    )


def test_scores_of_chunks_however_they_were_found(collection: CollectionIndex, scores: QuestionScores) -> None:
    text, group, context, boost = expected(collection)
    ordinals = np.flatnonzero(boost)
    found = scores.of(ordinals)
    for values, wanted in ((found.text, text), (found.group, group), (found.context, context)):
        np.testing.assert_allclose(values, wanted[ordinals], rtol=1e-4, atol=1e-5)


def test_only_some_chunks(collection: CollectionIndex, scores: QuestionScores) -> None:
    within = np.asarray(collection.by_label("이웃법|제2조") + collection.by_label("가게법|제9조"), dtype=np.int64)
    assert set(scores.best(20, within)[0].tolist()) == set(within.tolist())
    assert set(scores.on_subject(20, within)[0].tolist()) == set(within.tolist())


@pytest.mark.services
@pytest.mark.parametrize("failure", ["kill", "hang"])
def test_the_files_stand_in_for_a_server_that_fails(
    tmp_path: Path, failure: str, caplog: pytest.LogCaptureFixture
) -> None:
    with MilvusProcess(tmp_path / "milvus") as server:
        knowledge = SmallKnowledge(settings_with(tmp_path, server.uri, 20))
        knowledge.add(write_statutes(tmp_path / "kr"))
        impatient = SmallKnowledge(settings_with(tmp_path, server.uri, 1))
        index = impatient.store.open_current()
        collection = index.collections[LAW]
        served = collection.question_scores([QUESTION], 20)[0]
        assert not isinstance(served, MappedScores)
        getattr(server, failure)()
        begun = time.monotonic()
        with caplog.at_level(logging.WARNING):
            after = served.on_subject(6)
            again = collection.question_scores([QUESTION], 20)[0]
        assert time.monotonic() - begun < 8
        assert "files of the index" in caplog.text
        assert isinstance(again, MappedScores)
        assert after[0].tolist() == again.on_subject(6)[0].tolist()
        assert collection.vector_error is not None
        index.close()
