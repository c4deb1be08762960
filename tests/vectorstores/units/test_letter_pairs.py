import numpy as np

from vectorstores.units.letter_pairs import LetterPairs


def test_marks_and_blanks_count_for_nothing() -> None:
    pairs = LetterPairs(["", "부가세 신고, 언제?", "부가세신고언제", "퇴직금_지급"])
    found = pairs.overlap("부가세 신고 언제")
    assert found.dice.tolist() == [0.0, 1.0, 1.0, 0.0]
    assert np.allclose(found.share(np.arange(4)), [0.0, 1.0, 1.0, 0.0])
    assert pairs.overlap("퇴직금 지급").dice.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_base_without_phrasings_has_no_likeness() -> None:
    found = LetterPairs([]).overlap("부가세")
    assert found.dice.tolist() == found.share(np.arange(0)).tolist() == []
