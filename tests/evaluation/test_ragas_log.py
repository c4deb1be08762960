"""The scores of answers: in their file, or in the log of the service where that cannot be written."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.ragas_log import ScoreFile
from tests.support.folders import read_only
from utils.observability.logging_config import configure_logging

ENTRY = {"request_id": "r1", "faithfulness": 0.5}


@pytest.fixture
def stderr(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Return the log of the process as the image configures it."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    kept = logging.root.handlers[:], logging.root.level
    configure_logging("json", "INFO")
    yield stream
    logging.root.handlers[:], logging.root.level = kept


def test_scores_stand_in_the_file_line_by_line(tmp_path: Path, stderr: io.StringIO) -> None:
    file = ScoreFile(tmp_path / "logs" / "ragas.log")
    assert file.open()
    file.write(ENTRY)
    file.write(ENTRY)
    lines = (tmp_path / "logs" / "ragas.log").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [ENTRY, ENTRY]
    assert stderr.getvalue() == ""


def test_a_folder_that_cannot_be_written_is_told_once_and_no_score_is_lost(tmp_path: Path, stderr: io.StringIO) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    file = ScoreFile(folder / "logs" / "ragas.log")
    with read_only(folder):
        assert not file.open()
        file.write(ENTRY)
        file.write(ENTRY)
    records = [json.loads(line) for line in stderr.getvalue().splitlines()]
    assert [record["level"] for record in records] == ["WARNING", "INFO", "INFO"]
    assert "LOG_DIR" in records[0]["message"]
    assert [record["ragas"] for record in records[1:]] == [ENTRY, ENTRY]

    file.write({"request_id": "r2"})
    assert (folder / "logs" / "ragas.log").read_text(encoding="utf-8") == '{"request_id":"r2"}\n', (
        "it is used once it can be"
    )
