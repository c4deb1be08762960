"""`verify` accepts equal and nearly equal texts, and refuses a vector store that lost vectors."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from utils.protocols import FloatMatrix
from vectorstores.backends.strays import NEARLY_EQUAL
from vectorstores.backends.vector_table import build_name
from vectorstores.backends.vectors import VectorStore, VectorWriter
from vectorstores.build.verify import verify_index
from vectorstores.index import CollectionIndex

HR = "hr_labor_db"


def units(rows: NDArray[np.floating[Any]]) -> FloatMatrix:
    result: FloatMatrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return result


def stored(folder: Path, vectors: FloatMatrix) -> VectorStore:
    """A store of these vectors, under the numbers of their rows."""
    with VectorWriter(folder, "vectors", None) as writer:
        for start in range(0, len(vectors), 1_000):
            some = vectors[start : start + 1_000]
            writer.add(range(start, start + len(some)), some)
        writer.settle(np.arange(len(vectors), dtype=np.int64), vectors.astype(np.float16))
    return VectorStore(folder, "vectors", np.arange(len(vectors), dtype=np.int64), None)


@pytest.mark.finding("M8")
def test_equal_vectors_hide_no_other(tmp_path: Path) -> None:
    """Each of many equal ones led to the others alone; of 60 other vectors beside 30,000 equal ones two were found."""
    random = np.random.default_rng(0)
    others = units(random.standard_normal((50, 64)))
    equal = np.repeat(units(random.standard_normal((1, 64))), 4_000, axis=0)
    store = stored(tmp_path, np.concatenate([equal[:2_000], others, equal[2_000:]]))
    for number, (near, cosines) in enumerate(store.query(others, 5)):
        assert near[0] == 2_000 + number
        assert cosines[0] == pytest.approx(1.0, abs=1e-5)
    ((near, cosines),) = store.query(equal[:1], 3)
    assert near.tolist() == [0, 1, 2], "equal ones come in their order"
    assert cosines == pytest.approx([1.0] * 3, abs=1e-5)
    assert len(store.query(equal[:1], 3_990)[0][0]) == 3_990
    assert store.stored_uids() == set(range(4_050))
    store.close()


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    """More vectors than are compared one by one, without a graph."""
    folder = tmp_path_factory.mktemp("many")
    made = SmallKnowledge(Settings(data_dir=folder / "data"))
    made.add(write_lines(folder / "a.jsonl", *(record(f"D{number}", f"번호{number}") for number in range(2_200))))
    return made


@pytest.mark.finding("M8")
@pytest.mark.parametrize("lost", [0, 330])
def test_a_store_that_lost_vectors_does_not_pass(knowledge: SmallKnowledge, tmp_path: Path, lost: int) -> None:
    """Two writers at once left 13 to 20 in a hundred of their vectors where no search finds them."""
    shutil.copytree(knowledge.settings.data_dir, tmp_path / "data")
    copy = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    manifest = copy.store.layout.manifest(copy.store.current_version() or "")
    build = manifest.collections[HR]
    folder = copy.store.layout.collection_dir(build)
    vectors = np.load(folder / "vectors.npy").astype(np.float32)
    vectors[np.random.default_rng(0).choice(len(vectors), lost, replace=False)] *= -1
    shutil.rmtree(folder / "chroma")
    with VectorWriter(folder, build_name(HR, build.built_in), None) as writer:
        writer.add(np.load(folder / "uids.npy").tolist(), vectors)
    unsealed = build.model_copy(update={"files": {}})  # as it would be, had the build itself gone wrong
    index = copy.store.open_manifest(manifest.model_copy(update={"collections": {HR: unsealed}}))
    assert isinstance(index.collections[HR], CollectionIndex)
    problems = verify_index(index)
    index.close()
    assert bool(problems) == bool(lost)
    assert all("자기 자신을 찾지 못합니다" in problem for problem in problems)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.finding("M8")
def test_a_collection_of_equal_texts_can_be_changed(tmp_path: Path) -> None:
    """Every other build failed, at random: equal documents among others, then additions and deletions."""
    made = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    others = [record(f"O{number}", f"다른 번호{number}", title="다른 글") for number in range(3_000)]
    equal = [record(f"E{number}", "도토리 문서입니다.", title="같은 글") for number in range(30_000)]
    made.add(write_lines(tmp_path / "a.jsonl", *others, *equal))
    made.add(write_lines(tmp_path / "b.jsonl", record("NEW", "새로운 소식")))
    made.ingest.delete([f"E{number}" for number in range(0, 3_000, 3)])
    index = made.store.open_current()
    collection = index.collections[HR]
    assert verify_index(index) == []
    for number in range(0, 3_000, 100):
        ((near, _),) = collection.vector_search(made.vector(f"다른 글 다른 번호{number}"), 1)
        assert collection.chunks(near)[0].id == f"O{number}"
    ((near, _),) = collection.vector_search(made.vector("NEW 안내 새로운 소식"), 1)
    assert collection.chunks(near)[0].id == "NEW"
    index.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.finding("M8")
@pytest.mark.parametrize("spread", [0.001, 0.01, 0.1, 0.3])
def test_nearly_equal_texts_hide_no_other(tmp_path: Path, spread: float) -> None:
    random = np.random.default_rng(1)
    noise = units(random.standard_normal((30_000, 64)))
    vectors = units(units(random.standard_normal((1, 64))) + spread * noise)
    vectors = np.concatenate([vectors, units(random.standard_normal((600, 64)))])
    store = stored(tmp_path, vectors)
    for start in (0, 30_000):  # of those that are nearly equal, and all the others
        some = np.arange(start, len(vectors), 100 if start == 0 else 1)[:600]
        found = store.query(vectors[some], 10)
        lost = [
            number
            for number, (near, cosines) in zip(some.tolist(), found, strict=True)
            if number not in near and cosines[0] < NEARLY_EQUAL
        ]
        assert len(lost) <= 0.01 * len(some)
    store.close()
