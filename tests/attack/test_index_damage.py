"""M7: whatever is damaged of the index is named with the command that mends it, ends nothing, and changes no answer unseen."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from schemas.chat import Component
from tests.support.crowd import wait_until
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import open_searcher, request_for
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.build.staging import Source
from vectorstores.build.verify import verify_index
from vectorstores.errors import IndexDamaged, IndexMismatch
from vectorstores.index import KnowledgeIndex
from vectorstores.integrity.checksums import FileRecord
from vectorstores.integrity.damage_messages import REPAIR_COMMAND
from vectorstores.live.background_check import BackgroundCheck
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.storage.unit_table import UNITS_FOLDER
from vectorstores.versions.versions import Manifest, SourceRecord

pytestmark = pytest.mark.finding("M7")

HR, TAX = "hr_labor_db", "finance_tax_db"
QUESTIONS = {HR: "H7 안내 임금 체불 번호7", TAX: "T3 안내 부가 세금 번호3"}
Answer = tuple[list[str], list[Component]]
SLOW_ONES = [
    pytest.param(name, marks=pytest.mark.slow) for name in ("vectors.npy", "bm25/data.csc.index.npy", "body.ids.npy")
]
WHOLE: Answer = (["임금 체불 번호7"], [])


def deleted(path: Path) -> None:
    path.unlink()


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    _overwrite(path, lambda content: bytes(byte ^ 0xFF for byte in content[::7]))


def zeroed(path: Path) -> None:
    _overwrite(path, lambda content: bytes(len(content) // 10 + 1))


def _overwrite(path: Path, made: Callable[[bytes], bytes]) -> None:
    """In place, as a disk damages a file that is open."""
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(len(content) // 3)
        file.write(made(content)[: len(content) - len(content) // 3])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SmallKnowledge:
    """Two collections with something in them."""
    folder = tmp_path_factory.mktemp("made")
    knowledge = SmallKnowledge(Settings(data_dir=folder / "data"))
    lines = [record(f"H{number}", f"임금 체불 번호{number}") for number in range(30)]
    lines += [record(f"T{number}", f"부가 세금 번호{number}", "finance_tax") for number in range(5)]
    knowledge.add(write_lines(folder / "a.jsonl", *lines))
    return knowledge


@pytest.fixture
def knowledge(made: SmallKnowledge, tmp_path: Path) -> SmallKnowledge:
    """The same in a folder of its own, to be damaged."""
    shutil.copytree(made.settings.data_dir, tmp_path / "data")
    return SmallKnowledge(Settings(data_dir=tmp_path / "data"))


@pytest.fixture
def opened(knowledge: SmallKnowledge) -> Iterator[KnowledgeIndex]:
    index = knowledge.store.open_current()
    index.connect()
    yield index
    index.close()


def file_of(knowledge: SmallKnowledge, pattern: str, name: str = HR) -> Path:
    """The one file of the current build that fits."""
    manifest = knowledge.store.layout.manifest(knowledge.store.current_version() or "")
    (path,) = knowledge.store.layout.collection_dir(manifest.collections[name]).glob(pattern)
    return path


def answer(knowledge: SmallKnowledge, index: KnowledgeIndex, name: str = HR) -> Answer:
    """Return the texts found and the components named as missing."""
    return asked(open_searcher(knowledge, index), name)


def asked(searcher: HybridSearcher, name: str = HR) -> Answer:
    outcome = searcher.search(name, request_for(QUESTIONS[name], k=1))
    return [hit.chunk.text for hit in outcome.hits], [degraded.component for degraded in outcome.degraded]


def source_again(key: str, record: SourceRecord) -> Source | None:
    from vectorstores.loaders.registry import loader_for

    path = Path(key)
    return Source(path, loader_for(path, record.format), key, record.domain) if path.exists() else None


@pytest.mark.parametrize(
    ("pattern", "damage", "component"),
    [
        ("chroma/*/data_level0.bin", flipped, Component.VECTOR),  # SIGSEGV without a checksum
        ("chroma/*/data_level0.bin", halved, Component.VECTOR),  # seen by nobody but each question
        ("chroma/*/link_lists.bin", deleted, Component.VECTOR),
        ("chroma/chroma.sqlite3", flipped, Component.VECTOR),  # SIGABRT
        ("vectors.npy", deleted, Component.VECTOR),  # no degradation at all
        ("vectors.npy", flipped, Component.VECTOR),
        ("twins.npy", deleted, Component.VECTOR),
        ("bm25/indptr.csc.index.npy", zeroed, Component.BM25),  # another answer
        ("bm25_contexts/params.index.json", flipped, Component.BM25),
        ("vocabulary.bin", flipped, Component.BM25),  # UnicodeDecodeError
        ("starts.offsets.npy", flipped, Component.BM25),
        ("groups.npy", zeroed, Component.BM25),
        ("passages.npy", flipped, Component.BM25),
        ("chunks.sqlite", flipped, Component.INDEX),  # sqlite3.DatabaseError
        ("chunks.sqlite", halved, Component.INDEX),
        ("uids.npy", deleted, Component.INDEX),
    ],
)
def test_a_damaged_file_is_named_and_the_rest_answers(
    knowledge: SmallKnowledge, pattern: str, damage: Callable[[Path], None], component: Component
) -> None:
    path = file_of(knowledge, pattern)
    damage(path)
    index = knowledge.store.open_current()
    try:
        assert list(index.damages) == [HR]
        assert REPAIR_COMMAND in index.damages[HR]
        assert str(knowledge.settings.data_dir) not in index.damages[HR]
        found, missing = answer(knowledge, index)
        assert missing == [component]
        assert found == ([] if component is Component.INDEX else WHOLE[0])
        assert answer(knowledge, index, TAX) == (["부가 세금 번호3"], [])
        assert any(path.name in problem for problem in verify_index(index))
    finally:
        index.close()


def test_with_neither_side_of_the_search_the_other_collections_answer(knowledge: SmallKnowledge) -> None:
    deleted(file_of(knowledge, "vectors.npy"))
    deleted(file_of(knowledge, "vocabulary.bin"))
    index = knowledge.store.open_current()
    assert answer(knowledge, index) == ([], [Component.INDEX])
    assert answer(knowledge, index, TAX) == (["부가 세금 번호3"], [])
    index.close()


def test_with_nothing_left_to_answer_from_the_start_is_refused_in_a_sentence(knowledge: SmallKnowledge) -> None:
    for name in (HR, TAX):
        zeroed(file_of(knowledge, "chunks.sqlite", name))
    with pytest.raises(IndexDamaged, match=REPAIR_COMMAND):
        knowledge.store.open_current()


def test_opening_and_asking_change_no_file(knowledge: SmallKnowledge, opened: KnowledgeIndex) -> None:
    """Chroma notes each opening in its database: a checksum of that would hold once."""
    assert answer(knowledge, opened) == WHOLE
    opened.close()
    again = knowledge.store.open_current()
    assert verify_index(again) == []
    again.close()


def test_a_single_document_has_no_damage(tmp_path: Path) -> None:
    """Of one vector Chroma writes no graph: it makes the files anew, with whatever was in memory, at each opening."""
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금 체불")))
    for _ in range(3):
        index = knowledge.store.open_current()
        assert index.collections[HR].vector_error is None
        assert verify_index(index) == []
        index.close()


# Texts: the version before


def test_the_texts_of_the_version_before_stand_in(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("NEW", "새 문서")))
    zeroed(file_of(knowledge, "chunks.sqlite"))
    index = knowledge.store.open_current()
    assert answer(knowledge, index) == (WHOLE[0], [Component.INDEX])
    assert "이전 버전" in index.damages[HR]
    assert index.collections[HR].chunk_by_id("NEW") is None
    assert any("chunks.sqlite" in problem for problem in verify_index(index))
    index.close()


def test_what_was_deleted_does_not_come_back_with_the_version_before(knowledge: SmallKnowledge) -> None:
    knowledge.ingest.delete(["H7"])
    zeroed(file_of(knowledge, "chunks.sqlite"))
    index = knowledge.store.open_current()
    assert index.collections[HR].size == 0
    assert answer(knowledge, index) == ([], [Component.INDEX])
    index.close()


@pytest.mark.slow
def test_nothing_is_built_on_damaged_texts(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    """The next version would have carried them on, with checksums of its own."""
    flipped(file_of(knowledge, "chunks.sqlite"))
    before = knowledge.store.current_version()
    with pytest.raises(IndexDamaged, match=REPAIR_COMMAND):
        knowledge.add(write_lines(tmp_path / "b.jsonl", record("NEW", "새 문서")))
    assert knowledge.store.current_version() == before


# Damage while the service runs


@pytest.mark.parametrize(
    ("pattern", "component"),
    [("bm25/data.csc.index.npy", Component.BM25), ("chroma/*/length.bin", Component.VECTOR)],
)
def test_what_breaks_later_is_found_in_the_background(
    knowledge: SmallKnowledge, opened: KnowledgeIndex, pattern: str, component: Component
) -> None:
    check = BackgroundCheck(knowledge.store, lambda: opened)
    state = opened.state
    flipped(file_of(knowledge, pattern))
    check.check()
    assert REPAIR_COMMAND in opened.damages[HR]
    assert answer(knowledge, opened) == (WHOLE[0], [component])
    assert opened.state != state, "answers that were kept from before are not given any more"


@pytest.mark.slow
def test_texts_that_break_later_are_replaced(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("NEW", "새 문서")))
    index = knowledge.store.open_current()
    flipped(file_of(knowledge, "chunks.sqlite"))
    BackgroundCheck(knowledge.store, lambda: index).check()
    assert answer(knowledge, index) == (WHOLE[0], [Component.INDEX])
    index.close()


@asynccontextmanager
async def watching(check: BackgroundCheck) -> AsyncIterator[None]:
    task = asyncio.create_task(check.watch())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def test_the_service_checks_in_every_period(knowledge: SmallKnowledge, opened: KnowledgeIndex) -> None:
    async with watching(BackgroundCheck(knowledge.store, lambda: opened, period=0.01)):
        flipped(file_of(knowledge, "starts.ids.npy", TAX))
        await asyncio.to_thread(wait_until, lambda: TAX in opened.damages, "the damage is found")


async def test_what_was_just_opened_is_not_read_again(knowledge: SmallKnowledge, opened: KnowledgeIndex) -> None:
    """Opening compares every file: a start and a new version cost that once."""
    asked: list[KnowledgeIndex] = []

    def current() -> KnowledgeIndex:
        asked.append(opened)
        return opened

    async with watching(BackgroundCheck(knowledge.store, current)):
        await asyncio.sleep(0.05)
    assert asked == []


@pytest.mark.parametrize(
    ("pattern", "component"), [("chunks.sqlite", Component.INDEX), ("bm25/indices.csc.index.npy", Component.BM25)]
)
def test_a_question_that_meets_damage_first_is_answered_and_marked(
    knowledge: SmallKnowledge, opened: KnowledgeIndex, pattern: str, component: Component
) -> None:
    searcher = open_searcher(knowledge, opened)
    path = file_of(knowledge, pattern)
    with path.open("r+b") as file:
        file.seek(128)
        file.write(b"\x7f" * (path.stat().st_size - 128))
    found, missing = asked(searcher)
    assert missing == [component]
    assert found == ([] if component is Component.INDEX else WHOLE[0])


# The commands that mend


@pytest.mark.parametrize("pattern", ["chroma/*/data_level0.bin", *SLOW_ONES])
def test_repair_builds_searches_anew_from_the_texts(knowledge: SmallKnowledge, pattern: str) -> None:
    before = knowledge.store.layout.manifest(knowledge.store.current_version() or "")
    flipped(file_of(knowledge, pattern))
    result = knowledge.ingest.repair(lambda key, record: None)
    assert (result.changed, result.added, result.removed, result.problems) == (True, 0, 0, [])
    assert_whole(knowledge)
    after = knowledge.store.layout.manifest(result.version or "")
    assert after.collections[TAX] == before.collections[TAX], "what is whole stays"
    assert not knowledge.ingest.repair(lambda key, record: None).changed


@pytest.mark.parametrize("pattern", ["chunks.sqlite", pytest.param("uids.npy", marks=pytest.mark.slow)])
def test_repair_reads_texts_from_their_sources(knowledge: SmallKnowledge, pattern: str) -> None:
    zeroed(file_of(knowledge, pattern))
    result = knowledge.ingest.repair(source_again)
    assert (result.changed, result.problems) == (True, [])
    assert_whole(knowledge)


@pytest.mark.slow
def test_repair_takes_the_version_before_where_a_source_is_gone(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    new = write_lines(tmp_path / "b.jsonl", record("NEW", "새 문서"))
    knowledge.add(new)
    new.unlink()
    zeroed(file_of(knowledge, "chunks.sqlite"))
    result = knowledge.ingest.repair(lambda key, record: None)
    assert any(str(new) in str(problem) for problem in result.problems), "what is lost is named"
    assert_whole(knowledge)


def assert_whole(knowledge: SmallKnowledge) -> None:
    index = knowledge.store.open_current()
    try:
        assert (verify_index(index), index.damages) == ([], {})
        assert answer(knowledge, index) == WHOLE
    finally:
        index.close()


@pytest.mark.parametrize("name", ["current.json", "manifest.json"])
@pytest.mark.slow
@pytest.mark.parametrize("damage", [deleted, halved, flipped])
def test_pointer_and_manifest_are_read_from_their_copies(
    knowledge: SmallKnowledge, name: str, damage: Callable[[Path], None]
) -> None:
    layout, version = knowledge.store.layout, knowledge.store.current_version() or ""
    damage((layout.root if name == "current.json" else layout.root / version) / name)
    assert_whole(knowledge)
    assert layout.damaged_records(version) == [name]
    knowledge.ingest.repair(source_again)
    assert layout.damaged_records(version) == []


@pytest.mark.slow
def test_without_a_manifest_rollback_serves_the_version_before(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("NEW", "새 문서")))
    for path in (knowledge.store.layout.root / (knowledge.store.current_version() or "")).glob("manifest*.json"):
        flipped(path)
    with pytest.raises(IndexDamaged, match=r"vectorstores rollback.*vectorstores ingest --rebuild"):
        knowledge.store.open_current()
    knowledge.store.layout.rollback()
    assert_whole(knowledge)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["current*.json", "*/manifest*.json"])
def test_a_rebuild_needs_neither_pointer_nor_manifest(knowledge: SmallKnowledge, pattern: str) -> None:
    manifest = knowledge.store.layout.manifest(knowledge.store.current_version() or "")
    for path in list(knowledge.store.layout.root.glob(pattern)):
        halved(path)
    with pytest.raises(IndexDamaged, match="vectorstores ingest --rebuild"):
        knowledge.store.open_current()
    knowledge.add(*map(Path, manifest.sources), rebuild=True)
    assert_whole(knowledge)


@pytest.mark.slow
def test_an_index_without_checksums_is_to_be_built_anew(knowledge: SmallKnowledge) -> None:
    """As one of an earlier version is: from its own texts, by an ordinary ingest."""
    layout = knowledge.store.layout
    manifest = layout.manifest(knowledge.store.current_version() or "")
    older = _without_checksums(manifest)
    for path in layout.root.glob("*/manifest*.json"):
        path.unlink()
    (layout.root / manifest.version / "manifest.json").write_text(older.model_dump_json(), encoding="utf-8")
    with pytest.raises(IndexMismatch, match="vectorstores ingest"):
        knowledge.store.open_current()
    assert knowledge.add(*map(Path, manifest.sources)).changed
    assert_whole(knowledge)


def _without_checksums(manifest: Manifest) -> Manifest:
    files: dict[str, FileRecord] = {}
    collections = {
        name: collection.model_copy(update={"files": files}) for name, collection in manifest.collections.items()
    }
    identity = manifest.identity.model_copy(update={"layout": 4})
    return manifest.model_copy(update={"collections": collections, "identity": identity, "format": 1})


def test_every_file_of_a_build_is_recorded(knowledge: SmallKnowledge) -> None:
    manifest = knowledge.store.layout.manifest(knowledge.store.current_version() or "")
    build = manifest.collections[HR]
    folder = knowledge.store.layout.collection_dir(build)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files - build.files.keys() == {"chroma.lock"}


# Over a real index


def matrix(data_dir: Path, collection: str, *only: str) -> str:
    command = [
        sys.executable,
        "-m",
        "tests.support.damage_matrix",
        "--data-dir",
        str(data_dir),
        "--collection",
        collection,
    ]
    done = subprocess.run(
        [*command, *(("--only", *only) if only else ())], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_file_of_the_starter_index_in_four_ways(starter_settings: Settings, tmp_path: Path) -> None:
    shutil.copytree(starter_settings.data_dir, tmp_path / "data")
    printed = matrix(tmp_path / "data", HR).splitlines()
    assert len(printed) > 140
    assert sum(f"/{UNITS_FOLDER}/" in line for line in printed) == 4 * 6, "the files of the answer units among them"
    assert not [line for line in printed[:-1] if "before the check changed 0" not in line], "all of it is read at start"


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.timeout(7200)
def test_every_file_of_a_large_collection_in_four_ways() -> None:
    """It takes minutes to ingest, so the index is made beforehand and named by an environment variable."""
    if "STATUTES_DATA_DIR" not in os.environ:
        pytest.skip("STATUTES_DATA_DIR names no index of the national statutes")
    assert len(matrix(Path(os.environ["STATUTES_DATA_DIR"]), "law_common_db").splitlines()) > 140
