"""Statutes from their source into the index, while the service goes on answering from the version it has."""

from __future__ import annotations

import tarfile
import threading
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.law_server import KEY, Law, LawServer, article
from tests.support.small_index import SmallKnowledge, WordAnalyzer, WordEmbedder, record, write_lines
from tests.support.small_searcher import live_search
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from vectorstores import cli
from vectorstores.build.ingest import BuildProviders
from vectorstores.build.progress import NoProgress
from vectorstores.build.providers import build_providers
from vectorstores.errors import BuildInProgress, IngestError
from vectorstores.statute_book.fetch import STATUTES_KEY, fetch, statute_source
from vectorstores.statute_book.mirror import FetchReport
from vectorstores.storage.locks import FileLock

LAW = "law_common_db"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for title in ("시험법", "연습법"):
        folder = tmp_path / "clone" / "kr" / title
        folder.mkdir(parents=True)
        write_statute(folder, title, {"제1조 (목적)": "목적이다.", "제2조 (정의)": "뜻이다."})
    (tmp_path / "clone" / "README.md").write_text("# 안내\n", encoding="utf-8")
    return tmp_path / "clone"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


def run(settings: Settings, tree: Path, **options: bool) -> FetchReport:
    report = FetchReport()
    fetch(settings, report, NoProgress(), tree=tree, **options)
    return report


def packed(tree: Path, path: Path) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        archive.add(tree, arcname="statutes")
    return path


def test_a_tree_is_copied_only_where_it_changed(settings: Settings, tree: Path, tmp_path: Path) -> None:
    assert run(settings, tree).fetched == 2
    held = settings.data_dir / "statutes" / "kr"
    assert sorted(path.name for path in held.glob("*/*")) == ["시험법.md", "연습법.md"], "the README is no statute"
    before = {path: path.stat().st_mtime_ns for path in held.glob("*/*")}
    write_statute(tree / "kr" / "시험법", "시험법", {"제1조 (목적)": "새 목적이다."})
    report = run(settings, packed(tree, tmp_path / "statutes.tar.gz"))
    assert (report.fetched, report.unchanged) == (1, 1)
    touched = [path.name for path, at in before.items() if path.stat().st_mtime_ns != at]
    assert touched == ["시험법.md"]
    assert run(settings, tree / "kr").unchanged == 2, "the folder kr of a clone will do"


def test_a_tree_that_is_none_is_refused_and_nothing_is_pruned(settings: Settings, tree: Path, tmp_path: Path) -> None:
    run(settings, tree)
    (tmp_path / "empty").mkdir()
    for wrong in (tmp_path / "none", tmp_path / "empty"):
        with pytest.raises(IngestError):
            run(settings, wrong, prune=True)
    damaged = tmp_path / "damaged.tar.gz"
    damaged.write_bytes(packed(tree, tmp_path / "whole.tar.gz").read_bytes()[:-40])
    report = run(settings, damaged, prune=True)
    assert report.problems
    assert report.removed == 0
    assert len(list((settings.data_dir / "statutes" / "kr").glob("*/*"))) == 2


def test_what_a_killed_run_left_is_no_statute_and_goes(settings: Settings, tree: Path) -> None:
    part = settings.data_dir / "statutes" / "kr" / "시험법" / ".part-1"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"half")
    assert statute_source(settings) is None
    run(settings, tree)
    assert not part.exists()


def test_one_process_fetches_at_a_time(settings: Settings, tree: Path) -> None:
    settings.data_dir.mkdir()
    with FileLock(settings.data_dir / "statutes.lock", shared=False), pytest.raises(BuildInProgress):
        run(settings, tree)


def test_without_a_key_the_setting_is_named(settings: Settings) -> None:
    with pytest.raises(IngestError, match="LAW_API_KEY"):
        fetch(settings, FetchReport(), NoProgress())


async def test_the_service_answers_from_its_version_until_the_new_one_is_whole(
    settings: Settings, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    building, go_on = threading.Event(), threading.Event()

    class SlowEmbedder(WordEmbedder):
        def embed_passages(self, items):  # type: ignore[no-untyped-def]
            building.set()
            assert go_on.wait(30)
            return self.embed(items)

    knowledge = SmallKnowledge(settings)
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))
    live = live_search(knowledge)
    slow = BuildProviders(knowledge.analyzer.id, knowledge.embedder.id, lambda: (WordAnalyzer(), SlowEmbedder()))
    monkeypatch.setattr(cli, "build_providers", lambda _: slow)
    status: list[int] = []
    arguments = ["fetch-statutes", "--tree", str(tree), "--data-dir", str(settings.data_dir)]
    command = threading.Thread(target=lambda: status.append(cli.main(arguments)))
    try:
        before = live.version
        command.start()
        assert building.wait(30)
        assert not await live.refresh()
        collections = live.searcher.index.collections
        assert [chunk.id for chunk in collections["hr_labor_db"].chunks([0])] == ["A"]
        assert live.version == before
        go_on.set()
        command.join(30)
        assert status == [0]
        assert await live.refresh()
        assert live.searcher.index.collections[LAW].by_label("시험법|제1조") != []
        assert live.searcher.index.collections["hr_labor_db"].size == 1, "what was there stays"
    finally:
        go_on.set()
        live.close()


def test_the_command_fetches_from_the_api_and_takes_out_what_is_repealed(
    center: LawServer, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def engines(given: Settings) -> BuildProviders:
        ids = build_providers(given)
        made = WordAnalyzer(ids.tokenizer_id), WordEmbedder(ids.embedder_id)
        return BuildProviders(ids.tokenizer_id, ids.embedder_id, lambda: made)

    used = settings.model_copy(update={"law_api_key": SecretStr(KEY), "law_api_url": center.url})
    monkeypatch.setattr(cli, "build_providers", engines)
    monkeypatch.setattr(cli, "load_settings", lambda: used)
    assert cli.main(["fetch-statutes"]) == 0
    assert "받은 법령 5" in capsys.readouterr().out
    center.laws[0] = Law("21", "001", "시험 보호법", promulgated="20261001", articles=[article(1, "보호한다.", "목적")])
    assert cli.main(["fetch-statutes"]) == 0
    assert "삭제 1" in capsys.readouterr().out, "the second article is gone"
    assert cli.main(["fetch-statutes"]) == 0
    assert "바뀐 것이 없습니다" in capsys.readouterr().out
    center.laws[4] = Law("25", "005", "시험법", promulgated="20261001", articles=[article(1, "바뀐 것이다.")])
    center.always("page 1", {"result": "사용자 정보 검증에 실패하였습니다.", "msg": "등록"})
    assert cli.main(["fetch-statutes"]) == 1
    printed = capsys.readouterr()
    assert "거절했습니다" in printed.err
    assert KEY not in printed.err + printed.out
    assert "바뀐 것이 없습니다" in printed.out
    assert cli.main(["verify"]) == 0


def test_a_repair_knows_the_fetched_tree(settings: Settings, tree: Path) -> None:
    run(settings, tree)
    source = statute_source(settings)
    assert source is not None
    assert (source.key, source.loader.name, source.mirror) == (STATUTES_KEY, "statutes", True)
