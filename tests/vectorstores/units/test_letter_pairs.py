import numpy as np

from vectorstores.units.letter_pairs import LetterPairs


def test_marks_and_blanks_count_for_nothing() -> None:
    pairs = LetterPairs(["", "부가세 신고, 언제?", "부가세신고언제", "퇴직금_지급"])
    dice, share = pairs.overlaps("부가세 신고 언제")
    assert dice.tolist() == [0.0, 1.0, 1.0, 0.0]
    assert np.allclose(share, [0.0, 1.0, 1.0, 0.0])
    assert pairs.overlaps("퇴직금 지급")[0].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_base_without_phrasings_has_no_likeness() -> None:
    dice, share = LetterPairs([]).overlaps("부가세")
    assert dice.tolist() == share.tolist() == []
