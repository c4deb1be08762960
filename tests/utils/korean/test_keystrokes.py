"""Finding words that are one typing error away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.korean.hangul import composed, keys_of
from utils.korean.keystrokes import KeyNeighbours, is_slip, one_error_apart

WORDS = ("퇴직금", "원천징수", "부가세", "근로기준법", "장애인")
KEYS = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎㅏㅑㅓㅕㅗㅛㅜㅠㅡㅣㅐㅔ"
NEIGHBOURS = KeyNeighbours(WORDS)


@given(
    st.sampled_from(WORDS),
    st.sampled_from(KEYS),
    st.integers(0, 100),
    st.sampled_from("left out,added,mistaken".split(",")),
)
def test_any_one_error_is_found(word: str, key: str, place: int, error: str) -> None:
    keys = keys_of(word)
    at = place % len(keys)
    typed = {
        "left out": keys[:at] + keys[at + 1 :],
        "added": keys[:at] + key + keys[at:],
        "mistaken": keys[:at] + key + keys[at + 1 :],
    }[error]
    assert word in NEIGHBOURS.near([composed(typed)])[0]


def test_each_text_has_its_own_words() -> None:
    assert NEIGHBOURS.near(["언천징수", "부까세", "블랙홀", "장애인"]) == [["원천징수"], ["부가세"], [], ["장애인"]]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("abc", "abc", True),
        ("abc", "acb", True),
        ("abc", "ab", True),
        ("abc", "axc", True),
        ("", "a", True),
        ("abc", "cba", False),
        ("abcd", "badc", False),
        ("abc", "a", False),
        ("abc", "bcd", False),
    ],
)
def test_one_error_apart(first: str, second: str, *, expected: bool) -> None:
    assert one_error_apart(first, second) is one_error_apart(second, first) is expected


def test_a_slip_hits_a_key_beside_the_right_one() -> None:
    assert is_slip("볍", "법")
    assert is_slip("ㄱ간", "기간")
    assert not is_slip("소분", "세분")
