"""The small words of a question tell which part of its topic it asks for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from utils.knowledge.units import Aspect
from vectorstores.tokenizer import KiwiTokenizer
from vectorstores.units.aspects import AspectCues, place_of


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("그거 언제까지 내야 해요?", Aspect.DEADLINE),
        ("안 하면 벌금이나 과태료 있나요?", Aspect.SANCTION),
        ("어디에 신고해야 하나요?", Aspect.AGENCY),
        ("서류는 뭘 준비해야 해요?", Aspect.DOCUMENTS),
        ("유효기간이 몇 년이에요?", Aspect.DURATION),
    ],
)
def test_an_aspect_is_read_from_how_is_asked(question: str, aspect: Aspect, tokenizer: KiwiTokenizer) -> None:
    odds = AspectCues.load().read(tokenizer.morphemes(question))
    assert aspect in [list(Aspect)[place] for place in np.argsort(-odds)[:3]], dict(zip(Aspect, odds, strict=True))


def test_what_is_learned_is_read_again_as_it_was_written(tmp_path: Path, tokenizer: KiwiTokenizer) -> None:
    phrasings = [
        (tokenizer.morphemes(text), aspect, f"D{number}")
        for number in range(12)
        for text, aspect in ((f"{number}번은 언제예요", Aspect.DEADLINE), (f"{number}번은 얼마예요", Aspect.AMOUNT))
    ]
    learned = AspectCues.learn(phrasings)
    (path := tmp_path / "aspects.json").write_text(learned.as_json(), encoding="utf-8")
    read = AspectCues.load(path).read(tokenizer.morphemes("그건 언제예요"))
    assert read[place_of(Aspect.DEADLINE)] > 1 > 0 > read[place_of(Aspect.AMOUNT)]


def test_a_file_of_other_aspects_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "aspects.json").write_text('{"aspects": ["deadline"], "cues": {}}', encoding="utf-8")
    with pytest.raises(ValueError, match="other aspects"):
        AspectCues.load(path)
