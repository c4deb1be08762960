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
def test_nobody_goes_without_an_answer_while_what_it_calls_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program("redis-server")
    # of every domain: a question of a domain without documents lacks nothing when the vectors are away
    domains = ("hr_labor", "finance_tax", "startup_funding", "law_common")
    text = "임금 체불, 부가가치세, 사업자등록, 상가 임대차를 안내합니다."
    lines = [record(f"W{number}", f"{text} 번호{number}", domains[number % 4]) for number in range(60)]
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
    broken = ("Chroma server", "Redis", "embedding provider", "rerank provider", "model")
    assert [row.split(" | ")[0].strip("| ") for row in rows] == [name for name in broken for _ in range(3)]
    assert said.err.count("left out") == 2
