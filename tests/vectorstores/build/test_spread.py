"""A build whose analysis runs in other processes: the same files, and a process that is lost is told of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Executor
from pathlib import Path

import pytest

from tests.support.crowd import wait_until
from tests.support.small_index import TODAY, record, write_lines
from tests.support.statute_files import write_statute
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores import cli
from vectorstores.build.ingest import BuildProviders, Ingest
from vectorstores.build.spread import analysis_processes, located_texts, spread_over
from vectorstores.build.staging import Source
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.errors import AnalysisFailed
from vectorstores.integrity.checksums import Part, part_of
from vectorstores.live.index_store import IndexStore
from vectorstores.loaders.registry import loader_for
from vectorstores.tokenizer import TOKENIZER_ID, KiwiTokenizer
from vectorstores.versions.versions import IndexLayout

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Source]:
    folder = tmp_path_factory.mktemp("sources")
    (folder / "kr").mkdir()
    for law in range(3):
        articles = {
            f"제{number}조 (신고 {number})": f"사업자는 {number}일 이내에 세무서장에게 {law}종 신고서를 낸다."
            for number in range(1, 60)
        }
        write_statute(folder / "kr", f"살림 {law}호 법", articles)
    guides = write_lines(
        folder / "guides.jsonl",
        record("A", "퇴직금은 14일 이내에 지급합니다. " * 200),
        record("B", "연차 휴가는 15일입니다."),
    )
    return [Source(path, loader_for(path), path.name) for path in (folder / "kr", guides)]


@pytest.fixture(scope="module")
def engines(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> BuildProviders:
    return BuildProviders(TOKENIZER_ID, embedder.id, lambda: (tokenizer, embedder))


def layout_of(data_dir: Path, engines: BuildProviders) -> IndexLayout:
    return IndexStore(Settings(data_dir=data_dir), engines.tokenizer_id, engines.embedder_id).layout


def built(data_dir: Path, engines: BuildProviders, sources: list[Source]) -> Mapping[str, str]:
    """The checksums of the files of an index but Chroma's graph, which has ids and an order of its own in every build."""
    result = Ingest(Settings(data_dir=data_dir), engines, today=lambda: TODAY).run(sources)
    assert result.version
    assert not result.problems
    builds = layout_of(data_dir, engines).manifest(result.version).collections
    return {
        f"{name}/{file}": found.sha256
        for name, build in builds.items()
        for file, found in build.files.items()
        if part_of(file) is not Part.GRAPH
    }


def test_several_processes_write_the_same_files(tmp_path: Path, engines: BuildProviders, sources: list[Source]) -> None:
    alone = built(tmp_path / "alone", engines, sources)
    with analysis_processes(2) as executor:
        together = built(tmp_path / "together", spread_over(engines, executor), sources)
    assert together == alone
    assert {part_of(Path(file).name) for file in alone} >= {Part.TEXTS, Part.BM25, Part.VECTOR}


class _KillsAProcess:
    """Kills one of the processes when the texts of a collection are to be analysed."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def start(self, stage: str, total: int | None) -> None:
        if "분석" in stage and total:
            os.kill(self._executor.submit(os.getpid).result(), signal.SIGKILL)

    def advance(self, steps: int = 1) -> None:
        pass


def test_a_lost_process_ends_the_build_with_its_reason_and_the_next_one_goes_on(
    tmp_path: Path, engines: BuildProviders, sources: list[Source]
) -> None:
    settings = Settings(data_dir=tmp_path)
    with analysis_processes(2) as executor:
        assert executor is not None
        ingest = Ingest(settings, spread_over(engines, executor), progress=_KillsAProcess(executor))
        with pytest.raises(AnalysisFailed, match="--jobs"):
            ingest.run(sources)
    assert layout_of(tmp_path, engines).pointer() is None
    assert built(tmp_path, engines, sources)


def test_another_analyser_is_refused() -> None:
    with analysis_processes(2) as executor:
        assert executor is not None
        with pytest.raises(AnalysisFailed, match="kiwi-0"):
            executor.submit(located_texts, "kiwi-0", ["임금"]).result()


def test_the_command_tells_of_a_scheduler_that_is_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금"))
    assert cli.main(["ingest", str(path), "--scheduler", "tcp://127.0.0.1:1", "--data-dir", str(tmp_path / "data")])
    assert "오류: " in capsys.readouterr().err


LEFT_BEHIND = """
import os, sys, time
from vectorstores.build.spread import analysis_processes
if __name__ == "__main__":
    with analysis_processes(2) as executor:
        print(executor.submit(os.getpid).result(), flush=True)
        time.sleep(600)
"""


def test_the_processes_end_with_the_one_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "left_behind.py"
    script.write_text(LEFT_BEHIND, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT)}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        assert Path(f"/proc/{worker}").exists()
        process.kill()
    wait_until(lambda: not _runs(worker), "the process has ended", 60)


def _runs(pid: int) -> bool:
    try:
        return (Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]) != "Z"
    except OSError:
        return False
