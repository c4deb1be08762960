"""The gap report of the running service: the same topics as the command, those asked most often first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agents.administration.gap_report import GapReporter
from agents.question_log.journal import FOLDER, Journal
from agents.question_log.records import AnsweredQuestion
from schemas.administration.gaps import GapCause
from schemas.chat import AskOutcome, NearestDocument
from schemas.problems import ErrorCode
from utils.http.problems import ProblemError

NOW = datetime.now(UTC).replace(microsecond=0)


def asked(request_id: str, text: str, *, domain: str = "hr_labor", answered: bool = False) -> AnsweredQuestion:
    near = NearestDocument(id=f"DOC_{text}", title=text, likelihood=0.4)
    return AnsweredQuestion(
        time=NOW,
        request_id=request_id,
        client="c",
        question=text,
        reply="consult",
        domains=(domain,),
        asks=(AskOutcome(text=text, answered=answered, nearest=near),),
        cited=(),
        refused=not answered,
        degraded=(),
        model="extractive",
        cached=False,
    )


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path, days=90, file_bytes=1_000_000, files=10)


def reporter(data_dir: Path) -> GapReporter:
    return GapReporter(data_dir, str.split)


async def test_the_topic_asked_most_often_stands_first_whatever_its_domain(tmp_path: Path, journal: Journal) -> None:
    journal.append(asked("1", "연차", domain="hr_labor"))
    for number in range(3):
        journal.append(asked(f"t{number}", "관세율", domain="startup_funding"))
    journal.append(asked("told", "부가세", answered=True))
    report = await reporter(tmp_path).report(None, 50)
    assert (report.asked, report.with_gap, report.total) == (5, 4, 2)
    assert [(topic.topic, topic.questions, topic.domain) for topic in report.topics] == [
        ("관세율", 3, "startup_funding"),
        ("연차", 1, "hr_labor"),
    ]
    assert report.topics[0].causes == [GapCause(why="kept back", count=3)]
    assert report.topics[0].examples == ["관세율"]


async def test_a_limit_leaves_the_total_as_it_is(tmp_path: Path, journal: Journal) -> None:
    for text in ("연차", "관세율", "상표"):
        journal.append(asked(text, text))
    report = await reporter(tmp_path).report(None, 1)
    assert (report.total, len(report.topics)) == (3, 1)


async def test_days_before_the_first_are_left_out(tmp_path: Path, journal: Journal) -> None:
    journal.append(asked("1", "연차"))
    assert (await reporter(tmp_path).report(NOW.date() + timedelta(days=1), 50)).asked == 0


async def test_a_service_nobody_asked_yet_has_no_gaps(tmp_path: Path) -> None:
    report = await reporter(tmp_path).report(None, 50)
    assert (report.asked, report.topics) == (0, [])


async def test_a_log_that_cannot_be_read_is_told(tmp_path: Path, journal: Journal) -> None:
    journal.append(asked("1", "연차"))
    (file,) = (tmp_path / FOLDER).glob("*.jsonl")
    file.unlink()
    file.mkdir()  # also root cannot read a folder as a file
    with pytest.raises(ProblemError) as refused:
        await reporter(tmp_path).report(None, 50)
    assert refused.value.code is ErrorCode.SERVICE_UNAVAILABLE
