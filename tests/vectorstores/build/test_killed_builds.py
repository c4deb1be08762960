"""A build that is killed at any of its stages: the old version serves, and the next try gives what it would have given."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.build.verify import verify_index

NAME = "hr_labor_db"
FILES = (
    "body.ids.npy",
    "body.offsets.npy",
    "starts.ids.npy",
    "heading.ids.npy",
    "vocabulary.bin",
    "vectors.npy",
    "uids.npy",
)

KILLED = """
import sys, time
from pathlib import Path
from tests.support.small_index import SmallKnowledge
from utils.config.settings import Settings

class Stops:
    def __init__(self, stage, steps):
        self.wanted, self.steps, self.stage = stage, steps, ""

    def start(self, stage, total):
        self.stage = stage
        self.advance(0)

    def advance(self, steps=1):
        if self.wanted in self.stage:
            self.steps -= steps
            if self.steps <= 0:
                print("here", flush=True)
                time.sleep(60)

data, file, stage, steps = sys.argv[1:]
SmallKnowledge(Settings(data_dir=Path(data)), progress=Stops(stage, int(steps))).add(Path(file))
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    return write_lines(
        folder / "many.jsonl", *(record(f"M{number}", f"문서 {number} 임금 {number % 7}") for number in range(2_500))
    )


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a version of one document."""
    folder = tmp_path_factory.mktemp("started")
    knowledge = SmallKnowledge(Settings(data_dir=folder / "data"))
    knowledge.add(write_lines(folder / "a.jsonl", record("A", "임금")))
    return folder / "data"


@pytest.fixture(scope="module")
def uninterrupted(started: Path, many: Path, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    data = tmp_path_factory.mktemp("whole") / "data"
    shutil.copytree(started, data)
    SmallKnowledge(Settings(data_dir=data)).add(many)
    return contents(data)


def contents(data: Path) -> list[bytes]:
    """Return the content of the current version: texts with their spans, term files, vectors, BM25."""
    knowledge = SmallKnowledge(Settings(data_dir=data))
    index = knowledge.store.open_current()
    try:
        assert verify_index(index) == []
        collection = index.collections[NAME]
        texts = repr([(chunk.id, chunk.text, chunk.sentences) for chunk in collection.chunks(range(collection.size))])
        folder = knowledge.store.layout.collection_dir(index.manifest.collections[NAME])
        arrays = sorted(folder.glob("bm25/*.npy"))
        assert arrays
        return [texts.encode(), *(path.read_bytes() for path in [*(folder / name for name in FILES), *arrays])]
    finally:
        index.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "steps", "analysed_again"),
    [("읽기", 1_200, 5_003), ("분석", 1, 3_003), ("BM25", 0, 0), ("검증", 0, 0)],
    ids=["reading", "analysis", "bm25", "before the swap"],
)
def test_killed_at_a_stage(
    started: Path, many: Path, uninterrupted: list[bytes], tmp_path: Path, stage: str, steps: int, analysed_again: int
) -> None:
    data = tmp_path / "data"
    shutil.copytree(started, data)
    before = contents(data)
    command = [sys.executable, "-c", KILLED, str(data), str(many), stage, str(steps)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PROJECT_ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert contents(data) == before, "the version before still serves"
    knowledge = SmallKnowledge(Settings(data_dir=data))
    assert knowledge.add(many).added == 2_500
    assert contents(data) == uninterrupted
    assert knowledge.analyzer.analyzed <= analysed_again, "what was analysed before is not analysed again"
    assert len([path for path in (data / "index").iterdir() if path.is_dir()]) == 2, (
        "nothing of the killed build is left"
    )
