"""The commands about data of users, as an operator types them."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import orjson
import pytest

from agents.upkeep.__main__ import main
from tests.agents.upkeep.test_personal_data import LEE, Kept


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("LOG_DIR", str(tmp_path / "logs"))
    return tmp_path


def _fill(folder: Path) -> None:
    async def fill() -> None:
        async with Kept(folder).running():
            pass

    asyncio.run(fill())


def test_a_user_is_shown_and_forgotten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _fill(folder)
    asked = ["--client", LEE[0], "--user", LEE[1]]
    assert main(["export", *asked]) == 0
    exported = orjson.loads(capsys.readouterr().out)
    assert [len(exported[name]) for name in ("sessions", "question_log", "chat_log")] == [1, 2, 1]
    assert main(["forget", *asked]) == 0
    assert "대화 1, 질문과 의견 2, chat.log 1줄" in capsys.readouterr().out
    assert main(["export", *asked]) == 0
    exported = orjson.loads(capsys.readouterr().out)
    assert [exported[name] for name in ("sessions", "question_log", "chat_log")] == [[], [], []]


def test_what_is_too_old_goes_uploads_included(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fill(folder)
    monkeypatch.setenv("UPLOAD_RETENTION_DAYS", "3")
    for age in (2, 4):
        upload = folder / "data" / "uploads" / f"{age:032}" / "a.jsonl"
        upload.parent.mkdir(parents=True)
        upload.write_bytes(b"{}")
        then = time.time() - age * 86_400
        os.utime(upload.parent, (then, then))
    old = folder / "data" / "questions" / "20250101-000001.jsonl"
    old.write_bytes(b"{}\n")
    assert main(["expire"]) == 0
    assert [path.name for path in (folder / "data" / "uploads").iterdir()] == [f"{2:032}"]
    assert not old.exists()


def test_a_wrong_setting_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESSION_MAX_AGE", "never")
    assert main(["expire"]) == 1
