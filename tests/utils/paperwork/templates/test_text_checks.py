"""Hostile text comes out whole or is refused; nothing is dropped that somebody wrote."""

from __future__ import annotations

import pytest
from pydantic_core import PydanticCustomError

from utils.paperwork.templates.text_checks import harmless_line, harmless_text, has_resident_number


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "=cmd|' /C calc'!A0",
        "👩‍👩‍👧‍👦 가족",
        "مرحبا שלום",
        "漢字 ひらがな",
        "가" * 20_000,
        "é̂ Ω ₩",
        "a\tb",
    ],
)
def test_what_can_be_written_stays_whole(text: str) -> None:
    assert harmless_text(text) == text


def test_what_comes_with_pasting_goes() -> None:
    assert harmless_text("\ufeff온기\u200b카페\r\n2층") == "온기카페\n2층"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("가\x00나", "control_character"),
        ("가\x1b[31m", "control_character"),
        ("가\U000e0041나", "control_character"),
        ("100\u202e원", "reordering_character"),
        ("가\u2066나\u2069", "reordering_character"),
        ("가" + "\u0301" * 12, "stacked_marks"),
        ("주민번호 030412-3123456", "resident_number"),
        ("\u200b\u200b", "nothing_visible"),
    ],
)
def test_what_cannot_be_written_is_refused_with_its_reason(text: str, kind: str) -> None:
    with pytest.raises(PydanticCustomError) as refused:
        harmless_text(text)
    assert refused.value.type == kind


def test_a_line_is_a_line() -> None:
    with pytest.raises(PydanticCustomError):
        harmless_line("가\n나")


@pytest.mark.parametrize(
    "text", ["900101-1234567", "900101 - 2234567", "9001011234567", "９００１０１－１２３４５６７", "900101-1******"]
)
def test_resident_numbers_are_seen_however_written(text: str) -> None:
    assert has_resident_number(text)


@pytest.mark.parametrize("text", ["1990-01-01", "010-1234-5678", "123-45-67890", "2026년 11월 23일", "11,000원"])
def test_other_numbers_are_none(text: str) -> None:
    assert not has_resident_number(text)
