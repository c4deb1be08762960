"""A unit comes back from its record as it was, and nothing else is taken for one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.unit_files import document_text, unit_text
from utils.knowledge.unit_parser import parse_unit_document
from utils.knowledge.unit_records import unit_of, unit_record
from utils.knowledge.units import AnswerUnit

FULL = (
    "측면: 금액",
    "경우: 계약형태 = 정규직 | 기간제",
    "경우: 연매출 < 1억 400만원",
    "경우: 근속개월 >= 1.5",
    "경우: 지역 != 서울특별시 | 세종특별자치시",
    "유효: 2026-01-01 ~ 2026-12-31",
    "검토: 2026-12-31",
    "계산: weekly_holiday_pay",
)


def unit(*properties: str) -> AnswerUnit:
    asks = ("얼마를 내나요?", "벌금도 있나요? → 네", "안 내도 되나요? → 아니요")
    parsed = parse_unit_document(document_text(unit_text(properties=properties, asks=asks)))
    assert parsed.document is not None
    assert parsed.faults == ()
    return parsed.document.units[0]


@pytest.mark.parametrize(
    "properties", [FULL, FULL[:1], (FULL[0], "유효: 2026-01-01 ~"), (FULL[0], "유효: ~ 2026-12-31")]
)
def test_a_unit_comes_back_as_it_was(properties: tuple[str, ...]) -> None:
    written = unit(*properties)
    stored = json.loads(json.dumps(unit_record(written), ensure_ascii=False))
    assert unit_of(stored) == written
    assert [ask.verdict for ask in unit_of(stored).asks] == [None, True, False]
    assert unit_record(unit_of(stored)) == stored


def test_where_it_stands_in_its_file_is_not_kept() -> None:
    """A blank line above a unit does not make another document of it."""
    lower = parse_unit_document(document_text(unit_text(properties=FULL)).replace("## ", "\n\n## ", 1)).document
    upper = parse_unit_document(document_text(unit_text(properties=FULL))).document
    assert lower is not None
    assert upper is not None
    assert lower.units[0].line != upper.units[0].line
    assert unit_record(lower.units[0]) == unit_record(upper.units[0])


@pytest.mark.parametrize("key", unit_record(unit(*FULL)))
@pytest.mark.parametrize("value", [5, "?", [["?"]], [[5, 5]], [5], {"?": 5}])
def test_anything_else_is_refused(key: str, value: object) -> None:
    stored: dict[str, Any] = unit_record(unit(*FULL))
    if key in ("name", "calculator") and isinstance(value, str):
        return  # any text will do
    with pytest.raises((KeyError, TypeError, ValueError)):
        unit_of(stored | {key: value})
    with pytest.raises(KeyError):
        unit_of({other: stored[other] for other in stored if other != key})
