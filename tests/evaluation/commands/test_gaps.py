"""The gap report from the files of a data directory, and the evaluation set that it exports."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agents.question_log.journal import Journal
from agents.question_log.records import AnsweredQuestion, GivenFeedback
from evaluation.__main__ import main
from evaluation.measures.owner_questions import load_owner_questions
from schemas.chat import AskOutcome
from schemas.feedback import FeedbackReason

NOW = datetime.now(UTC).replace(microsecond=0)
DRONE = "드론 방제 면허가 필요해요?\n그리고 [전화번호]로 알려 주세요"


def question(request_id: str, text: str, *, answered: bool = False, days_ago: int = 0) -> AnsweredQuestion:
    return AnsweredQuestion(
        time=NOW - timedelta(days=days_ago),
        request_id=request_id,
        client="c",
        question=text,
        reply="consult",
        domains=("startup_funding",),
        asks=(AskOutcome(text=text.partition("\n")[0], answered=answered),),
        cited=(),
        refused=not answered,
        degraded=(),
        model="extractive",
        cached=False,
    )


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    journal = Journal(tmp_path / "var", days=90, file_bytes=65_536, files=10)
    verdict = GivenFeedback(
        time=NOW, request_id="4", client="c", helpful=False, reason=FeedbackReason.WRONG, comment="세율이\n틀려요"
    )
    for line in (
        question("1", "오래된 물음이에요", days_ago=20),
        question("2", DRONE),
        question("3", DRONE.upper()),
        question("4", "부가세율은 얼마예요", answered=True),
        question("5", "답을 들은 물음", answered=True),
        verdict,
    ):
        journal.append(line)
    return tmp_path / "var"


def test_the_table_names_topics_causes_and_examples(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gaps", "--data-dir", str(data_dir)]) == 0
    shown = capsys.readouterr().out
    assert "5 questions, 4 with a gap, 3 topics" in shown
    assert "startup_funding: 4 questions, 3 topics" in shown
    assert "why: nothing found 2" in shown
    assert "why: unhelpful (wrong) 1" in shown
    assert "· 드론 방제 면허가 필요해요?" in shown
    assert "said: 세율이 틀려요" in shown
    assert "답을 들은" not in shown


def test_since_leaves_out_what_was_before(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    since = (NOW - timedelta(days=10)).date().isoformat()
    assert main(["gaps", "--data-dir", str(data_dir), "--since", since]) == 0
    shown = capsys.readouterr().out
    assert "4 questions, 3 with a gap" in shown
    assert "오래된" not in shown


def test_topics_are_written_with_the_ids_of_their_requests(data_dir: Path, tmp_path: Path) -> None:
    assert main(["gaps", "--data-dir", str(data_dir), "--out", str(tmp_path / "topics.jsonl")]) == 0
    topics = [json.loads(line) for line in (tmp_path / "topics.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [topic["request_ids"] for topic in topics] == [["2", "3"], ["1"], ["4"]]
    assert topics[2]["comments"] == ["세율이\n틀려요"]


def test_the_export_is_an_evaluation_set_to_be_labelled(data_dir: Path, tmp_path: Path) -> None:
    first, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for path in (first, again):
        assert main(["gaps", "--data-dir", str(data_dir), "--export", str(path)]) == 0
    assert first.read_bytes() == again.read_bytes()
    questions = load_owner_questions(first)
    assert [each.question for each in questions] == ["오래된 물음이에요", DRONE, "부가세율은 얼마예요"]
    assert {each.domain for each in questions} == {"startup_funding"}
    assert all(not ask.answerable for each in questions for ask in each.asks)
    record = json.loads(first.read_text(encoding="utf-8").splitlines()[1])
    assert (record["count"], record["why"]) == (2, ["nothing found"])


def test_a_folder_without_a_log_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gaps", "--data-dir", str(tmp_path)]) == 1
    assert "no question log" in capsys.readouterr().err
