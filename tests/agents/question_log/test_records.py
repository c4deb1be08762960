"""A line of the question log: everything for the report, and nothing of a person."""

from __future__ import annotations

from agents.question_log.records import AnsweredQuestion, GivenFeedback, parsed
from schemas.chat import AskOutcome, ChatRequest, ChatResponse, Component, Degradation, SourceItem
from schemas.feedback import FeedbackReason, FeedbackRequest

SECRETS = ("010-1234-5678", "900101-1234567", "hong@example.com", "123-45-67890")
SPOKEN = "제 번호는 010-1234-5678, 주민번호 900101-1234567, hong@example.com, 사업자 123-45-67890입니다."


def answer(**changes: object) -> ChatResponse:
    sources = [
        SourceItem(index=number, title="t", content="c", source="s", metadata={"id": name})
        for number, name in enumerate(("HR_LEAVE_001#2", "HR_LEAVE_001#3", "LAW|제60조"), start=1)
    ]
    given: dict[str, object] = {
        "content": "연차는 15일입니다. [1]",
        "domain": "hr_labor",
        "domains": ["hr_labor"],
        "kind": "consult",
        "sources": sources,
        "asks": [AskOutcome(text=SPOKEN, answered=False)],
        "degraded": [Degradation(component=Component.LLM, reason=reason) for reason in ("a", "b")],
        "model": "extractive",
        "request_id": "r1",
    }
    return ChatResponse.model_validate(given | changes)


def test_no_personal_data_is_in_a_line() -> None:
    noted = AnsweredQuestion.of(ChatRequest(message=SPOKEN), answer(), "web").model_dump_json()
    given = FeedbackRequest(request_id="r1", helpful=False, comment=SPOKEN)
    said = GivenFeedback.of(given, "web").model_dump_json()
    for secret in SECRETS:
        assert secret not in noted
        assert secret not in said
    assert "web" not in noted + said
    assert "[주민등록번호]" in noted
    assert "[전화번호]" in said


def test_a_line_is_read_as_it_was_written() -> None:
    noted = AnsweredQuestion.of(ChatRequest(message="연차\n며칠?"), answer(), "web")
    said = GivenFeedback.of(
        FeedbackRequest(request_id="r1", helpful=False, reason=FeedbackReason.WRONG, comment="틀려요"), "web"
    )
    lines = [each.model_dump_json().encode() for each in (noted, said)]
    assert not any(b"\n" in line for line in lines)
    assert list(parsed(lines)) == [noted, said]
    assert noted.key == said.key
    assert noted.cited == ("HR_LEAVE_001", "LAW|제60조")
    assert (noted.refused, noted.degraded) == (False, (Component.LLM,))


def test_an_answer_without_sources_is_a_refusal() -> None:
    assert AnsweredQuestion.of(ChatRequest(message="연차"), answer(sources=[]), "web").refused


def test_hidden_characters_of_a_comment_go() -> None:
    given = FeedbackRequest(request_id="r1", helpful=True, comment="좋\u200b아\u202e요\x1b[2J")
    assert GivenFeedback.of(given, "web").comment == "좋아요[2J"
