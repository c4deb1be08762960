"""A reader for every calculator, whose inputs are that calculator's."""

from __future__ import annotations

import pytest

from tests.support.calculations import TODAY
from utils.calculators.reading.figures import QuestionFigures
from utils.calculators.reading.readers import READERS
from utils.calculators.registry import CALCULATORS


def test_every_calculator_has_a_reader() -> None:
    assert set(READERS) == set(CALCULATORS)


@pytest.mark.parametrize("key", READERS)
def test_a_reader_fills_only_fields_that_there_are(key: str) -> None:
    for question in ("", "간이과세 매출 5천만원", "부가세 포함 공급가액 11만원", "월급 250만원 3년", "지연전송"):
        reading = READERS[key](QuestionFigures(question, TODAY))
        assert set(reading.inputs) <= set(CALCULATORS[key].inputs.model_fields)
        assert set(reading.told()) <= set(reading.inputs)
        assert None not in reading.told().values()


def test_what_is_missing_has_a_korean_name() -> None:
    for key, read in READERS.items():
        assert read(QuestionFigures("", TODAY)).missing, key
