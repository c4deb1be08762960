"""The vector store, the same behaviour from both kinds: embedded in a directory and a real Chroma server."""

from __future__ import annotations

import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from utils.protocols import FloatMatrix
from vectorstores.chroma import ChromaServer
from vectorstores.dense import Neighbours, VectorStore, VectorWriter, drop_vectors
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.locks import FileLock

CHROMA = shutil.which("chroma", path=str(Path(sys.executable).parent))


@dataclass(slots=True)
class RunningChroma:
    """A Chroma server of our own; `stop` and `start` keep its port and its data."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert CHROMA is not None
        command = [CHROMA, "run", "--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError("the Chroma server did not start")

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningChroma]:
    if CHROMA is None:
        pytest.skip("the chroma command is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    running = RunningChroma(tmp_path_factory.mktemp("chroma"), port)
    running.start()
    yield running
    running.stop()


@pytest.fixture(params=["embedded", pytest.param("server", marks=pytest.mark.services)])
def server(request: pytest.FixtureRequest) -> ChromaServer | None:
    if request.param == "embedded":
        return None
    running: RunningChroma = request.getfixturevalue("chroma")
    return ChromaServer("127.0.0.1", running.port, timeout=20)


def unit_vectors(count: int, dimension: int = 16) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.random.default_rng(7).standard_normal((count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def stored(directory: Path, server: ChromaServer | None, count: int, name: str) -> VectorStore:
    uids = np.arange(count, dtype=np.int64) * 3 + 5
    directory.mkdir(exist_ok=True)
    with VectorWriter(directory, name, server) as writer:
        for part in np.array_split(np.arange(count), 3):
            writer.add(uids[part].tolist(), unit_vectors(count)[part])
    return VectorStore(directory, name, uids, server)


def test_nearest_first_with_their_cosines(tmp_path: Path, server: ChromaServer | None) -> None:
    store = stored(tmp_path, server, 60, f"near__{tmp_path.name}")
    vectors = unit_vectors(60)
    queries = vectors[[3, 41]] + 0.01
    found = store.query(queries, 5)
    for query, (ordinals, cosines) in zip(queries, found, strict=True):
        expected = vectors @ (query / np.linalg.norm(query))
        assert ordinals.tolist() == np.argsort(-expected)[:5].tolist()
        np.testing.assert_allclose(cosines, expected[ordinals], atol=1e-4)
    store.close()


def test_more_than_there_are_none_and_nothing_known(tmp_path: Path, server: ChromaServer | None) -> None:
    store = stored(tmp_path, server, 4, f"few__{tmp_path.name}")
    zero_and_real = np.vstack([np.zeros(16, np.float32), unit_vectors(4)[2]])
    nothing, everything = store.query(zero_and_real, 100)
    assert len(nothing[0]) == 0
    assert sorted(everything[0].tolist()) == [0, 1, 2, 3]
    assert all(len(ordinals) == 0 for ordinals, _ in store.query(zero_and_real, 0))
    assert store.stored_uids() == {5, 8, 11, 14}
    store.close()


def test_only_a_server_is_asked_again_for_a_vector(
    tmp_path: Path, server: ChromaServer | None, monkeypatch: pytest.MonkeyPatch
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


def test_a_store_of_another_build_is_unavailable(tmp_path: Path, server: ChromaServer | None) -> None:
    name = f"count__{tmp_path.name}"
    stored(tmp_path, server, 4, name).close()
    other = VectorStore(tmp_path, name, np.arange(5, dtype=np.int64), server)
    with pytest.raises(VectorStoreUnavailable):
        other.query(unit_vectors(1), 3)
    missing = VectorStore(tmp_path, f"missing__{tmp_path.name}", np.arange(4, dtype=np.int64), server)
    with pytest.raises(VectorStoreUnavailable):
        missing.connect()
    other.close()
    missing.close()


def test_a_whole_index_is_built_and_searched(tmp_path: Path, server: ChromaServer | None) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    if server is not None:
        settings = Settings(data_dir=tmp_path, chroma_host=server.host, chroma_port=server.port, chroma_timeout=20)
    knowledge = SmallKnowledge(settings)
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


@pytest.mark.services
def test_a_dead_server_is_unavailable_and_found_again_when_it_is_back(tmp_path: Path, chroma: RunningChroma) -> None:
    server = ChromaServer("127.0.0.1", chroma.port, timeout=5)
    store = stored(tmp_path, server, 4, f"dead__{tmp_path.name}")
    assert len(store.query(unit_vectors(1), 2)[0][0]) == 2
    chroma.stop()
    with pytest.raises(VectorStoreUnavailable):
        store.query(unit_vectors(1), 2)
    never_connected = VectorStore(tmp_path, "x", np.arange(1, dtype=np.int64), server)
    with pytest.raises(VectorStoreUnavailable):
        never_connected.connect()
    chroma.start()
    assert len(store.query(unit_vectors(1), 2)[0][0]) == 2
    store.close()


def test_a_server_that_accepts_and_never_answers_costs_one_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = ChromaServer("127.0.0.1", silent.getsockname()[1], timeout=0.3)
        store = VectorStore(Path("unused"), "x", np.arange(1, dtype=np.int64), server)
        VectorStore(Path("unused"), "y", np.arange(1, dtype=np.int64), None)
        with pytest.raises(VectorStoreUnavailable):
            store.connect()  # Chroma's client is imported here
        begun = time.monotonic()
        with pytest.raises(VectorStoreUnavailable):
            store.query(unit_vectors(1), 1)
        assert time.monotonic() - begun < 5
        with pytest.raises(VectorStoreUnavailable):
            drop_vectors("x", ChromaServer("127.0.0.1", 1))
