"""The vector store, the same behaviour from all kinds: embedded in a directory, a real Chroma server, a Milvus server."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.support.chroma_process import ChromaProcess
from tests.support.milvus_process import MilvusProcess
from tests.support.own_server import OwnServer
from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.provider_settings import VectorBackend
from utils.config.settings import Settings
from utils.protocols import FloatMatrix
from vectorstores.backends.chroma import ChromaServer
from vectorstores.backends.milvus import MilvusServer
from vectorstores.backends.vector_table import VectorServer
from vectorstores.backends.vectors import Neighbours, VectorStore, VectorWriter, drop_build
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.storage.locks import FileLock


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaProcess]:
    with ChromaProcess(tmp_path_factory.mktemp("chroma")) as running:
        yield running


@pytest.fixture(scope="module")
def milvus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusProcess]:
    with MilvusProcess(tmp_path_factory.mktemp("milvus")) as running:
        yield running


_SERVERS = [pytest.param(name, marks=pytest.mark.services) for name in ("chroma", "milvus")]


@pytest.fixture(params=["embedded", *_SERVERS])
def server(request: pytest.FixtureRequest) -> VectorServer | None:
    return None if request.param == "embedded" else server_of(request.getfixturevalue(request.param), 20)


@pytest.fixture(params=_SERVERS)
def process(request: pytest.FixtureRequest) -> OwnServer:
    running: OwnServer = request.getfixturevalue(request.param)
    return running


def server_of(process: OwnServer, timeout: float) -> VectorServer:
    if isinstance(process, MilvusProcess):
        return MilvusServer(process.uri, timeout=timeout)
    return ChromaServer("127.0.0.1", process.port, timeout=timeout)


def settings_of(server: VectorServer | None, folder: Path) -> Settings:
    match server:
        case ChromaServer():
            return Settings(data_dir=folder, chroma_host=server.host, chroma_port=server.port, chroma_timeout=20)
        case MilvusServer():
            milvus = VectorBackend.MILVUS
            return Settings(data_dir=folder, vector_backend=milvus, milvus_uri=server.uri, milvus_timeout=20)
    return Settings(data_dir=folder / "data")


def unit_vectors(count: int, dimension: int = 16) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.random.default_rng(7).standard_normal((count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def stored(directory: Path, server: VectorServer | None, count: int, name: str) -> VectorStore:
    uids = np.arange(count, dtype=np.int64) * 3 + 5
    directory.mkdir(exist_ok=True)
    with VectorWriter(directory, name, server) as writer:
        for part in np.array_split(np.arange(count), 3):
            writer.add(uids[part].tolist(), unit_vectors(count)[part])
    return VectorStore(directory, name, uids, server)


def test_nearest_first_with_their_cosines(tmp_path: Path, server: VectorServer | None) -> None:
    store = stored(tmp_path, server, 60, f"near__{tmp_path.name}")
    vectors = unit_vectors(60)
    queries = vectors[[3, 41]] + 0.01
    found = store.query(queries, 5)
    for query, (ordinals, cosines) in zip(queries, found, strict=True):
        expected = vectors @ (query / np.linalg.norm(query))
        assert ordinals.tolist() == np.argsort(-expected)[:5].tolist()
        np.testing.assert_allclose(cosines, expected[ordinals], atol=1e-4)
    store.close()


def test_more_than_there_are_none_and_nothing_known(tmp_path: Path, server: VectorServer | None) -> None:
    store = stored(tmp_path, server, 4, f"few__{tmp_path.name}")
    zero_and_real = np.vstack([np.zeros(16, np.float32), unit_vectors(4)[2]])
    nothing, everything = store.query(zero_and_real, 100)
    assert len(nothing[0]) == 0
    assert sorted(everything[0].tolist()) == [0, 1, 2, 3]
    assert all(len(ordinals) == 0 for ordinals, _ in store.query(zero_and_real, 0))
    assert store.stored_uids() == {5, 8, 11, 14}
    store.close()


def test_only_a_server_is_asked_again_for_a_vector(
    tmp_path: Path, server: VectorServer | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = stored(tmp_path, server, 30, f"again__{tmp_path.name}")
    vectors, asked, nearest = unit_vectors(30), [], store._nearest

    def counted(rows: FloatMatrix, k: int) -> list[Neighbours]:
        asked.append(len(rows))
        return nearest(rows, k)

    monkeypatch.setattr(store, "_nearest", counted)
    first = store.query(vectors[[0, 1, 0]], 3)
    again = store.query(vectors[[1, 2]], 3)
    more = store.query(vectors[[1]], 4)
    assert asked == ([2, 1, 1] if server is None else [2, 2, 1])
    for (ordinals, cosines), (others, same) in ((first[0], first[2]), (first[1], again[0])):
        assert ordinals.tolist() == others.tolist()
        assert cosines.tolist() == same.tolist()
    assert more[0][0].tolist()[:3] == first[1][0].tolist()
    assert len(more[0][0]) == 4
    store.close()


def test_a_start_has_nothing_to_insert(tmp_path: Path) -> None:
    stored(tmp_path, None, 60, "written").close()
    with closing(sqlite3.connect(tmp_path / "chroma" / "chroma.sqlite3")) as database:
        written_to = [seq_id for (seq_id,) in database.execute("SELECT seq_id FROM max_seq_id")]
    assert written_to == [60, 60]  # as far as the log reaches: the vectors in the graph, and their metadata


def test_a_store_of_another_build_is_unavailable(tmp_path: Path, server: VectorServer | None) -> None:
    name = f"count__{tmp_path.name}"
    stored(tmp_path, server, 4, name).close()
    other = VectorStore(tmp_path, name, np.arange(5, dtype=np.int64), server)
    with pytest.raises(VectorStoreUnavailable):
        other.query(unit_vectors(1), 3)
    missing = VectorStore(tmp_path, f"missing__{tmp_path.name}", np.arange(4, dtype=np.int64), server)
    with pytest.raises(VectorStoreUnavailable):
        missing.check()
    other.close()
    missing.close()


def test_a_whole_index_is_built_and_searched(tmp_path: Path, server: VectorServer | None) -> None:
    knowledge = SmallKnowledge(settings_of(server, tmp_path))
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금 체불 신고"), record("B", "연차 휴가 일수"))
    knowledge.add(path)
    write_lines(path, record("A", "임금 체불 신고"), record("B", "연차 휴가 사용"), record("C", "퇴직금 계산"))
    knowledge.add(path)
    index = knowledge.store.open_current()
    collection = index.collections["hr_labor_db"]
    ((ordinals, _),) = collection.vector_search(knowledge.vector("C 안내 퇴직금 계산"), 1)
    assert [chunk.id for chunk in collection.chunks(ordinals)] == ["C"]
    assert collection.vector_error is None
    index.close()


def test_the_embedded_store_is_not_opened_while_it_is_written(tmp_path: Path) -> None:
    stored(tmp_path, None, 4, "locked").close()
    with FileLock(tmp_path / "chroma.lock", shared=False), pytest.raises(VectorStoreUnavailable, match="다른 프로세스"):
        VectorStore(tmp_path, "locked", np.arange(4, dtype=np.int64), None).query(unit_vectors(1), 1)
    store = VectorStore(tmp_path, "locked", np.arange(4, dtype=np.int64) * 3 + 5, None)
    assert len(store.query(unit_vectors(1), 1)[0][0]) == 1
    store.close()


@pytest.mark.parametrize("damage", ["folder gone", "database garbage", "vectors gone"])
def test_a_damaged_embedded_store_is_unavailable_and_others_go_on(tmp_path: Path, damage: str) -> None:
    name = "damaged"
    stored(tmp_path / "a", None, 50, name).close()
    folder = tmp_path / "a" / "chroma"
    match damage:
        case "folder gone":
            shutil.rmtree(folder)
        case "database garbage":
            (folder / "chroma.sqlite3").write_bytes(b"garbage" * 1_000)
        case "vectors gone":
            database = folder / "chroma.sqlite3"
            database.write_bytes(database.read_bytes()[:8192])
    broken = VectorStore(tmp_path / "a", name, np.arange(50, dtype=np.int64) * 3 + 5, None)
    with pytest.raises(VectorStoreUnavailable):
        broken.query(unit_vectors(1), 3)
    healthy = stored(tmp_path / "b", None, 50, name)
    assert len(healthy.query(unit_vectors(1), 3)[0][0]) == 3
    broken.close()
    healthy.close()


def test_a_dead_server_is_unavailable_and_found_again_when_it_is_back(tmp_path: Path, process: OwnServer) -> None:
    server = server_of(process, 5)
    store = stored(tmp_path, server, 4, f"dead__{tmp_path.name}")
    assert len(store.query(unit_vectors(1), 2)[0][0]) == 2
    process.kill()
    with pytest.raises(VectorStoreUnavailable):
        store.query(unit_vectors(1), 2)
    never_connected = VectorStore(tmp_path, "x", np.arange(1, dtype=np.int64), server)
    with pytest.raises(VectorStoreUnavailable):
        never_connected.check()
    process.start()
    assert found_again(store) == 2
    store.close()


def test_a_server_that_hangs_is_unavailable_in_time_and_found_again(tmp_path: Path, process: OwnServer) -> None:
    store = stored(tmp_path, server_of(process, 20), 4, f"hangs__{tmp_path.name}")
    impatient = VectorStore(tmp_path, f"hangs__{tmp_path.name}", store._uids, server_of(process, 1))
    impatient.check()
    process.hang()
    begun = time.monotonic()
    with pytest.raises(VectorStoreUnavailable):
        ask_until_it_fails(impatient)
    assert time.monotonic() - begun < 5
    process.resume()
    assert found_again(impatient) == 2
    impatient.close()
    store.close()


@pytest.mark.finding("M6")
def test_what_an_open_store_lost_is_told_before_anybody_asks(tmp_path: Path, process: OwnServer) -> None:
    server = server_of(process, 20)
    name = f"lost__{tmp_path.name}"
    store = stored(tmp_path, server, 4, name)
    store.check()
    drop_build(name, server)
    with pytest.raises(VectorStoreUnavailable):
        store.check()
    drop_build(name, server)  # of a build that died before it came this far
    store.close()


def ask_until_it_fails(store: VectorStore) -> None:
    """Ask for a few seconds: the signal that stops a server may come after an answer or two."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        store.query(unit_vectors(1), 2)


def found_again(store: VectorStore) -> int:
    """Return the number of neighbours once a search succeeds; a server that was away is tried again after a pause."""
    until = time.monotonic() + 20
    while True:
        try:
            return len(store.query(unit_vectors(1), 2)[0][0])
        except VectorStoreUnavailable:
            assert time.monotonic() < until, "the server is not found again"
            time.sleep(0.1)


def test_a_server_that_accepts_and_never_answers_costs_one_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = ChromaServer("127.0.0.1", silent.getsockname()[1], timeout=0.3)
        store = VectorStore(Path("unused"), "x", np.arange(1, dtype=np.int64), server)
        VectorStore(Path("unused"), "y", np.arange(1, dtype=np.int64), None)
        with pytest.raises(VectorStoreUnavailable):
            store.check()  # Chroma's client is imported here
        begun = time.monotonic()
        with pytest.raises(VectorStoreUnavailable):
            store.query(unit_vectors(1), 1)
        assert time.monotonic() - begun < 5
        with pytest.raises(VectorStoreUnavailable):
            drop_build("x", ChromaServer("127.0.0.1", 1))
