"""Example answers of the OpenAPI document."""

from __future__ import annotations

from typing import Any

from schemas.chat import (
    ActionItem,
    ActionType,
    AnswerMeta,
    AskOutcome,
    ChatResponse,
    Evaluation,
    Grounding,
    NearestDocument,
    SentenceVerdict,
    SourceItem,
    SubQuestion,
    Verdict,
)
from schemas.events import (
    STAGE_LABELS,
    ActionEvent,
    CheckEvent,
    DoneEvent,
    SourceEvent,
    Stage,
    StatusEvent,
    StreamEvent,
    TokenEvent,
)

_SENTENCE = "제1기 부가가치세 확정신고 기한은 7월 25일입니다[1]."
_SOURCE = SourceItem(
    index=1,
    title="부가가치세법 제49조(확정신고와 납부)",
    content="사업자는 각 과세기간이 끝난 후 25일 이내에 신고하여야 한다.",
    source="국가법령정보센터",
    url="https://www.law.go.kr/법령/부가가치세법/제49조",
)
_CHECK = SentenceVerdict(start=0, end=len(_SENTENCE), verdict=Verdict.SUPPORTED, sources=[1])
_ACTION = ActionItem(
    type=ActionType.TAX_CALENDAR, label="세무 일정 보기", description="다가오는 신고 기한을 확인합니다.", params={}
)
_ANSWER = ChatResponse(
    content=_SENTENCE,
    domain="finance_tax",
    domains=["finance_tax"],
    kind="consult",
    sources=[_SOURCE],
    actions=[_ACTION],
    asks=[
        AskOutcome(
            text="부가가치세는 언제까지 신고해야 하나요?",
            answered=True,
            nearest=NearestDocument(id="FT_VAT_001", title="부가가치세 신고와 납부", likelihood=0.93),
        )
    ],
    evaluation=Evaluation(
        scores={"retrieval_quality": 18, "accuracy": 20, "completeness": 17, "relevance": 19, "citation": 20},
        total_score=94,
        passed=True,
        grounding=Grounding(passed=True, sentences=[_CHECK]),
    ),
    timing_metrics={"classify": 3.1, "retrieve": 8.4, "generate": 4.2},
    trace={
        "prompt_version": "9d1f0c6e52ab",
        "sub_questions": [SubQuestion(domain="finance_tax", question="부가가치세는 언제까지 신고해야 하나요?")],
        "asks": ["부가가치세는 언제까지 신고해야 하나요?"],
    },
    model="extractive",
    request_id="0b0e6e5c7f1d4c0f9a53a4a4c1b7f4de",
)
_EVENTS: tuple[StreamEvent, ...] = (
    StatusEvent(stage=Stage.CLASSIFY, label=STAGE_LABELS[Stage.CLASSIFY]),
    SourceEvent(source=_SOURCE),
    TokenEvent(content=_SENTENCE),
    CheckEvent(check=_CHECK),
    ActionEvent(action=_ACTION),
    DoneEvent(**_ANSWER.model_dump(include=set(AnswerMeta.model_fields))),
)

EXAMPLE_ANSWER: dict[str, Any] = _ANSWER.model_dump(mode="json")
EXAMPLE_STREAM = tuple(enumerate(_EVENTS, start=1))
