"""Words, figures and sanctions that are asked for, and whether sentences have them."""

from __future__ import annotations

import pytest

from utils.grounding.answer_judge import FEATURES, Treatment
from utils.grounding.ask_fit import AskFit, CitedDocument
from utils.korean.coverage import QuestionTerm
from utils.korean.word_rarity import WordRarity

FIT = AskFit(WordRarity.load())
DEADLINE = "퇴직금은 퇴직일부터 14일 이내에 지급해야 합니다."
RULE = "퇴직금은 1년 넘게 일한 직원에게 지급합니다."
FINE = "퇴직금을 주지 않으면 3년 이하의 징역 또는 3천만원 이하의 벌금에 처합니다."


@pytest.mark.parametrize(
    ("ask", "sentences", "missing"),
    [
        ("퇴직금은 언제까지 줘야 하나요?", [DEADLINE], 0),
        ("퇴직금은 언제까지 줘야 하나요?", ["퇴직금은 직원에게 지급합니다."], 1),
        ("퇴직금은 얼마예요?", [DEADLINE], 1),
        ("퇴직금은 얼마예요?", [FINE], 1),  # a fine is no sum to be paid
        ("퇴직금 안 주면 어떻게 되나요?", [RULE], 1),
        ("퇴직금 안 주면 어떻게 되나요?", [RULE, FINE], 0),
        ("퇴직금이 뭔가요?", [RULE], 0),
    ],
)
def test_the_kind_of_answer_that_is_asked_for_is_missed(ask: str, sentences: list[str], missing: float) -> None:
    assert FIT.by_words(ask, sentences)[1] == missing


def test_rare_words_that_nobody_says_are_missing_most() -> None:
    said = ["퇴직금은 14일 이내에 지급합니다."]
    shares = [FIT.by_words(ask, said)[0] for ask in ("퇴직금 지급", "퇴직금 지급 주휴수당", "주휴수당")]
    assert shares[0] < shares[1] < shares[2]
    assert FIT.by_words("퇴직금", said)[0] == 0
    assert FIT.by_words("", [])[0] == 0


def test_of_the_documents_cited_the_one_that_fits_best_counts() -> None:
    ask, asked = "퇴직금 지급 기한", [QuestionTerm("퇴직금"), QuestionTerm("기한")]
    fitting, other = CitedDocument(0.9, {"퇴직금", "기한"}), CitedDocument(0.2, {"연차"})
    alone, both = (FIT.of_documents(ask, asked, cited, [DEADLINE]) for cited in ([fitting], [other, fitting]))
    assert alone == both
    values = dict(zip(FEATURES[Treatment.TEXT], alone.values, strict=True))
    assert (values["relevance"], values["title"], values["kind_missing"]) == (0.9, 1.0, 0.0)
    assert FIT.of_documents(ask, asked, [], []).values[:2] == (0, 0)
