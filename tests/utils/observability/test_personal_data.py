from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.observability.personal_data import mask_personal_data

PERSONAL = [
    ("주민번호 900101-1234567 입니다", "900101", "[주민등록번호]"),
    ("9001011234567", "1234567", "[주민등록번호]"),
    ("900101 - 1234567", "1234567", "[주민등록번호]"),
    ("900101-1******", "900101", "[주민등록번호]"),
    ("연락처 010-1234-5678", "5678", "[전화번호]"),
    ("01012345678로 전화", "12345678", "[전화번호]"),
    ("02-123-4567", "4567", "[전화번호]"),
    ("+82 10-1234-5678", "5678", "[전화번호]"),
    ("010.1234.5678", "5678", "[전화번호]"),
    ("0507-1234-5678", "5678", "[전화번호]"),
    ("사업자번호 123-45-67890", "67890", "[사업자등록번호]"),
    ("사업자번호 1248100998", "1248100998", "[사업자등록번호]"),
    ("hong.gildong+a@example.co.kr 로", "gildong", "[이메일]"),
    ("카드 4111-1111-1111-1111", "1111", "[카드번호]"),
    ("카드 4111111111111111", "1111", "[카드번호]"),
    ("3782-822463-10005", "822463", "[카드번호]"),
    ("국민 110-123-456789 입금", "456789", "[계좌번호]"),
    ("계좌번호는 12345678901234입니다", "8901234", "[계좌번호]"),
    ("카카오뱅크 3333-01-1234567", "1234567", "[계좌번호]"),
]


@pytest.mark.parametrize(("text", "secret", "mask"), PERSONAL)
def test_personal_data_is_masked(text: str, secret: str, mask: str) -> None:
    masked = mask_personal_data(text)
    assert secret not in masked
    assert mask in masked


ORDINARY = [
    "부가가치세법 제49조의2 제1항 제3호",
    "2025-01-25까지 신고",
    "2025-01-01 ~ 2025-12-31",
    "매출 1,200,000,000원, 4,800만원",
    "직원 5명, 연매출 12억 3000만원",
    "score=0.1234567890123456",
    "제2024-123호 공고",
    "request 7c1e2d3f4a5b6c7d8e9f001122334455",
    "127.0.0.1:8001 10.0.0.1",
    "2026-11-21T00:22:57.123",
    "근로기준법 시행령 [시행 2025. 1. 1.]",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_everything_else_stays(text: str) -> None:
    assert mask_personal_data(text) == text


@given(
    st.integers(0, 99),
    st.integers(1, 12),
    st.integers(1, 28),
    st.integers(1, 8),
    st.integers(0, 999_999),
    st.text(max_size=20),
)
def test_no_resident_number_survives_in_any_surroundings(
    year: int, month: int, day: int, sex: int, serial: int, around: str
) -> None:
    number = f"{year:02}{month:02}{day:02}-{sex}{serial:06}"
    assert number not in mask_personal_data(f"{around} {number} {around}")


def test_hostile_input_is_fast() -> None:
    for piece in ("1-", "12 ", "a@", "a.", "0101", "계좌", "계좌 1"):
        mask_personal_data(piece * 5000)
