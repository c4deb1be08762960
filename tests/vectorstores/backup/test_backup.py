"""A backup of a data folder in use, restored on an empty machine; what is killed half way leaves what was there."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agents.question_log.journal import Journal, read_journal
from agents.sessions.sqlite import SqliteSessions
from tests.agents.question_log.test_journal import line
from tests.support.chroma_process import ChromaProcess
from tests.support.session_stores import KIM, asked, say, store_of
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_service import SmallService, small_settings
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.backup.backup import back_up, new_backup_file, old_backups, restore
from vectorstores.build.providers import open_store
from vectorstores.build.verify import verify_index
from vectorstores.errors import BackupFailed, BackupRefused, BackupUnusable, IndexMismatch, VectorServerUnavailable
from vectorstores.versions.versions import INDEX_LAYOUT

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("built") / "data"
    _add(data, "A", "임금")
    with closing(sqlite3.connect(data / "domains.db")) as connection:
        connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES ('노무')")
    Journal(data, days=90, file_bytes=65_536, files=10).append(line("r1"))
    upload = data / "uploads" / "abc" / "a.jsonl"
    upload.parent.mkdir(parents=True)
    upload.write_bytes(b"{}\n")
    for passing in ("cache/analysis.sqlite", "logs/chat.log", ".cache/x", "uploads/.incoming/part"):
        (data / passing).parent.mkdir(parents=True, exist_ok=True)
        (data / passing).write_bytes(b"passing")
    return data


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A data folder with something in every store."""
    return shutil.copytree(built, tmp_path / "data")


def _add(data: Path, name: str, content: str) -> SmallKnowledge:
    knowledge = SmallKnowledge(Settings(data_dir=data))
    data.parent.mkdir(exist_ok=True)
    assert knowledge.add(write_lines(data.parent / f"{name}.jsonl", record(name, content))).changed
    return knowledge


def _documents(data: Path) -> set[str]:
    index = SmallKnowledge(Settings(data_dir=data)).store.open_current()
    try:
        assert verify_index(index) == []
        found = index.collections.values()
        return {chunk.doc_id for collection in found for chunk in collection.chunks(range(collection.size))}
    finally:
        index.close()


def _domains(data: Path) -> list[str]:
    with closing(sqlite3.connect(data / "domains.db")) as connection:
        return [row[0] for row in connection.execute("SELECT x FROM t")]


async def test_everything_comes_back_on_an_empty_machine(data: Path, tmp_path: Path) -> None:
    store = store_of(SqliteSessions(data, 5.0))
    async with store.running():
        await say(store, KIM, "s", "연차")  # the database is open, and its last turn in its log alone
        back_up(data, tmp_path / "a.tar")
    elsewhere = tmp_path / "elsewhere"
    listed = restore(tmp_path / "a.tar", elsewhere)
    assert _documents(elsewhere) == {"A"}
    assert _domains(elsewhere) == ["노무"]
    assert [each.request_id for each in read_journal(elsewhere)] == ["r1"]
    assert (elsewhere / "uploads" / "abc" / "a.jsonl").read_bytes() == b"{}\n"
    assert not [name for name in listed.files if "passing" in name or name.startswith((".", "cache", "logs"))]
    assert not (elsewhere / "uploads" / ".incoming").exists()
    restored = store_of(SqliteSessions(elsewhere, 5.0))
    async with restored.running():
        assert await asked(restored, KIM, "s") == ["연차"]
    assert (tmp_path / "a.tar").stat().st_mode & 0o777 == 0o600
    assert not [path for path in elsewhere.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
async def test_it_is_consistent_while_a_service_takes_documents_in(tmp_path: Path) -> None:
    service = SmallService(small_settings(tmp_path / "data"))
    async with service.running():
        stop, made = threading.Event(), []

        def back_up_often() -> None:
            number = 0
            while not stop.is_set():
                target = tmp_path / f"{number}.tar"
                with suppress(BackupFailed):  # the version before the one before was removed
                    back_up(tmp_path / "data", target)
                    made.append(target)
                number += 1

        thread = threading.Thread(target=back_up_often)
        thread.start()
        try:
            for number in range(3):
                await service.ended(await service.upload(record(f"D{number}", "연차")))
        finally:
            stop.set()
            thread.join()
    assert made
    for number, archive in enumerate([made[0], made[-1]]):
        listed = restore(archive, tmp_path / f"restored{number}")
        assert listed.index_version
        found = _documents(tmp_path / f"restored{number}")
        assert "FIRST" in found
        assert found == {"FIRST", *(f"D{index}" for index in range(len(found) - 1))}, "a state that there was"


def test_the_version_before_is_there_to_go_back_to(data: Path, tmp_path: Path) -> None:
    _add(data, "B", "연차")
    back_up(data, tmp_path / "a.tar")
    restore(tmp_path / "a.tar", tmp_path / "new")
    assert _documents(tmp_path / "new") == {"A", "B"}
    SmallKnowledge(Settings(data_dir=tmp_path / "new")).store.layout.rollback()
    assert _documents(tmp_path / "new") == {"A"}


def test_what_is_there_is_replaced_only_when_that_is_asked_for(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "a.tar")
    _add(data, "B", "연차")
    (data / "domains.db-wal").write_bytes(b"of another database")
    with pytest.raises(BackupRefused, match="--replace"):
        restore(tmp_path / "a.tar", data)
    assert _documents(data) == {"A", "B"}
    restore(tmp_path / "a.tar", data, replace=True)
    assert _documents(data) == {"A"}
    assert not (data / "domains.db-wal").exists()
    assert (data / "logs" / "chat.log").exists(), "no state of the service"


async def test_a_folder_in_use_is_not_replaced(tmp_path: Path) -> None:
    service = SmallService(small_settings(tmp_path / "data"))
    async with service.running():
        back_up(tmp_path / "data", tmp_path / "a.tar")
        with pytest.raises(BackupRefused, match="실행 중"):
            restore(tmp_path / "a.tar", tmp_path / "data", replace=True)
    restore(tmp_path / "a.tar", tmp_path / "data", replace=True)


def _damaged(archive: Path, how: str) -> Path:
    content = bytearray(archive.read_bytes())
    damaged = archive.with_name(f"{how}.tar")
    if how == "cut":
        content = content[: len(content) // 2]
    elif how == "changed":
        content[content.index("임금".encode())] ^= 1
    elif how == "no backup":
        content = bytearray(b"nothing of the kind")
    damaged.write_bytes(content)
    if how in ("outside", "a link"):
        with tarfile.open(damaged, "w") as tar:
            member = tarfile.TarInfo("data/../../evil" if how == "outside" else "data/index")
            member.type, member.linkname = (tarfile.REGTYPE, "") if how == "outside" else (tarfile.SYMTYPE, "/etc")
            tar.addfile(member)
    return damaged


@pytest.mark.parametrize("how", ["cut", "changed", "no backup", "outside", "a link"])
def test_what_is_no_whole_backup_changes_nothing(data: Path, tmp_path: Path, how: str) -> None:
    back_up(data, tmp_path / "a.tar")
    _add(data, "B", "연차")
    with pytest.raises(BackupUnusable):
        restore(_damaged(tmp_path / "a.tar", how), data, replace=True)
    assert _documents(data) == {"A", "B"}
    assert not (tmp_path / "evil").exists()
    assert not list(data.glob(".restore*")), "nothing of it stays"


def test_a_damaged_index_is_not_backed_up(data: Path, tmp_path: Path) -> None:
    next(data.glob("index/*/*/chunks.sqlite")).write_bytes(b"damaged")
    with pytest.raises(BackupFailed, match="python -m vectorstores repair"):
        back_up(data, tmp_path / "a.tar")
    assert list(tmp_path.glob("*.tar*")) == []


def test_backups_lie_beside_the_state_and_the_oldest_go(data: Path) -> None:
    folder = new_backup_file(data).parent
    for day in range(1, 5):
        back_up(data, folder / f"bizi-2026110{day}T000000Z.tar")
    assert [file.name[:13] for file in old_backups(folder, 2)] == ["bizi-20261101", "bizi-20261102"]
    assert len({file.stat().st_size for file in folder.iterdir()}) == 1, "no backup holds others"
    with pytest.raises(BackupRefused, match="backups"):
        back_up(data, data / "index" / "a.tar")


_KILLED = """\
import os, signal, sys
from pathlib import Path
from vectorstores.backup.backup import restore
from vectorstores.integrity import exchange

def kill_at(module, name, number):
    kept, calls = getattr(module, name), []
    def call(*arguments, **more):
        calls.append(1)
        if len(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return kept(*arguments, **more)
    setattr(module, name, call)

archive, data, place, number = sys.argv[1:]
import vectorstores.backup.archive as archiving
kill_at({"unpack": archiving, "move": exchange, "record": exchange}[place],
        {"unpack": "_write", "move": "_move", "record": "write_sealed"}[place], int(number))
restore(Path(archive), Path(data), replace=True)
"""


@pytest.mark.parametrize(
    ("place", "number", "is_restored"),
    [
        pytest.param("unpack", 3, False, marks=pytest.mark.slow),
        ("record", 1, False),
        ("move", 1, True),
        pytest.param("move", 4, True, marks=pytest.mark.slow),
    ],
)
def test_a_restoration_that_is_killed_leaves_the_old_state_or_is_finished(
    data: Path, tmp_path: Path, place: str, number: int, is_restored: bool
) -> None:
    back_up(data, tmp_path / "a.tar")
    _add(data, "B", "연차")
    command = [sys.executable, "-c", _KILLED, str(tmp_path / "a.tar"), str(data), place, str(number)]
    killed = subprocess.run(command, cwd=PROJECT_ROOT, check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    open_store(Settings(data_dir=data))  # as the service and every command begin
    assert _documents(data) == ({"A"} if is_restored else {"A", "B"})
    assert _domains(data) == ["노무"]
    restore(tmp_path / "a.tar", data, replace=True)
    assert not list(data.glob(".restore*")), "what was left is gone"


@pytest.fixture
def older(data: Path) -> Path:
    """A data folder with the index of an earlier version of the service."""
    layout = SmallKnowledge(Settings(data_dir=data)).store.layout
    pointer = layout.pointer()
    assert pointer is not None
    manifest = layout.manifest(pointer.current)
    identity = manifest.identity.model_copy(update={"layout": INDEX_LAYOUT - 1})
    layout.write_again(manifest.model_copy(update={"identity": identity}))
    return data


def test_an_index_of_an_earlier_version_is_named_with_its_remedy_and_built_anew(older: Path, tmp_path: Path) -> None:
    back_up(older, tmp_path / "a.tar")
    restore(tmp_path / "a.tar", tmp_path / "new")
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "new"))
    with pytest.raises(IndexMismatch, match=r"파일 구성.*다시 만드는 명령: python -m vectorstores ingest"):
        knowledge.store.open_current()
    assert knowledge.add(write_lines(tmp_path / "A.jsonl", record("A", "임금"))).changed
    assert _documents(tmp_path / "new") == {"A"}


@pytest.mark.slow
@pytest.mark.services
def test_a_chroma_server_that_came_back_empty_gets_its_vectors_again(tmp_path: Path) -> None:
    with ChromaProcess(tmp_path / "chroma") as server:
        settings = Settings(data_dir=tmp_path / "data", chroma_host="127.0.0.1", chroma_port=server.port)
        SmallKnowledge(settings).add(write_lines(tmp_path / "a.jsonl", record("A", "임금"), record("B", "연차")))
        back_up(tmp_path / "data", tmp_path / "a.tar")
    restore(tmp_path / "a.tar", tmp_path / "new")
    with ChromaProcess(tmp_path / "empty") as server:
        identity = {"data_dir": tmp_path / "new", "chroma_host": "127.0.0.1", "chroma_port": server.port}
        knowledge = SmallKnowledge(Settings(**identity))
        knowledge.ingest.repair(lambda key, record: None)
        index = knowledge.store.open_manifest(knowledge.store.layout.manifest(knowledge.store.current_version() or ""))
        try:
            assert [collection.vector_error for collection in index.collections.values() if collection.size] == [None]
            assert {chunk.doc_id for each in index.collections.values() for chunk in each.chunks(range(each.size))} == {
                "A",
                "B",
            }
        finally:
            index.close()
        server.kill()
        with pytest.raises(VectorServerUnavailable):
            SmallKnowledge(Settings(**identity)).ingest.repair(lambda key, record: None)
