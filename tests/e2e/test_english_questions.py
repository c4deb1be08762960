"""Questions in English over HTTP, with no model: answered from the Korean documents, with one English line."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.contract.wire import parse_frames

LEAD = "Answered from Korean documents; the text below is in Korean.\n\n"
QUESTION = "Do I have to pay severance to someone who worked 10 months?"


def ask(service: httpx.Client, message: str, **more: Any) -> dict[str, Any]:
    response = service.post("/api/chat", json={"message": message, **more})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def test_an_english_question_is_answered_with_an_english_line(service: httpx.Client) -> None:
    answer = ask(service, QUESTION)
    assert answer["kind"] == "consult"
    assert answer["content"].startswith(LEAD)
    assert "퇴직금" in answer["content"]
    assert answer["sources"][0]["metadata"]["id"].startswith("HR_")
    grounding = answer["evaluation"]["grounding"]
    assert grounding["passed"]
    first = grounding["sentences"][0]
    assert (first["verdict"], first["sources"], first["end"]) == ("supported", [], len(LEAD.strip())), (
        "it claims nothing"
    )


def test_a_stream_begins_with_the_line_once(service: httpx.Client) -> None:
    frames = parse_frames(service.post("/api/chat/stream", json={"message": QUESTION}).text)
    text = "".join(frame.data.content for frame in frames if frame.event == "token")
    assert text.startswith(LEAD)
    assert text.count("Answered from") == 1


def test_figures_are_computed_with(service: httpx.Client) -> None:
    asked = (
        "How much weekly holiday allowance do I owe a part-timer at 11,000 won an hour, 5 days a week, 5 hours a day?"
    )
    assert "55,000원" in ask(service, asked)["content"]


def test_a_follow_up_in_english_takes_its_subject_from_the_history(service: httpx.Client) -> None:
    first = "When do I have to file VAT if I'm a sole proprietor?"
    history = [
        {"role": "user", "content": first},
        {"role": "assistant", "content": ask(service, first)["content"][:2000]},
    ]
    answer = ask(service, "and for corporations?", history=history)
    assert answer["content"].startswith(LEAD)
    assert "4월 25일" in answer["content"]


@pytest.mark.parametrize(
    ("asked", "english"),
    [
        ("Hello!", "Hello!"),
        ("thank you so much", "You are welcome!"),
        ("who are you?", "I am a program"),
        ("tell me a joke about cats", "I could not tell"),
    ],
)
def test_fixed_replies_have_an_english_line(service: httpx.Client, asked: str, english: str) -> None:
    answer = ask(service, asked)
    assert answer["content"].startswith(english)
    assert not answer["sources"]


def test_what_the_documents_do_not_tell_is_said_in_english_too(service: httpx.Client) -> None:
    answer = ask(service, "What is the customs duty rate for clothes imported from China?")
    if not answer["sources"]:
        assert answer["content"].startswith("The Korean documents do not answer this question")


def test_korean_with_english_words_has_no_english_line(service: httpx.Client) -> None:
    assert "Answered from" not in ask(service, "VAT 신고 deadline 언제까지예요?")["content"]
