from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.korean.keyword_matcher import KeywordMatcher, MatchText, without_overlaps
from utils.protocols import Morpheme
from vectorstores.tokenizer import KiwiTokenizer


def found(tokenizer: KiwiTokenizer, text: str, *words: str) -> list[str]:
    matcher = KeywordMatcher(words)
    return [match.word for match in without_overlaps(matcher.find(MatchText(text, tokenizer.morphemes(text))))]


@pytest.mark.parametrize("text", ["사업자등록을 해야 하나요?", "사업자 등록을 해야 하나요?"])
@pytest.mark.parametrize("word", ["사업자등록", "사업자 등록"])
def test_spacing_does_not_matter(tokenizer: KiwiTokenizer, text: str, word: str) -> None:
    assert found(tokenizer, text, word) == [word]


def test_the_longest_word_wins(tokenizer: KiwiTokenizer) -> None:
    assert found(tokenizer, "퇴직소득세를 얼마나 떼나요?", "퇴직", "소득세", "퇴직소득세") == ["퇴직소득세"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("좋은 방법을 알려 주세요", "법"),
        ("친구랑 친해지는 법", "법"),
        ("법적으로 문제가 있나요?", "법"),
        ("외국인 유학생을 뽑아요", "유학"),
    ],
)
def test_a_short_word_is_not_found_inside_another(tokenizer: KiwiTokenizer, text: str, word: str) -> None:
    assert found(tokenizer, text, word) == []


@pytest.mark.parametrize("text", ["직원을 내보내려면", "직원을 내보냈어요", "직원을 내보내도 되나요"])
def test_a_verb_is_found_in_every_inflection(tokenizer: KiwiTokenizer, text: str) -> None:
    assert found(tokenizer, text, "내보내다") == ["내보내다"]


@given(text=st.text(max_size=60), words=st.lists(st.text(min_size=1, max_size=6), max_size=6))
def test_any_text_is_read_without_overlap(text: str, words: list[str]) -> None:
    morphemes = [Morpheme(text[i : i + 2], "NNG", i, min(i + 2, len(text))) for i in range(0, len(text), 2)]
    matches = without_overlaps(KeywordMatcher(words).find(MatchText(text, morphemes)))
    assert all(match.word in words for match in matches)
    assert all(left.last < right.first for left, right in pairwise(matches))
