"""The unit form is read whole, and every fault is told with its line."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.support.unit_files import ASKS, document_text, unit_text
from utils.knowledge.unit_parser import parse_unit_document
from utils.knowledge.units import Aspect, Condition, Operator, Role, Slot


def faults(text: str) -> list[tuple[int, str]]:
    return [(fault.line, fault.message) for fault in parse_unit_document(text).faults]


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), start=1) if part in line)


def test_a_document_is_read_as_it_is_written() -> None:
    unit = unit_text(
        properties=(
            "측면: 제재",
            "경우: 계약형태 = 정규직 | 기간제",
            "경우: 연매출 < 1억 400만원",
            "경우: 상시근로자 >= 5",
            "유효: 2026-01-01 ~ 2026-12-31",
            "검토: 2026-12-31",
            "계산: weekly_holiday_pay",
        )
    )
    text = document_text(unit, unit_text("둘째", properties=("측면: 가부",)), head={"region": "서울특별시"})
    parsed = parse_unit_document(text)
    assert parsed.faults == ()
    document = parsed.document
    assert document is not None
    assert (document.id, document.type, document.effective_date) == ("HR_CONTRACT_001", "guide", date(2025, 10, 23))
    assert document.metadata == {"topic": "근로계약", "region": "서울특별시"}
    first, second = document.units
    assert first.aspect is Aspect.SANCTION
    assert second.aspect is Aspect.PERMISSION
    assert first.conditions == (
        Condition(Slot.CONTRACT, Operator.EQUAL, ("정규직", "기간제")),
        Condition(Slot.SALES, Operator.LESS, (Decimal(104_000_000),)),
        Condition(Slot.HEADCOUNT, Operator.AT_LEAST, (Decimal(5),)),
    )
    assert (first.valid_from, first.valid_until, first.review_by) == (
        date(2026, 1, 1),
        date(2026, 12, 31),
        date(2026, 12, 31),
    )
    assert first.calculator == "weekly_holiday_pay"
    assert [ask.text for ask in first.asks] == list(ASKS)
    assert [sentence.role for sentence in first.sentences] == [Role.CONCLUSION, Role.CONDITION]
    assert document.content.split("\n")[0].startswith("근로계약서를 교부하지 않으면")
    assert len(document.content.split("\n")) == 4, "a sentence a line, of all units"


def test_a_phrasing_may_say_what_it_is_to_be_answered_with() -> None:
    asks = ("계약서 안 써도 돼요? → 아니요", "꼭 써야 하나요? → 네", "안 쓰면 벌금이 얼마예요?", "써야 하죠 → 글쎄요")
    parsed = parse_unit_document(text := document_text(unit_text(asks=asks)))
    assert parsed.document is not None
    assert [(ask.text, ask.verdict) for ask in parsed.document.units[0].asks] == [
        ("계약서 안 써도 돼요?", False),
        ("꼭 써야 하나요?", True),
        ("안 쓰면 벌금이 얼마예요?", None),
    ]
    [fault] = parsed.faults
    assert (fault.line, "네 또는 아니요" in fault.message) == (line_of(text, "글쎄요"), True)


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        (("측면: 벌칙",), "알 수 없는 측면입니다: 벌칙"),
        (("경우: 직원수 < 5",), "알 수 없는 항목입니다: 직원수"),
        (("경우: 상시근로자 < 다섯",), "단위 없는 숫자여야 합니다: 다섯"),
        (("경우: 상시근로자 5",), "'항목 연산자 값'이어야 합니다"),
        (("경우: 과세유형 = 영세",), "과세유형의 값은 일반, 간이, 면세 가운데 하나입니다: 영세"),
        (("경우: 과세유형 < 간이",), "과세유형의 연산자는 = 또는 != 입니다"),
        (("경우: 상시근로자 < 5 | 10",), "값을 | 로 잇는 것은 = 와 != 에서만 됩니다"),
        (("유효: 2026-13-01 ~ 2026-12-31",), "유효: 날짜가 아닙니다: 2026-13-01"),
        (("유효: 2026-12-31 ~ 2026-01-01",), "끝나는 날이 시작하는 날보다 앞섭니다"),
        (("유효: 2026",), "'2026-01-01 ~ 2026-12-31'처럼 써야 합니다"),
        (("검토: 20261231",), "검토: 날짜가 아닙니다: 20261231"),
        (("검토: 2026-12-31", "검토: 2026-12-31"), "'검토'은 한 단위에 한 번만 씁니다"),
        (("계산: holiday_pay",), "알 수 없는 계산입니다: holiday_pay"),
        (("대상: 모두",), "'- 이름: 값'이어야 합니다"),
    ],
)
def test_a_faulty_property_is_told_with_its_line(properties: tuple[str, ...], told: str) -> None:
    given = properties if properties[0].startswith("측면") else ("측면: 제재", *properties)
    text = document_text(unit_text(properties=given))
    [(line, message)] = faults(text)
    assert line == [number for number, row in enumerate(text.split("\n"), start=1) if row == f"- {properties[-1]}"][-1]
    assert told in message


def test_all_faults_are_told_and_the_rest_is_read() -> None:
    bad = unit_text(properties=("측면: 벌칙",), sentences=("맺음: 끝입니다.",))
    text = document_text(bad, unit_text("둘째"), unit_text("둘째")).replace("type: guide\n", "type\n") + "\n맺는 글\n"
    parsed = parse_unit_document(text)
    told = [message for _, message in faults(text)]
    for expected in (
        "머리말은 한 줄에",
        "머리말에 type 값이 없습니다",
        "알 수 없는 측면입니다",
        "답은 '- 역할: 문장'",
        "단위에 답이 없습니다",
        "단위 이름이 이 문서에 두 번",
        "'- '로 시작하는 한 줄",
    ):
        assert [message for message in told if expected in message], (expected, told)
    assert [fault.line for fault in parsed.faults] == sorted(fault.line for fault in parsed.faults)
    assert parsed.document is None, "a document without a type is none"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("---\nid", "id", "머리말이 없습니다"),
        ("topic: 근로계약\n", "", "머리말에 topic 값이 없습니다"),
        ("type: guide\n", "type: guide\ntype: faq\n", "머리말의 키가 두 번 나옵니다: type"),
        ("id: HR_CONTRACT_001\ntype: guide\n", "type: guide\nid: HR_CONTRACT_001\n", "머리말의 순서는"),
        ("collected_at: 2026-11-20", "collected_at: 2026년", "collected_at: 날짜가 아닙니다"),
        ("### 답", "### 답변", "알 수 없는 제목입니다: ### 답변"),
        ("### 묻는 말\n", "", "단위에 '### 묻는 말'이 없습니다"),
        ("\n## ", "\n여는 글\n\n## ", "'## 단위 이름' 아래에 있지 않은 글입니다"),
    ],
)
def test_a_faulty_frame_is_told(before: str, after: str, told: str) -> None:
    text = document_text()
    assert before in text
    assert [message for _, message in faults(text.replace(before, after, 1)) if told in message]


def test_a_condition_is_written_as_it_is_read() -> None:
    text = document_text(unit_text(properties=("측면: 제재", "경우: 연매출<1.04억원", "경우: 계약형태 = 일용|단시간")))
    document = parse_unit_document(text).document
    assert document is not None
    assert [str(condition) for condition in document.units[0].conditions] == [
        "연매출 < 104000000",
        "계약형태 = 일용 | 단시간",
    ]
