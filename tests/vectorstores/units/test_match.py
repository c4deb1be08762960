"""Only the units of likely documents are looked at closely; of these the match says what it would say beside all others."""

from __future__ import annotations

import numpy as np

from vectorstores.units.match import Context, UnitMatch, match_units
from vectorstores.units.search import UnitSearcher

ALL = 100


def matched(searcher: UnitSearcher, question: str, most_documents: int, *documents: str) -> UnitMatch:
    context = Context(("hr_labor",), documents)
    return match_units(searcher.catalogue, [searcher.asked(question)], context, most_documents)[0]


def documents_of(match: UnitMatch) -> set[str]:
    return {match.catalogue.units[number].stored.document_id for number in match.numbers.tolist()}


def test_the_units_of_the_likeliest_document_are_looked_at_all_of_them(searcher: UnitSearcher) -> None:
    match = matched(searcher, "주휴수당은 주 몇 시간부터 줘요?", 1)
    assert documents_of(match) == {"HR_TIME_003"}
    assert match.numbers.tolist() == match.catalogue.of_document("HR_TIME_003").tolist()


def test_the_units_of_a_document_that_was_found_are_looked_at_whatever_words_they_have(searcher: UnitSearcher) -> None:
    assert "FT_VAT_010" in documents_of(matched(searcher, "주휴수당은 주 몇 시간부터 줘요?", 1, "FT_VAT_010"))


def test_a_unit_that_is_looked_at_stands_to_the_question_as_beside_all_others(searcher: UnitSearcher) -> None:
    question = "알바 계약서 안 쓰면 벌금 얼마예요?"
    few, everything = matched(searcher, question, 1), matched(searcher, question, ALL)
    assert 0 < len(few.numbers) < len(everything.numbers) == len(everything.catalogue.units)
    np.testing.assert_allclose(few.order_features, everything.order_features[few.numbers], rtol=1e-5)
    number = int(few.numbers[0])
    np.testing.assert_allclose(few.nearness(number), everything.nearness(number), rtol=1e-5)


def test_a_unit_that_was_not_looked_at_is_never_found(searcher: UnitSearcher) -> None:
    ranked = searcher.ranked([searcher.asked("주휴수당은 주 몇 시간부터 줘요?")], Context(("hr_labor",), ()))[0]
    assert set(ranked.order.tolist()) == set(ranked.match.numbers.tolist())
    assert np.isneginf(np.delete(ranked.scores, ranked.order)).all()
