"""Conversations as OpenAI writes them, read as questions."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from agents.serving.answer_text import correction, source_list
from routes.completions.questions import question_of, without_effect
from schemas.chat import SourceItem
from schemas.completions.requests import CompletionRequest
from utils.http.problems import ProblemError

SOURCE = SourceItem(index=1, title="안내", content="", source="국세청")


def wanted(*messages: dict[str, Any], **more: Any) -> CompletionRequest:
    return CompletionRequest.model_validate({"model": "bizi", "messages": list(messages), **more})


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def test_what_was_answered_is_read_without_corrections_and_sources() -> None:
    told = "틀린 말." + correction("grounding") + "맞는 말[1]." + source_list([SOURCE])
    before = assistant(told, annotations=[{"type": "url_citation"}], refusal=None, tool_calls=None)
    question = question_of(wanted({"role": "system", "content": "짧게"}, user("첫"), before, user("둘")))
    assert [(turn.role, turn.content) for turn in question.history] == [("user", "첫"), ("assistant", "맞는 말[1].")]
    assert question.message == "둘"


def test_the_last_twenty_messages_are_read_each_as_far_as_a_turn_may_be_long() -> None:
    long = [user("가" * 9_000), assistant(None), *[user(f"{n}") for n in range(30)]]
    question = question_of(wanted(*long, user("끝")))
    assert [turn.content for turn in question.history] == [str(n) for n in range(10, 30)]
    assert len(question_of(wanted(long[0], user("끝"))).history[0].content) == 8_000


def test_parts_are_one_question_and_a_picture_goes_with_it() -> None:
    parts = [
        {"type": "text", "text": "이 지도에"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
        {"type": "text", "text": "핀을 찍으려면?"},
    ]
    question = question_of(wanted(user(parts)))
    assert (question.message, question.image) == ("이 지도에\n핀을 찍으려면?", "https://example.com/a.png")
    with pytest.raises(ProblemError) as refused:
        question_of(wanted(user([*parts, parts[1]])))
    assert refused.value.errors[0].path == "messages.0.content"


def test_the_user_stands_in_for_the_user_id() -> None:
    assert question_of(wanted(user("끝"), user="u1")).user_context.user_id == "u1"
    company = {"company": {"employee_count": 4}}
    both = question_of(wanted(user("끝"), user="u1", user_context=company)).user_context
    assert (both.user_id, both.company.employee_count) == ("u1", 4)
    assert question_of(wanted(user("끝"), user="u1", user_context={"user_id": "u2"})).user_context.user_id == "u2"


@pytest.mark.parametrize(
    ("messages", "path"),
    [
        ([user("첫"), assistant("답")], "messages.1.role"),
        ([user("첫"), {"role": "system", "content": "끝"}], "messages.1.role"),
        ([user("가" * 2_001)], "messages.0.content"),
        ([user(" \u200b ")], "messages.0.content"),
    ],
)
def test_what_is_no_question_is_named(messages: list[dict[str, Any]], path: str) -> None:
    with pytest.raises(ProblemError) as refused:
        question_of(wanted(*messages))
    assert [fault.path for fault in refused.value.errors] == [path]


@pytest.mark.parametrize(
    "given",
    [
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"tool_choice": "required"},
        {"n": 2},
        {"logprobs": True},
        {"response_format": {"type": "json_object"}},
        {"modalities": ["text", "audio"]},
        {"top_k": 3},
    ],
)
def test_what_cannot_be_had_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        wanted(user("끝"), **given)
    assert {error["loc"][0] for error in refused.value.errors()} == set(given)


def test_what_asks_for_nothing_is_taken_and_what_does_nothing_is_told() -> None:
    asked = wanted(
        {"role": "developer", "content": "영어로"},
        user("끝"),
        tools=[],
        tool_choice="none",
        n=1,
        logprobs=False,
        response_format={"type": "text"},
        temperature=0.7,
        max_tokens=None,
        stop=["\n"],
    )
    assert without_effect(asked) == ["stop", "temperature", "messages.role=developer"]
    assert "top_p" in CompletionRequest.model_fields
