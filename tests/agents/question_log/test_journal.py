"""The files of the question log: whole lines, no more than allowed, and none too old."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path

import pytest

from agents.question_log.journal import FEEDBACK_DAYS, FOLDER, Journal, read_journal
from agents.question_log.records import AnsweredQuestion, client_digest
from tests.support.folders import read_only
from tests.support.small_disk import small_disk

NOW = datetime.now(UTC).replace(microsecond=0)


def line(
    request_id: str, client: str = "web", *, days_ago: int = 0, question: str = "연차는 며칠인가요?"
) -> AnsweredQuestion:
    return AnsweredQuestion(
        time=NOW - timedelta(days=days_ago),
        request_id=request_id,
        client=client_digest(client),
        question=question,
        reply="consult",
        domains=("hr_labor",),
        asks=(),
        cited=(),
        refused=True,
        degraded=(),
        model="extractive",
        cached=False,
    )


def journal(folder: Path, *, days: int = 90, file_bytes: int = 65_536, files: int = 10) -> Journal:
    return Journal(folder, days=days, file_bytes=file_bytes, files=files)


def ids(folder: Path) -> list[str]:
    return [each.request_id for each in read_journal(folder)]


def _write_many(task: tuple[Path, int]) -> None:
    folder, writer = task
    own = journal(folder, file_bytes=20_000, files=1_000)
    for number in range(50):
        own.append(line(f"{writer}-{number}", question="가" * (number * 7 % 400)))


def test_many_writers_leave_whole_lines(tmp_path: Path) -> None:
    tasks = [(tmp_path, writer) for writer in range(8)]
    with ThreadPoolExecutor(4) as threads, ProcessPoolExecutor(4, mp_context=get_context("spawn")) as processes:
        waiting = processes.map(_write_many, tasks[:4])
        list(threads.map(_write_many, tasks[4:]))
        list(waiting)
    assert sorted(ids(tmp_path)) == sorted(f"{writer}-{number}" for writer in range(8) for number in range(50))
    assert all(file.read_bytes().endswith(b"\n") for file in journal(tmp_path).files())


def test_files_are_begun_by_size_and_the_oldest_go(tmp_path: Path) -> None:
    own = journal(tmp_path, file_bytes=2_000, files=3)
    for number in range(60):
        own.append(line(f"r{number}"))
    assert len(own.files()) == 3
    kept = ids(tmp_path)
    assert kept == [f"r{number}" for number in range(60 - len(kept), 60)]
    assert 3 <= len(kept) < 60


def test_a_day_has_files_of_its_own_and_goes_with_them(tmp_path: Path) -> None:
    own = journal(tmp_path, days=30)
    for age in (45, 31, 30, 1, 0):
        own.append(line(f"{age} days", days_ago=age))
    own.purge()
    assert ids(tmp_path) == ["30 days", "1 days", "0 days"]
    own.purge((NOW + timedelta(days=200)).date())
    assert ids(tmp_path) == []


def test_a_clock_put_back_begins_no_file(tmp_path: Path) -> None:
    own = journal(tmp_path)
    for age in (0, 1, 0, 1):
        own.append(line(str(age), days_ago=age))
    assert len(own.files()) == 1


def test_only_who_asked_lately_is_known(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.append(line("old", days_ago=FEEDBACK_DAYS + 1))
    own.append(line("mine"))
    own.append(line("theirs", client="app", question='"request_id":"forged"'))
    assert own.knows("mine", "web")
    assert own.knows("theirs", "app")
    for request_id, client in (("mine", "app"), ("theirs", "web"), ("old", "web"), ("forged", "app"), ("min", "web")):
        assert not own.knows(request_id, client), request_id


def test_what_was_cut_short_is_passed_over(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.append(line("a"))
    [file] = own.files()
    file.write_bytes(file.read_bytes() + file.read_bytes()[:40] + b"\n")
    own.append(line("b"))
    assert ids(tmp_path) == ["a", "b"]


def test_since_leaves_out_days_before(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.append(line("before", days_ago=3))
    own.append(line("after"))
    assert [each.request_id for each in read_journal(tmp_path, NOW.date())] == ["after"]


def _fill(own: Journal) -> int:
    """Write until the disk is full; the number of lines that it took."""
    for number in range(10_000):
        try:
            own.append(line(f"r{number}", question="가" * 1_000))
        except OSError:
            return number
    pytest.fail("the disk is never full")


def test_a_full_disk_takes_no_part_of_a_line(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1) as disk:
        own = journal(disk, file_bytes=10_000_000)
        written = _fill(own)
        assert ids(disk) == [f"r{number}" for number in range(written)]
        [file] = own.files()
        assert file.read_bytes().endswith(b"\n")


@pytest.mark.parametrize("use", [Journal.check, lambda own: own.append(line("a"))])
def test_a_read_only_folder_is_told(tmp_path: Path, use: Callable[[Journal], None]) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with read_only(folder), pytest.raises(OSError):
        use(journal(folder))
    assert not (folder / FOLDER).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no file modes")
def test_only_the_user_of_the_service_may_read_it(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.append(line("a"))
    assert [path.stat().st_mode & 0o077 for path in (tmp_path / FOLDER, *own.files())] == [0, 0]
