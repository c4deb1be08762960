"""Figures of answers from a guide."""

from __future__ import annotations

from typing import Any

from evaluation.measures.answers import JudgedAnswer
from evaluation.measures.guides import guide_figures
from evaluation.questions import EvaluationQuestion
from schemas.chat import ChatResponse, SourceItem
from utils.prompts.messages import NOT_FOUND


def judged(content: str, trace: dict[str, Any] | None = None, **fields: Any) -> JudgedAnswer:
    source = SourceItem(index=1, title="", content="", source="")
    response = ChatResponse(
        content=content,
        domain="d",
        domains=["d"],
        kind="consult",
        sources=[source] if content != NOT_FOUND else [],
        trace=trace or {},
        model="extractive",
        request_id="1",
    )
    return JudgedAnswer(EvaluationQuestion.model_validate({"id": "q", "question": "?", **fields}), response, ms=1.0)


def test_figures_are_found_however_they_are_written() -> None:
    answers = [
        judged("한도는 1,000만 원이고 공제율은 15퍼센트입니다. [1]", key_numbers=["1천만원", "15%"]),
        judged("공제율은 15%입니다. [1]", key_numbers=["15%", "17%"], key_numbers_in_guide=False),
    ]
    found = guide_figures(answers)
    assert (found["key_numbers"], found["all_key_numbers"]) == (0.75, 0.5)
    assert (found["questions_with_numbers_in_guide"], found["all_key_numbers_in_guide"]) == (1, 1)


def test_silence_and_the_web_are_counted_by_what_the_guide_answers() -> None:
    asked, not_asked = {"web": "no results"}, {"web": ""}
    found = guide_figures([
        judged("- 한도 [1]", not_asked),
        judged(NOT_FOUND, asked),
        judged(NOT_FOUND, asked, answerable=False),
        judged("- 한도 [1]", not_asked, answerable=False),
    ])  # fmt: skip
    assert (found["admitted"], found["said_none"]) == (0.5, 0.5)
    assert (found["web_unanswerable"], found["web_answerable"]) == (0.5, 0.5)


def test_other_questions_have_none_of_these_figures() -> None:
    assert guide_figures([judged("- 한도 [1]")]) == {}
