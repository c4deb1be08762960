"""Placeholders for personal data, and the data put back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.utils.observability.test_personal_data import ORDINARY, PERSONAL
from utils.observability.personal_data import mask_personal_data
from utils.observability.pseudonyms import Pseudonyms

TEXT = "010-1234-5678로 전화하고 hong@example.com에 보냅니다. 900101-1234567, 다시 010-1234-5678 [1]."
PIECES = [
    "[",
    "]",
    "1",
    "12",
    "전화번호",
    "이메일",
    "010-1234-5678",
    "a@b.com",
    " ",
    "[1]",
    "[전화번호1]",
    "[이메일",
    "세",
]


@pytest.mark.parametrize(("text", "secret", "mask"), PERSONAL)
def test_what_logs_mask_gets_a_placeholder(text: str, secret: str, mask: str) -> None:
    names = Pseudonyms()
    masked = names.masked(text)
    assert secret not in masked
    assert re.sub(r"(?<=[가-힣])\d+\]", "]", masked) == mask_personal_data(text)
    assert names.restored(masked) == text


@pytest.mark.parametrize("text", ORDINARY)
def test_a_text_without_personal_data_is_sent_as_it_is(text: str) -> None:
    names = Pseudonyms()
    assert names.masked(text) == text
    assert not names


def test_equal_data_has_one_placeholder_and_different_data_two() -> None:
    names = Pseudonyms()
    masked = names.masked(TEXT)
    assert masked.count("[전화번호1]") == 2
    assert names.masked("02-123-4567") == "[전화번호2]"
    assert names.masked("010-1234-5678") == "[전화번호1]"


def test_a_placeholder_that_somebody_wrote_is_nobody_s_number() -> None:
    names = Pseudonyms()
    masked = names.masked("[전화번호1]은 무엇인가요? 제 번호는 010-1234-5678입니다.")
    assert names.restored(masked).startswith("[전화번호1]은")
    assert names.restored("[전화번호7], [주소1], [1]") == "[전화번호7], [주소1], [1]"


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.lists(st.integers(1, 9), min_size=1))
def test_however_a_text_is_split_it_is_restored_alike(text: str, lengths: list[int]) -> None:
    names = Pseudonyms()
    names.masked(TEXT)
    restorer = names.restored_pieces()
    told, rest = [], text
    for length in lengths * (len(text) + 1):
        if not rest:
            break
        told.append(restorer.feed(rest[:length]))
        rest = rest[length:]
    assert "".join([*told, restorer.flush()]) == names.restored(text)


@pytest.mark.parametrize("text", ["문서에 있습니다 [1", "목록 [가", "[", "배열[3][4"])
def test_what_cannot_become_a_placeholder_does_not_wait(text: str) -> None:
    names = Pseudonyms()
    names.masked(TEXT)
    assert names.restored_pieces().feed(text) == text.removesuffix("[")
    assert Pseudonyms().restored_pieces().feed(text) == text, "nothing was masked"


@given(st.text(alphabet="0123456789-. ()@abc전화계좌[]", max_size=60))
def test_whatever_is_masked_comes_back(text: str) -> None:
    names = Pseudonyms()
    assert names.restored(names.masked(text)) == text
