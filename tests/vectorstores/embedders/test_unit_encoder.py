"""The vectors of answer units: taught ones where there are any, those of the embedded encoder elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from utils.korean.question_words import subject_terms
from utils.protocols import AnalyzedText
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.embedders.static_encoder import StaticEncoder, shipped_encoder
from vectorstores.embedders.unit_encoder import UNIT_ENCODER_DIR, UnitEncoder, unit_embedder
from vectorstores.tokenizer import KiwiTokenizer

UNTAUGHT = "법난피해자"


def test_a_term_of_no_unit_keeps_the_vector_that_it_has_everywhere() -> None:
    taught, other = StaticEncoder.open(UNIT_ENCODER_DIR), shipped_encoder()
    assert "해고" in taught
    assert UNTAUGHT not in taught
    found = UnitEncoder(taught, other).vectors(["해고", UNTAUGHT, "2026"])
    assert np.array_equal(found, np.stack([*taught.vectors(["해고"]), *other.vectors([UNTAUGHT, "2026"])]))
    assert not np.allclose(found[0], other.vectors(["해고"])[0])


@pytest.mark.parametrize(
    ("question", "right", "beside"),
    [
        ("카톡으로 나가라고 해도 되나요", "해고를 문자로 알려도 되나요", "해고할 때 며칠 전에 알려야 하나요"),
        (
            "알바 그만뒀는데 월급은 며칠 안에 줘요",
            "퇴사한 직원 급여를 언제까지 줘야 하나요",
            "월급을 밀리면 처벌받나요",
        ),
    ],
)
def test_the_vectors_tell_the_units_of_one_matter_apart(
    tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, question: str, right: str, beside: str
) -> None:
    texts = [AnalyzedText(text, subject_terms(tokenizer.terms(text))) for text in (question, right, beside)]

    def margin(used: KiwiEmbedder) -> float:
        asked, same, other = used.embed(texts)
        return float(asked @ same - asked @ other)

    assert margin(unit_embedder(tokenizer)) > max(margin(embedder), 0.0)
