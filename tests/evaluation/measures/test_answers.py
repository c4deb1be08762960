"""Scores of whole answers: which documents they quote, and whether they are silent at the right time."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.measures.answers import JudgedAnswer, area_under_curve, score
from evaluation.questions import EvaluationQuestion
from schemas.chat import ChatResponse, Evaluation, Grounding, SentenceVerdict, SourceItem, Verdict
from utils.prompts.messages import NOT_FOUND

GOLD, OTHER = "퇴직금은 14일 이내에 지급합니다. [1]", "연차는 15일입니다. [2]"


def judged(*sentences: str, total: float = 100, **fields: Any) -> JudgedAnswer:
    content = " ".join(sentences)
    checks, at = [], 0
    for sentence in sentences:
        numbers = [int(sentence[-2])] if sentence.endswith("]") else []
        checks.append(SentenceVerdict(start=at, end=at + len(sentence), verdict=Verdict.SUPPORTED, sources=numbers))
        at += len(sentence) + 1
    found = [
        SourceItem(index=number, title="", content="", source="", metadata={"id": name})
        for number, name in enumerate(("GOLD#0", "OTHER"), start=1)
    ]
    cited = {number for check in checks for number in check.sources}
    response = ChatResponse(
        content=content,
        domain="hr_labor",
        domains=["hr_labor"],
        kind="consult",
        sources=[source for source in found if source.index in cited],
        read=found,
        evaluation=Evaluation(total_score=total, passed=True, grounding=Grounding(passed=True, sentences=checks)),
        model="extractive",
        request_id="1",
    )
    question = {"id": "q", "question": "퇴직금은 언제 주나요?", "gold": ["GOLD"], "key_facts": ["14일"], **fields}
    return JudgedAnswer(EvaluationQuestion.model_validate(question), response, ms=1.0)


def silent(**fields: Any) -> JudgedAnswer:
    return judged(NOT_FOUND, **fields)


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        (judged(GOLD, OTHER), True),
        (judged(OTHER, GOLD), False),
        (judged(GOLD, key_facts=["30일"]), False),
        (silent(), False),
        (silent(gold=[], key_facts=[], answerable=False), True),
        (judged(OTHER, gold=[], key_facts=[], answerable=False), False),
    ],
)
def test_right_is_the_right_document_first_with_its_fact_or_silence(answer: JudgedAnswer, is_right: bool) -> None:
    assert answer.is_right is is_right


def test_documents_and_silence_are_scored_apart() -> None:
    unanswerable: dict[str, Any] = {"gold": [], "key_facts": [], "answerable": False}
    figures = score(
        [judged(GOLD, OTHER), judged(OTHER, total=80), silent(), silent(**unanswerable), judged(OTHER, **unanswerable)]
    )
    assert figures["gold_retrieved"] == 1, "whether or not the answer cites it"
    assert figures["gold_first"] == pytest.approx(1 / 3, abs=1e-3)
    assert figures["gold_quoted"] == pytest.approx(1 / 3, abs=1e-3)
    assert figures["refusal_recall"] == 0.5
    assert figures["refusal_precision"] == 0.5
    assert figures["right"] == 0.4
    assert figures["evaluation_auc"] == 0.75


def test_area_under_the_curve_counts_ties_half() -> None:
    assert area_under_curve([3, 2], [1, 2]) == 0.875
    assert area_under_curve([1], []) == 0.5
