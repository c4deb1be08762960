"""Making versions: incremental, repeatable, atomic, and safe against being killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_index import SmallKnowledge, WordAnalyzer, record, write_lines
from tests.support.unit_files import unit_text, write_document
from utils.config.settings import PROJECT_ROOT, Settings
from utils.protocols import FloatMatrix
from vectorstores.build.verify import verify_index
from vectorstores.errors import BuildInProgress, IndexMismatch, IndexMissing, VectorStoreUnavailable
from vectorstores.index import KnowledgeIndex

HR, TAX = "hr_labor_db", "finance_tax_db"


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    return SmallKnowledge(Settings(data_dir=tmp_path / "data"))


def ids(index: KnowledgeIndex, name: str = HR) -> list[str]:
    collection = index.collections[name]
    return [chunk.id for chunk in collection.chunks(range(collection.size))]


def current_ids(knowledge: SmallKnowledge, name: str = HR) -> list[str]:
    index = knowledge.store.open_current()
    try:
        assert verify_index(index) == []
        return ids(index, name)
    finally:
        index.close()


def test_the_same_ingest_again_changes_nothing(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금 체불"), record("B", "연차 휴가"))
    first = knowledge.add(path)
    assert (first.changed, first.added) == (True, 2)
    again = knowledge.add(path)
    assert (again.changed, again.version) == (False, first.version)
    os.utime(path)
    copied = write_lines(tmp_path / "copy.jsonl", record("B", "연차 휴가"), record("A", "임금 체불"))
    assert not knowledge.add(copied).changed
    assert knowledge.store.current_version() == first.version


def test_documents_are_added_and_replaced_by_id(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금 체불"), record("B", "연차"), record("C", "해고")))
    before = knowledge.analyzer.analyzed
    result = knowledge.add(write_lines(tmp_path / "b.jsonl", record("B", "연차 휴가 일수"), record("D", "퇴직금")))
    assert (result.added, result.updated, result.removed) == (1, 1, 0)
    assert current_ids(knowledge) == ["A", "C", "B", "D"]
    assert knowledge.analyzer.analyzed - before == 3, "two texts and one heading; the rest comes from the cache"
    index = knowledge.store.open_current()
    hits = np.flatnonzero(index.collections[HR].bm25_scores(["휴가"]))
    assert [chunk.id for chunk in index.collections[HR].chunks(hits)] == ["B"]
    assert not index.collections[HR].bm25_scores(["없는말"]).any()
    index.close()


def test_a_long_document_that_shrinks_leaves_no_old_chunks(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "긴 문장입니다. " * 800))
    knowledge.add(path)
    assert len(current_ids(knowledge)) > 2
    write_lines(path, record("A", "짧은 글"))
    knowledge.add(path)
    assert current_ids(knowledge) == ["A"]


def test_what_did_not_change_is_shared_between_versions(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    first = knowledge.add(
        write_lines(tmp_path / "a.jsonl", record("A", "임금"), record("T", "부가세", domain="finance_tax"))
    )
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("B", "연차")))
    index = knowledge.store.open_current()
    assert index.collections[TAX].built_in == first.version
    assert index.collections[HR].built_in == index.version
    index.close()
    knowledge.add(write_lines(tmp_path / "c.jsonl", record("C", "해고")))
    knowledge.add(write_lines(tmp_path / "d.jsonl", record("D", "해고")))
    assert current_ids(knowledge, TAX) == ["T"]
    kept = {path.name for path in (tmp_path / "data" / "index").iterdir() if path.is_dir()}
    pointer = knowledge.store.layout.pointer()
    assert pointer is not None
    assert kept == {first.version, pointer.current, pointer.previous}


def test_rebuild_holds_only_what_is_given(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("B", "연차")), rebuild=True)
    assert current_ids(knowledge) == ["B"]


def test_removal_by_id(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금"), record("B", "연차")))
    assert not knowledge.ingest.delete(["X"]).changed
    assert knowledge.ingest.delete(["A", "X"]).removed == 1
    assert current_ids(knowledge) == ["B"]


def test_a_mirrored_source_also_removes_unless_it_could_not_be_read(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    own = write_lines(tmp_path / "own.jsonl", record("A", "임금"), record("B", "연차"))
    knowledge.add(own, mirror=True)
    knowledge.add(write_lines(tmp_path / "other.jsonl", record("O", "해고")))
    write_lines(own, record("A", "임금"), "{broken")
    assert knowledge.add(own, mirror=True).removed == 0
    write_lines(own, record("A", "임금"))
    assert knowledge.add(own, mirror=True).removed == 1
    assert current_ids(knowledge) == ["A", "O"]


def test_bad_lines_are_reported_every_time(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금"), "{broken")
    assert len(knowledge.add(path).problems) == 1
    again = knowledge.add(path)
    assert (again.changed, len(again.problems)) == (False, 1)


def test_the_same_id_in_two_sources_is_reported(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    result = knowledge.add(
        write_lines(tmp_path / "a.jsonl", record("A", "임금")), write_lines(tmp_path / "b.jsonl", record("A", "연차"))
    )
    assert ["겹쳐" in problem.message for problem in result.problems] == [True]
    assert current_ids(knowledge) == ["A"]


def test_another_tokenizer_is_refused_with_the_command_and_indexed_anew(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    old = SmallKnowledge(settings)
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금 체불"), record("T", "부가세", domain="finance_tax"))
    old.add(path)
    new = SmallKnowledge(settings, WordAnalyzer("words-2"))
    with pytest.raises(IndexMismatch, match="python -m vectorstores ingest"):
        new.store.open_current()
    result = new.add(path)
    assert result.changed
    assert (current_ids(new), current_ids(new, TAX)) == (["A"], ["T"])
    with pytest.raises(IndexMismatch):
        old.store.open_current()


def test_rollback_returns_to_the_version_before(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    with pytest.raises(IndexMissing):
        knowledge.store.layout.rollback()
    first = knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))
    second = knowledge.add(write_lines(tmp_path / "b.jsonl", record("B", "연차")))
    knowledge.store.layout.rollback()
    assert knowledge.store.current_version() == first.version
    assert current_ids(knowledge) == ["A"]
    knowledge.store.layout.rollback()
    assert knowledge.store.current_version() == second.version


def test_a_scheduled_change_is_read_again_on_its_day(tmp_path: Path) -> None:
    law = (
        "---\n제목: 시험법\n법령구분: 법률\n공포일자: 2026-03-17\n시행일자: 2027-01-01\n---\n# 시험법\n"
        "##### 제1조\n\n바뀐다. <개정 2026.3.17>\n\n## 부칙\n\n부칙 <제1호,2010.1.1>\n"
    )
    (tmp_path / "kr").mkdir()
    (tmp_path / "kr" / "법률.md").write_text(law, encoding="utf-8")
    settings = Settings(data_dir=tmp_path / "data")
    SmallKnowledge(settings).add(tmp_path / "kr")
    assert not SmallKnowledge(settings, today=date(2026, 12, 31)).add(tmp_path / "kr").changed
    later = SmallKnowledge(settings, today=date(2027, 1, 1))
    assert later.add(tmp_path / "kr").updated == 1
    index = later.store.open_current()
    (ordinal,) = index.collections["law_common_db"].by_label("시험법|제1조")
    assert index.collections["law_common_db"].chunks([ordinal])[0].title == "시험법 제1조"
    assert index.law_names() == ["시험법"]
    index.close()


def test_two_builds_at_once_are_refused(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금"))
    with knowledge.store.layout.lock_for_build(), pytest.raises(BuildInProgress):
        knowledge.add(path)
    assert knowledge.add(path).changed


def test_a_version_that_is_still_read_is_kept(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금 체불")))
    reader = knowledge.store.open_current()
    assert reader.collections[HR].vector_error is None  # the vector store is open now, and locked against removal
    for name in "BCD":
        knowledge.add(write_lines(tmp_path / f"{name}.jsonl", record(name, "연차")))
    assert ids(reader) == ["A"]
    assert len(reader.collections[HR].vector_search(knowledge.vector("임금"), 1)[0][0]) == 1
    reader.close()
    knowledge.add(write_lines(tmp_path / "e.jsonl", record("E", "연차")))
    assert not (tmp_path / "data" / "index" / reader.version / HR).exists()


def test_a_damaged_cache_is_made_again(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))
    knowledge.store.layout.cache.write_bytes(b"garbage" * 500)
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("B", "연차")))
    assert current_ids(knowledge) == ["A", "B"]


def test_a_failed_build_leaves_the_old_version(
    knowledge: SmallKnowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))

    def fails(items: object) -> FloatMatrix:
        raise VectorStoreUnavailable("the provider does not answer")

    with monkeypatch.context() as patch:
        patch.setattr(knowledge.embedder, "embed_passages", fails)
        with pytest.raises(VectorStoreUnavailable):
            knowledge.add(write_lines(tmp_path / "b.jsonl", record("B", "연차")))
    assert knowledge.store.current_version() == first.version
    assert current_ids(knowledge) == ["A"]
    knowledge.add(write_lines(tmp_path / "b.jsonl", record("B", "연차")))
    assert current_ids(knowledge) == ["A", "B"]
    assert len([path for path in (tmp_path / "data" / "index").iterdir() if path.is_dir()]) == 2


FULL = """
import resource, signal, sys
from pathlib import Path
from tests.support.small_index import SmallKnowledge
from utils.config.settings import Settings
from vectorstores.errors import KnowledgeIndexError
import chromadb

data, file, limit = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    SmallKnowledge(Settings(data_dir=data)).add(file)
except (KnowledgeIndexError, OSError) as error:
    sys.exit(f"refused: {error}")
"""


@pytest.mark.parametrize("limit", [20_000, 150_000])
def test_a_full_disk_leaves_the_old_version(knowledge: SmallKnowledge, tmp_path: Path, limit: int) -> None:
    first = knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))
    many = write_lines(tmp_path / "many.jsonl", *(record(f"M{number}", f"문서 {number}") for number in range(800)))
    command = [sys.executable, "-c", FULL, str(tmp_path / "data"), str(many), str(limit)]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("refused: "), done.stderr
    assert knowledge.store.current_version() == first.version
    assert current_ids(knowledge) == ["A"]
    assert knowledge.add(many).added == 800


# Two batches are analysed at once: of the second, which begins with document 1,000, all but the first texts take their time.
KILLED = """
import re, sys, threading, time
from pathlib import Path
from tests.support.small_index import SmallKnowledge, WordAnalyzer
from utils.config.settings import Settings

class Slow(WordAnalyzer):
    lock = threading.Lock()

    def terms(self, text):
        if int(re.search("[0-9]+", text + " 0").group()) >= 1_050:
            time.sleep(0.01)
        with self.lock:
            if self.analyzed == 2_110:
                print("half-way", flush=True)
            return super().terms(text)

data, file = map(Path, sys.argv[1:])
SmallKnowledge(Settings(data_dir=data), Slow()).add(file)
"""


def test_a_killed_build_leaves_the_old_version_and_the_next_one_resumes(
    knowledge: SmallKnowledge, tmp_path: Path
) -> None:
    first = knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))
    many = write_lines(tmp_path / "many.jsonl", *(record(f"M{number}", f"문서 {number}") for number in range(1_500)))
    command = [sys.executable, "-c", KILLED, str(tmp_path / "data"), str(many)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PROJECT_ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half-way\n"
        time.sleep(0.5)  # in which the first batch is kept
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert knowledge.store.current_version() == first.version
    assert current_ids(knowledge) == ["A"]
    before = knowledge.analyzer.analyzed
    result = knowledge.add(many)
    assert result.added == 1_500
    assert knowledge.analyzer.analyzed - before <= 3_000 - 1_900, "what the killed build had analysed is not done again"
    assert len(current_ids(knowledge)) == 1_501
    assert len([path for path in (tmp_path / "data" / "index").iterdir() if path.is_dir()]) == 2


def units_of(knowledge: SmallKnowledge) -> dict[str, tuple[str, list[str]]]:
    """The text that holds each unit, and the phrasings that find it."""
    index = knowledge.store.open_current()
    try:
        assert verify_index(index) == []
        collection = index.collections[HR]
        if collection.units is None:
            return {}
        return {
            stored.unit.name: (collection.chunks([stored.ordinal])[0].doc_id, [ask.text for ask in stored.unit.asks])
            for stored in collection.units.units
        }
    finally:
        index.close()


def test_units_stay_with_their_documents_when_others_change(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    knowledge.add(write_lines(lines, record("A", "임금"), record("Z", "연차")))
    assert units_of(knowledge) == {}
    folder = tmp_path / "hr_labor"
    write_document(folder, unit_text("첫째", asks=("하나",)), head={"id": "M"})
    write_document(folder, unit_text("둘째", asks=("둘",)), head={"id": "N"})
    knowledge.add(folder)
    assert units_of(knowledge) == {"첫째": ("M", ["하나"]), "둘째": ("N", ["둘"])}

    knowledge.ingest.delete(["A"])
    knowledge.add(write_lines(lines, record("B", "해고"), record("Z", "고친 연차")))
    assert units_of(knowledge) == {"첫째": ("M", ["하나"]), "둘째": ("N", ["둘"])}

    write_document(folder, unit_text("첫째", asks=("하나", "다른 하나")), head={"id": "M"})
    assert knowledge.add(folder).updated == 1, "a phrasing is a change of its document"
    assert units_of(knowledge) == {"첫째": ("M", ["하나", "다른 하나"]), "둘째": ("N", ["둘"])}
    knowledge.ingest.delete(["M", "N"])
    assert units_of(knowledge) == {}
