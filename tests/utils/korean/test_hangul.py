"""Hangul as keys and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.korean.hangul import composed, keys_beside, keys_of

syllables = st.text(st.characters(min_codepoint=ord("가"), max_codepoint=ord("힣")), max_size=8)


@given(syllables)
def test_what_is_typed_is_composed_again(text: str) -> None:
    assert composed(keys_of(text)) == text


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("ㅌㅗㅣㅈㅣㄱㄱㅡㅁ", "퇴직금"),
        ("ㄱㄴㄹㅗ", "ㄱㄴ로"),  # a vowel was left out
        ("ㅅㅔㅔㅇㅐㄱ", "세ㅔ액"),  # and typed twice
        ("ㄱㅏㅂㅅㅣ", "갑시"),  # the last of two consonants begins the next syllable
        ("ㄱㅏㅂㅅ", "값"),
        ("ㅗㅏ", "ㅘ"),
        ("R&D ㅂㅣ", "R&D 비"),
    ],
)
def test_keys_as_an_input_method_composes_them(keys: str, text: str) -> None:
    assert composed(keys) == text


def test_keys_beside_a_key() -> None:
    assert set(keys_beside("ㅁ")) == {"ㅂ", "ㅈ", "ㄴ", "ㅋ"}
    assert {"ㄲ", "ㄷ", "ㅅ"} <= set(keys_beside("ㄱ"))
    assert "ㅔ" in keys_beside("ㅐ")
    assert "ㅏ" not in keys_beside("ㄱ")
    assert keys_beside("a") == ""
