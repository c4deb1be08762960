"""Question terms and what covers them."""

from __future__ import annotations

from utils.korean.coverage import QuestionReader, QuestionTerm, coverage
from vectorstores.tokenizer import KiwiTokenizer


def test_another_wording_counts_nearly_as_much_as_the_term(tokenizer: KiwiTokenizer) -> None:
    reader = QuestionReader(tokenizer, lambda phrase, _: ["부가가치세"] if "부가세" in phrase else [])
    question = reader.read("부가세를 언제 신고하나요?")
    assert [term.term for term in question] == ["부가세", "신고"]
    same = coverage(question, frozenset(tokenizer.terms("부가세를 신고합니다.")))
    other = coverage(question, frozenset(tokenizer.terms("부가가치세를 신고합니다.")))
    assert same == 1.0
    assert 0.9 < other < same


def test_weights_decide_how_much_is_covered() -> None:
    question = (QuestionTerm("해고", weight=3.0), QuestionTerm("회사", weight=1.0))
    assert coverage(question, {"해고"}) == 0.75
    assert coverage(question, set()) == 0.0
    assert coverage((), {"해고"}) == 0.0
