"""Words and pairs of syllables that are rare in the index tell sentences apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from utils.korean.word_rarity import WordRarity, squeezed, syllable_pairs


def test_what_stands_in_fewer_sentences_weighs_more() -> None:
    sentences = [(("부가가치세", "신고"), "부가가치세신고")] * 6 + [(("부가가치세", "환급"), "부가가치세환급")] * 3
    rarity = WordRarity.count(sentences)
    assert rarity.of_term("부가가치세") < rarity.of_term("환급") < rarity.of_term("없는말")
    assert rarity.of_pair("부가") < rarity.of_pair("환급") < rarity.of_pair("없는")


def test_pairs_do_not_mind_spaces_and_punctuation() -> None:
    assert syllable_pairs(squeezed("육아 휴직, 중")) == syllable_pairs(squeezed("육아휴직 중"))


def test_what_was_counted_is_read_back(tmp_path: Path) -> None:
    rarity = WordRarity.count([(("신고",), "신고")] * 4)
    file = tmp_path / "rarity.json"
    file.write_text(rarity.as_json(), encoding="utf-8")
    assert WordRarity.load(file) == rarity


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rarity.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="sentences"):
        WordRarity.load(file)
