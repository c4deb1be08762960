"""From a question that nothing answers to the report that tells what to write next."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from evaluation.__main__ import main
from evaluation.measures.owner_questions import load_owner_questions
from tests.e2e.conftest import serving
from tests.support.folders import read_only
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

UNANSWERED = "더존이랑 자비스 중에 회계프로그램 뭐가 좋아요? 제 번호는 010-1234-5678이에요"
ANSWERED = "부가가치세는 언제까지 신고해야 하나요?"
TURNED_AWAY = "블랙홀은 어떻게 생기나요?"


@pytest.fixture
def data_dir(starter_settings: Settings, tmp_path: Path) -> Path:
    shutil.copytree(starter_settings.data_dir, tmp_path / "var", symlinks=True)
    return tmp_path / "var"


@pytest.fixture
def client(starter_settings: Settings, tokenizer: KiwiTokenizer, data_dir: Path) -> Iterator[httpx.Client]:
    changes = {"data_dir": data_dir, "enable_response_cache": True, "enable_question_log": True}
    with serving(starter_settings.model_copy(update=changes), tokenizer) as client:
        yield client


def ask(client: httpx.Client, message: str) -> dict[str, object]:
    response = client.post("/api/chat", json={"message": message})
    assert response.status_code == 200, response.text
    answer: dict[str, object] = response.json()
    return answer


def test_what_was_not_answered_and_what_did_not_help_is_reported(
    client: httpx.Client, data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {message: ask(client, message) for message in (UNANSWERED, ANSWERED, TURNED_AWAY, "안녕하세요")}
    cached = ask(client, ANSWERED)
    assert cached["cached"]
    for answer, helpful in ((answers[ANSWERED], True), (cached, False)):
        verdict = {"request_id": answer["request_id"], "helpful": helpful, "comment": "hong@example.com으로 답 주세요"}
        assert client.post("/api/feedback", json=verdict).status_code == 200

    export = tmp_path / "gaps.jsonl"
    assert main(["gaps", "--data-dir", str(data_dir), "--export", str(export)]) == 0
    shown = capsys.readouterr().out
    assert "5 questions, 3 with a gap" in shown
    assert "회계프로그램" in shown
    assert "why: turned away 1" in shown
    assert "why: unhelpful 1" in shown
    assert "nearest: FT_VAT_001" in shown
    assert "안녕" not in shown

    kept = "".join(file.read_text(encoding="utf-8") for file in (data_dir / "questions").glob("*.jsonl"))
    for personal in ("010-1234-5678", "hong@example.com"):
        assert personal not in kept + shown + export.read_text(encoding="utf-8")
    assert "[전화번호]" in kept

    assert sorted(each.question for each in load_owner_questions(export)) == sorted(
        [UNANSWERED.replace("010-1234-5678", "[전화번호]"), ANSWERED, TURNED_AWAY]
    )
    assert main(["asks", "--data-dir", str(data_dir), "--dataset", str(export)]) == 0


def test_the_answer_tells_what_it_answers(client: httpx.Client) -> None:
    answer = ask(client, "연차는 며칠 줘야 하나요? 그리고 회사 로고 색은 뭐가 좋아요?")
    asks = answer["asks"]
    assert isinstance(asks, list)
    assert [each["answered"] for each in asks] == [True, False]
    assert asks[0]["nearest"]["id"].startswith("HR_LEAVE")
    assert ask(client, TURNED_AWAY)["asks"] == []


def test_a_disk_that_cannot_be_written_is_named_and_fails_no_chat(client: httpx.Client, data_dir: Path) -> None:
    def state() -> str:
        return str(client.get("/health").json()["capabilities"]["question_log"]["state"])

    assert state() == "available"
    with read_only(data_dir):
        assert ask(client, ANSWERED)["content"]
        until = time.monotonic() + 20
        while state() != "degraded":
            assert time.monotonic() < until
            time.sleep(0.2)
        assert client.get("/health/ready").status_code == 200
