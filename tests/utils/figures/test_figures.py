"""Equal values have equal canonical forms, however they are written; different values never do."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.figures.figures import FigureKind, find_figures
from utils.figures.numerals import parse_amount, parse_native


def canonical(text: str) -> list[str]:
    return [figure.canonical for figure in find_figures(text)]


@pytest.mark.parametrize(
    "group",
    [
        [
            "1억 400만원",
            "104,000,000원",
            "1억4백만원",
            "1억400만 원",
            "１억 ４００만원",
            "104,000,\n000원",
        ],
        ["1만 320원", "10,320원", "1만320원", "10320 원"],
        ["삼백만원", "3백만원", "3,000,000원", "300만 원"],
        ["오천만 원", "5천만원", "50,000,000원"],
        ["1조 5천억원", "1,500,000,000,000원"],
        ["100분의 5", "5%", "5퍼센트", "5 프로", "５％", "1천분의 50", "20분의 1"],
        ["10만분의 22", "0.022%"],
        ["2분의 1", "50%", "절반", "1/2"],
        ["3배", "세 배", "300%", "100분의 300"],
        ["3분의 2", "6분의 4", "2/3"],
        ["제48조의2", "제 48 조의 2", "48조의2", "제48조의 2"],
        ["2026. 1. 1.", "2026년 1월 1일", "2026-01-01", "2026.1.1", "’26. 1. 1.", "２０２６. 1. 1."],
        ["다섯 명", "5명", "5인", "5 사람"],
        ["한 달", "1개월", "일개월"],
        ["석 달", "3개월", "3월 이내"],
        ["십오일", "15일", "보름"],
        ["오후 10시", "밤 10시", "22시"],
        ["3영업일", "3 영업일"],
        ["660제곱미터", "660㎡"],
    ],
)
def test_one_value_has_one_form(group: list[str]) -> None:
    forms = {tuple(canonical(text)) for text in group}
    assert len(forms) == 1
    assert len(forms.pop()) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3~5년", ["3년", "5년"]),
        ("3~5만원", ["30000원", "50000원"]),
        ("10~20%", ["10%", "20%"]),
        ("4·7·10월", ["4월", "7월", "10월"]),
        ("4월 1일~10일", ["4월1일", "4월10일"]),
        ("3월 1일부터 30일 이내", ["3월1일", "30일"]),
        ("제10~12조", ["제10조", "제12조"]),
        ("제49조제1항제2호", ["제49조", "제1항", "제2호"]),
        ("근로기준법 제60조의 15일", ["제60조", "15일"]),
        ("제48조의 2분의 1", ["제48조", "50%"]),
        ("500만원이고 25일까지", ["5000000원", "25일"]),
    ],
)
def test_ranges_and_neighbours(text: str, expected: list[str]) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "신고한 사람은",
        "출석 주주 의결권",
        "만일 그렇다면",
        "네일미용업과 세종",
        "노조원과 구조원",
        "사회 이사",
        "경우에 한해 가능",
        "하루빨리",
        "사원",
    ],
)
def test_words_that_only_look_like_numerals(text: str) -> None:
    assert canonical(text) == []


def test_a_unit_is_not_the_beginning_of_a_noun() -> None:
    assert [figure.kind for figure in find_figures("3 회사, 5 개인, 1 주택, 50 초과")] == [
        FigureKind.NUMBER,
        FigureKind.NUMBER,
        FigureKind.COUNT,
        FigureKind.NUMBER,
    ]


@given(st.integers(1, 10**15))
def test_amounts_agree_in_every_notation(value: int) -> None:
    groups = [("조", 10**12), ("억", 10**8), ("만", 10**4), ("", 1)]
    mixed, rest = [], value
    for name, size in groups:
        if rest >= size:
            mixed.append(f"{rest // size:,}{name}" if size > 1 else str(rest))
            rest %= size
    for written in (f"{value}", f"{value:,}", " ".join(mixed), "".join(mixed)):
        assert canonical(written + "원") == [f"{value}원"]


@given(st.integers(1, 9_999))
def test_sino_korean_numerals(value: int) -> None:
    digits = "일이삼사오육칠팔구"
    written = "".join(
        ("" if digit == 1 and size > 1 else digits[digit - 1]) + name
        for size, name in ((1000, "천"), (100, "백"), (10, "십"), (1, ""))
        if (digit := value // size % 10)
    )
    assert parse_amount(written) == Decimal(value)


@given(st.integers(1, 59))
def test_native_numerals(value: int) -> None:
    tens = ["", "열", "스물", "서른", "마흔", "쉰"][value // 10]
    ones = ["", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉"][value % 10]
    word = "스무" if value == 20 else tens + ones
    assert parse_native(word) == value
    assert canonical(f"{word} 명") == [f"{value}명"]


@given(st.integers(1, 2_000), st.integers(1, 2_000))
def test_ratios_are_equal_exactly_when_their_values_are(part: int, whole: int) -> None:
    assert canonical(f"{whole * 3}분의 {part * 3}") == canonical(f"{whole}분의 {part}")
    assert (canonical(f"{whole}분의 {part}") == canonical(f"{whole}분의 {part + 1}")) is False


@given(st.text(alphabet="0123456789,.~%조의제항억만천원일월년 명시\n한두세십백분/-", max_size=60))
def test_any_text_gives_ordered_spans_inside_it(text: str) -> None:
    figures = find_figures(text)
    assert all(0 <= figure.start < figure.end <= len(text) for figure in figures)
    assert all(first.end <= second.start for first, second in pairwise(figures))
