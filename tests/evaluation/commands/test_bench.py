"""``python -m evaluation bench``."""

import json
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.bench.report import STARTER
from evaluation.bench.service import RunningService, ServiceFailed
from utils.config.settings import Settings


def test_help_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["bench", "--help"])
    assert stopped.value.code == 0
    assert "--statutes" in capsys.readouterr().out


@pytest.mark.parametrize("option", [["--questions", "0"], ["--peer-questions", "-1"], ["--seconds", "0"], ["--fast"]])
def test_a_wrong_option_is_refused(option: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["bench", *option])
    assert stopped.value.code == 2


def test_a_wrong_archive_is_told_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = tmp_path / "statutes.tar.gz"
    assert main(["bench", "--data-dir", str(tmp_path / "data"), "--statutes", str(nothing)]) == 1
    assert f"no archive or tree of statutes: {nothing}" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_a_service_that_does_not_start_is_told(tmp_path: Path) -> None:
    service = RunningService(tmp_path, tmp_path / "log", {"RETRIEVAL_K": "none"})
    with pytest.raises(ServiceFailed, match="RETRIEVAL_K"), service:
        pass


@pytest.mark.slow
@pytest.mark.timeout(300)  # starts the service again and again
def test_the_starter_index_is_measured(
    starter_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real thing: an index built, starts of the service, answers over HTTP."""
    (tmp_path / "cache").symlink_to(starter_settings.data_dir / "cache")
    out = tmp_path / "figures.json"
    options = ["--questions", "4", "--peer-questions", "0", "--seconds", "0.5"]
    assert main(["bench", "--data-dir", str(tmp_path), "--out", str(out), *options]) == 0
    said = json.loads(out.read_text(encoding="utf-8"))
    figures = said["figures"][STARTER]
    for name in ("search_ms_p50", "stage_ms_p50", "warm_start_s", "first_question_ms", "chat_ms_p50", "chat_rps"):
        assert figures[name] > 0, name
    assert figures["search_any@10"] == figures["stage_any@10"] == 1
    assert any("python -m vectorstores ingest" in note for note in said["notes"])
    assert "/api/chat one at a time" in capsys.readouterr().out
