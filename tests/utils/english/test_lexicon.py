"""The English words of owners."""

from __future__ import annotations

from pathlib import Path

import pytest

from utils.english.lexicon import ENGLISH_WORDS, Frame, Noun, load_lexicon, stem


@pytest.mark.parametrize(
    "forms",
    [
        ("employee", "employees", "employee's"),
        ("fire", "fired", "firing"),
        ("company", "companies"),
        ("invoice", "invoices", "invoicing"),
        ("business", "businesses"),
        ("cancel", "cancelled", "canceled"),
        ("tax", "taxes"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


def test_a_phrase_of_two_meanings_is_refused(tmp_path: Path) -> None:
    twice = ENGLISH_WORDS.read_text(encoding="utf-8").replace("[verbs]", '"두 뜻" = ["severance pay"]\n\n[verbs]')
    file = tmp_path / "english.toml"
    file.write_text(twice, encoding="utf-8")
    with pytest.raises(ValueError, match="severance pay stands for"):
        load_lexicon(file)


def test_words_between_do_not_part_a_phrase() -> None:
    lexicon = load_lexicon()
    words = lexicon.words("closed my business")
    assert lexicon.items.at(words, 0) == (Noun("폐업"), 2)
    assert lexicon.items.at(lexicon.words("do I have to"), 0) == (Frame.MUST, 4)
    assert lexicon.items.at(lexicon.words("zebra"), 0) is None
