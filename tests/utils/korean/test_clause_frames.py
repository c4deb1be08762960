"""Things that a question names to say that it is not about them."""

from __future__ import annotations

import pytest

from utils.korean.asks import OTHER_PART, AskReader
from utils.korean.clause_frames import denied_spans
from vectorstores.tokenizer import KiwiTokenizer


@pytest.mark.parametrize(
    ("question", "denied"),
    [
        ("한 달 쉬어야 한다는데 월급 줘야 해요? 산재는 아니에요", ["산재"]),
        ("해고는 아니고 권고사직인데 실업급여 되나요", ["해고"]),
        ("퇴직금이 아니라 위로금을 주면 세금은요?", ["퇴직금"]),
        ("소주 말고 맥주만 팔아도 되나요?", ["소주"]),
        ("회사 일로 다친 건 아니고 혼자 넘어졌어요. 병가를 줘야 하나요?", ["회사 일로 다친 건"]),
        ("직원 그냥 내보내도 부당해고 아니죠?", []),  # asks whether it is
        ("이건 불법 아니에요?", []),
        ("걱정 말고 기다리면 환급되나요?", ["걱정"]),
        ("연차는 언제 주나요?", []),
    ],
)
def test_what_is_denied(tokenizer: KiwiTokenizer, question: str, denied: list[str]) -> None:
    spans = denied_spans(tokenizer.morphemes(question))
    assert [question[start:end] for start, end in spans] == denied


def test_a_denied_term_counts_as_little_as_what_another_part_asks(tokenizer: KiwiTokenizer) -> None:
    (part,) = AskReader(tokenizer).read("상표 말고 특허를 내려면 얼마 드나요?")
    weights = dict(zip(part.terms, part.weights, strict=True))
    assert weights["상표"] == OTHER_PART
    assert weights["특허"] == 1.0
    assert part.denied == ("상표",)


def test_a_term_that_is_told_elsewhere_counts_as_before(tokenizer: KiwiTokenizer) -> None:
    (part,) = AskReader(tokenizer).read("법인은 아니에요. 법인으로 바꾸면 세금이 얼마나 줄어드나요?")
    assert dict(zip(part.terms, part.weights, strict=True))["법인"] > OTHER_PART
