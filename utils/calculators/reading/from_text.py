"""The sum that a question asks for, computed from its own figures; or the figures that are still to be told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from pydantic import ValidationError

from schemas.calculations import Calculation
from utils.calculators.reading.figures import QuestionFigures
from utils.calculators.reading.readers import READERS
from utils.calculators.reading.topics import TOPICS
from utils.calculators.registry import CALCULATORS
from utils.calculators.result import CalculationRefused

_ASKS_AMOUNT = re.compile(
    r"얼마(?! ?(?:부터|이상|이하|미만|만에|동안|나 ?걸|나 ?자주|나 ?오래))|며칠|몇 ?(?:일|개|원|퍼센트|프로|명|만)|계산해|계산 ?(?:좀|부탁)"
)
_ASKS_SUM = re.compile("얼마|계산")  # and no percentage or count
_OTHER_MATTERS = re.compile(
    r"언제|기한(?! ?후|[이을]? ?[^?!]{0,8}(?:지나|지났|넘))|벌금|과태료|처벌|형사|징역|어디|조건이|소멸|시효|가입 ?안|미가입|세무 ?조사|신고 ?당"
)
# These tell what happened where an amount is asked for (대금을 안 줬는데 이자 얼마), and are the matter itself where none is.
_MATTERS_WITHOUT_AMOUNT = re.compile(r"안 ?주면|안 ?줬|어떻게|방법|절차|서류|왜 ")
_PARTS = re.compile(r"[?!.\n]|고[ ,]|, ")
_HOW_TO = re.compile(r"어떻게 ?(?:계산|구하|산정|되나|돼)")
# A question of words alone ends at what it asks: 월급 230만원 4대보험 회사 부담.
_ENDS_AT_SUM = re.compile(
    r"(?:떼면|부담|부가세|퇴직금|환산 ?보증금|수당|소득세|법인세|(?:원천 ?징수|지급|실수령) ?금액|가산세|계산)\W{0,3}$"
)


@dataclass(frozen=True, slots=True)
class MissingInputs:
    """A sum that is asked for, and what is needed for it; ``fields`` are Korean names. ``is_begun``: some of it is told."""

    calculator: str
    label: str
    fields: tuple[str, ...]
    is_begun: bool = False

    @property
    def sentence(self) -> str:
        """The request to the asker."""
        return f"{self.label} 계산에 필요한 값({', '.join(self.fields)})을 알려 주세요."

    @property
    def is_all_but_told(self) -> bool:
        """Return True if one figure is missing beside others that are told."""
        return self.is_begun and len(self.fields) == 1


def calculate_from_text(key: str, question: str, today: date) -> Calculation | MissingInputs | None:
    """Compute a calculator from the figures of a question; say what is missing; None where it asks for no sum of that kind.

    A question asks for one when it speaks of the calculator's topic and of no other matter (a deadline, a fine, the way to do it),
    and tells a figure or asks for an amount. Refused figures and days without rates count as none: the documents answer then.
    """
    wants_amount = _ASKS_AMOUNT.search(question) is not None
    if not _is_asked(key, question, wants_amount):
        return None
    asked = QuestionFigures(question, today)
    reading = READERS[key](asked)
    if reading.needs_amount and not wants_amount:
        return None
    if reading.missing:
        wants = wants_amount and (key != "minimum_wage" or reading.is_told_in_part)
        label = CALCULATORS[key].label
        is_begun = reading.is_told_in_part and _ASKS_SUM.search(question) is not None
        return MissingInputs(key, label, reading.missing, is_begun) if wants else None
    calculator = CALCULATORS[key]
    try:
        found = calculator.calculate(calculator.inputs.model_validate(reading.told()), today)
    except (CalculationRefused, ValidationError):
        return None
    return found.model_copy(update={"assumptions": [*reading.assumptions, *found.assumptions]})


def _is_of_another_matter(question: str) -> bool:
    """Return True if no part of a question that asks an amount is free of another matter (세금 얼마 떼고 / 어디에 신고해요)."""
    parts = _PARTS.split(question)
    amounts = [part for part in parts if _ASKS_AMOUNT.search(part)]
    return all(_OTHER_MATTERS.search(part) for part in amounts or [question])


def _is_asked(key: str, question: str, wants_amount: bool) -> bool:
    topic = TOPICS[key]
    if not topic.is_of(question) or _is_of_another_matter(question) or _HOW_TO.search(question):
        return False
    if not wants_amount and _MATTERS_WITHOUT_AMOUNT.search(question):
        return False
    return wants_amount or not topic.needs_amount or _ENDS_AT_SUM.search(question) is not None
