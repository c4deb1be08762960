"""``python -m vectorstores``: what it prints and the status it exits with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.small_index import WordAnalyzer, WordEmbedder, record, write_lines
from tests.support.unit_files import unit_text, write_document
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores import cli
from vectorstores.build.ingest import BuildProviders
from vectorstores.build.providers import build_providers, open_store
from vectorstores.build.verify import verify_index
from vectorstores.embedders.ids import embedder_id
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import TOKENIZER_ID, KiwiTokenizer


@pytest.fixture
def small_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words instead of morphemes, under the ids of the real engines, so that the other commands accept the index."""

    def build(settings: Settings) -> BuildProviders:
        ids = build_providers(settings)
        made = WordAnalyzer(ids.tokenizer_id), WordEmbedder(ids.embedder_id)
        return BuildProviders(ids.tokenizer_id, ids.embedder_id, lambda: made)

    monkeypatch.setattr(cli, "build_providers", build)


def run(*arguments: str | Path) -> int:
    return cli.main([str(argument) for argument in arguments])


@pytest.mark.usefixtures("small_engines")
def test_a_life_of_an_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, path = tmp_path / "data", write_lines(tmp_path / "a.jsonl", record("A", "임금 체불"))
    assert run("stats", "--data-dir", data) == 1
    assert run("ingest", path, "--data-dir", data) == 0
    assert "추가 1" in capsys.readouterr().out
    assert run("ingest", path, "--data-dir", data) == 0
    assert "바뀐 것이 없습니다" in capsys.readouterr().out
    write_lines(path, record("A", "임금 체불"), "{broken", record("B", "연차"))
    assert run("ingest", path, "--collection", "finance_tax_db", "--data-dir", data) == 1, "a bad line is a failure"
    printed = capsys.readouterr()
    assert f"{path}:2: " in printed.err
    assert "추가 2" in printed.out
    assert run("verify", "--data-dir", data) == 0
    assert run("stats", "--data-dir", data) == 0
    stats = capsys.readouterr().out
    assert TOKENIZER_ID in stats
    assert "finance_tax_db" in stats
    assert run("rollback", "--data-dir", data) == 0
    index = open_store(Settings(data_dir=data)).open_current()
    assert (index.collections["hr_labor_db"].size, index.collections["finance_tax_db"].size) == (1, 0)
    index.close()


@pytest.mark.usefixtures("small_engines")
def test_a_deleted_document_comes_back_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, path = tmp_path / "data", write_lines(tmp_path / "a.jsonl", record("A", "임금 체불"))
    run("ingest", path, "--data-dir", data)
    assert run("delete", "A", "--data-dir", data) == 0
    assert "삭제 1" in capsys.readouterr().out
    assert run("delete", "A", "--data-dir", data) == 1
    assert run("ingest", path, "--data-dir", data) == 0
    assert "전에 지운 문서 1건" in capsys.readouterr().out
    assert run("ingest", path, "--restore", "--data-dir", data) == 0
    assert "추가 1" in capsys.readouterr().out


@pytest.mark.usefixtures("small_engines")
def test_another_encoding_is_noted_and_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("A", "임금 체불"))
    path.write_bytes(path.read_text(encoding="utf-8").encode("cp949"))
    assert run("ingest", path, "--data-dir", tmp_path / "data") == 0
    assert f"{path}: CP949" in capsys.readouterr().err


@pytest.mark.usefixtures("small_engines")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ingest", "/no/such/file.jsonl"], "경로가 없습니다"),
        (["ingest", __file__], "형식을 알 수 없습니다"),
        (["ingest", __file__, "--collection", "cooking"], "알 수 없는 컬렉션"),
        (["ingest", __file__, "--format", "markdown"], "--collection"),
        (["verify"], "색인이 없습니다"),
        (["rollback"], "되돌릴"),
    ],
)
def test_failures_say_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(*arguments, "--data-dir", tmp_path / "data") == 1
    assert message in capsys.readouterr().err


def test_every_command_has_help() -> None:
    for command in ([], ["ingest"], ["delete"], ["stats"], ["verify"], ["rollback"]):
        with pytest.raises(SystemExit) as stopped:
            cli.main([*command, "--help"])
        assert stopped.value.code == 0


def test_the_starter_index_is_whole_and_up_to_date_without_loading_anything(starter_settings: Settings) -> None:
    index = open_store(starter_settings).open_current()
    assert verify_index(index) == []
    assert all(collection.size >= 40 for collection in index.collections.values())
    index.close()
    program = (
        "import sys; from vectorstores import cli;"
        f"status = cli.main(['ingest', '--data-dir', {str(starter_settings.data_dir)!r}]);"
        "heavy = {'chromadb', 'bm25s', 'langchain_core', 'httpx'} & sys.modules.keys();"
        "print(sorted(heavy)); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "바뀐 것이 없습니다" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]", "an index that is up to date loads no heavy library"


@pytest.mark.usefixtures("small_engines")
def test_verify_counts_units_that_are_out_of_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, folder = tmp_path / "data", tmp_path / "hr_labor"
    over = ("측면: 금액", "유효: 2020-01-01 ~ 2020-12-31", "검토: 2020-12-31")
    write_document(folder, unit_text("지난해의 금액", properties=over), unit_text("늘 같은 규칙", asks=[]))
    assert run("ingest", folder, "--data-dir", data) == 0
    capsys.readouterr()
    assert run("verify", "--data-dir", data) == 0, "the index is as it was built"
    assert "유효 기간이 지난 단위 1개, 검토할 날이 지난 단위 1개" in capsys.readouterr().out
    assert run("check", folder, "--data-dir", data) == 1
    assert "유효 기간이 지났습니다 (2020-12-31): 지난해의 금액" in capsys.readouterr().err


def test_ids_are_known_without_building(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> None:
    assert tokenizer.id == TOKENIZER_ID
    assert embedder_id(Settings(), tokenizer.id) == embedder.id


@pytest.mark.slow
@pytest.mark.finding("M9")
def test_a_document_is_purged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, secret = tmp_path / "data", "900101-1947382"
    path = write_lines(tmp_path / "a.jsonl", record("A", f"주민등록번호 {secret}"), record("B", "연차 휴가"))
    assert run("ingest", path, "--data-dir", data) == 0
    capsys.readouterr()
    assert run("purge", "A", "--data-dir", data) == 0
    assert capsys.readouterr().out.startswith("A: 파기했습니다 (문서 1건")
    held = [file for file in data.rglob("*") if file.is_file() and b"1947382" in file.read_bytes()]
    assert held == []
    assert run("verify", "--data-dir", data) == 0
    assert run("rollback", "--data-dir", data) == 1, "there is no way back"
