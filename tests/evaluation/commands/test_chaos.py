"""The short form of the trial with real servers: everybody is answered, told, and what was broken is used again."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.__main__ import main
from tests.support.own_server import program
from tests.support.small_index import record, write_lines


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.timeout(300)
def test_nobody_goes_without_an_answer_while_chroma_and_redis_are_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program("redis-server")
    lines = [record(f"W{number}", f"임금 체불은 고용노동부에 신고합니다. 번호{number}") for number in range(40)]
    documents, out = write_lines(tmp_path / "wages.jsonl", *lines), tmp_path / "table.md"
    words = [
        "chaos",
        "--documents",
        str(documents),
        "--seconds",
        "2",
        "--clients",
        "2",
        "--mysql",
        "",
        "--postgresql",
        "",
    ]
    status = main([*words, "--out", str(out)])
    said = capsys.readouterr()
    rows = out.read_text(encoding="utf-8").splitlines()[2:]
    assert status == 0, said.out
    assert [row.split(" | ")[0].strip("| ") for row in rows] == ["Chroma server"] * 3 + ["Redis"] * 3
    assert said.err.count("left out") == 2
