"""Texts and names that are not UTF-8."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorstores.loaders.decoding import CP949, UTF_8, decoded, readable_name

KOREAN = "사업자등록은 사업을 시작한 날부터 20일 안에 신청합니다. 뷁"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff")))
def test_utf8_stays_what_it_is(text: str) -> None:
    assert decoded(text.encode()) == (text, UTF_8)
    assert decoded(b"\xef\xbb\xbf" + text.encode()) == (text, UTF_8)


def test_what_korean_windows_programs_save_is_read() -> None:
    assert decoded(KOREAN.encode("cp949")) == (KOREAN, CP949)


@pytest.mark.parametrize("data", [KOREAN.encode()[:-1], KOREAN.encode() + b"\xff", KOREAN.encode("utf-16"), b"\x80"])
def test_what_is_neither_is_refused_and_never_read_as_other_words(data: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        decoded(data)


@given(st.binary(max_size=40))
def test_every_name_can_be_printed_and_stored(data: bytes) -> None:
    readable_name(data.decode("utf-8", "surrogateescape")).encode()


def test_a_name_from_a_windows_archive_is_readable() -> None:
    assert readable_name("안내문.md".encode("cp949").decode("utf-8", "surrogateescape")) == "안내문.md"
    assert readable_name("안내문.md") == "안내문.md"
