"""The sum that a question asks for, computed from its own figures; or the figures that are still to be told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from pydantic import ValidationError

from schemas.calculations import Calculation
from utils.calculators.question_figures import QuestionFigures
from utils.calculators.readers import READERS
from utils.calculators.registry import CALCULATORS
from utils.calculators.result import CalculationRefused

# What a question must speak of for a calculator to be meant, and what it speaks of when another is.
_TOPICS: Mapping[str, tuple[str, str | None]] = MappingProxyType(
    {
        "weekly_holiday_pay": ("주휴", None),
        "overtime_pay": (
            "(?:연장|야간|휴일|야근|잔업|초과|주말|특근).{0,40}(?:수당|임금|얼마)|(?:수당|임금).{0,40}(?:연장|야간|휴일|야근|잔업)",
            "주휴",
        ),
        "minimum_wage": ("최저 ?(?:임금|시급|월급)", None),
        "annual_leave": ("연차", "수당"),
        "severance_pay": ("퇴직금", "지연이자|퇴직소득세|중간 ?정산"),
        "dismissal_notice_pay": ("해고 ?예고 ?수당|예고 ?수당", None),
        "social_insurance": ("4대 ?보험|사대 ?보험|(?:국민연금|건강보험|고용보험).{0,30}(?:얼마|부담|떼)", None),
        "freelancer_withholding": ("3[.]3|8[.]8|원천 ?징수|원천세|프리랜서|기타소득", "종소세|종합소득세|4대"),
        "vat": ("부가세|부가가치세|공급가액", "가산세"),
        "tax_invoice_penalty": ("계산서.{0,60}가산세|가산세.{0,60}계산서", None),
        "filing_penalty": ("가산세", "계산서|지급명세서|현금영수증|등록"),
        "income_tax": ("종소세|종합소득세|소득세", "법인|양도|원천|퇴직소득|3[.]3|지방소득세만|가산세|중간예납"),
        "corporate_tax": ("법인세", "가산세|중간예납"),
        "entertainment_limit": ("접대비|업무추진비", "가산세|증빙"),
        "deemed_interest": ("인정이자|가지급금", None),
        "depreciation": ("감가상각|상각비", None),
        "lease_deposit": ("환산 ?보증금|(?:월세|임대료|차임).{0,60}(?:올리|올려|올릴|인상)", "전환율"),
        "rent_conversion": ("월세로|전환율|(?:전세|보증금).{0,30}월세.{0,10}(?:전환|바꾸)", "환산"),
        "late_interest": ("지연 ?이자|지연 ?손해금|연체 ?이자", None),
        "headcount": ("상시 ?근로자|연인원", "가산|수당|연차|해고"),
    }
)
_ASKS_AMOUNT = re.compile(r"얼마|며칠|몇 ?(?:일|개|원|퍼센트|명)|계산해|계산 ?(?:좀|부탁)")
_OTHER_MATTERS = re.compile(
    r"언제|기한|벌금|과태료|처벌|형사|징역|안 ?주면|안 ?줬|어떻게|어디|방법|절차|서류|조건이|소멸|시효|가입 ?안|미가입|왜 "
)
# Whoever tells sales or pay and asks whether something must be done wants no sum; of the others the sum is the answer.
_WHETHER = re.compile(r"야 ?(?:하|되|돼|해|될|할)|되나|될까|되죠|가능|있나|있을까|대상|필요")
_NOT_WHETHER = frozenset({"vat", "income_tax", "corporate_tax", "social_insurance", "freelancer_withholding"})


@dataclass(frozen=True, slots=True)
class MissingInputs:
    """A sum that is asked for, and what is needed for it; ``fields`` are Korean names."""

    calculator: str
    label: str
    fields: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The request to the asker."""
        return f"{self.label} 계산에 필요한 값({', '.join(self.fields)})을 알려 주세요."


def calculate_from_text(key: str, question: str, today: date) -> Calculation | MissingInputs | None:
    """Compute a calculator from the figures of a question; say what is missing; None where it asks for no sum of that kind.

    A question asks for one when it speaks of the calculator's topic and of no other matter (a deadline, a fine, the way to do it),
    and tells a figure or asks for an amount. Refused figures and days without rates count as none: the documents answer then.
    """
    topic, another = _TOPICS[key]
    if not re.search(topic, question) or (another is not None and re.search(another, question)):
        return None
    if _OTHER_MATTERS.search(question):
        return None
    wants_amount = _ASKS_AMOUNT.search(question) is not None
    if key in _NOT_WHETHER and not wants_amount and _WHETHER.search(question):
        return None
    asked = QuestionFigures(question)
    reading = READERS[key](asked)
    told = {name for name in reading.needed if reading.inputs.get(name) is not None}
    if reading.missing:
        wants = wants_amount and (key != "minimum_wage" or bool(told))
        return MissingInputs(key, CALCULATORS[key].label, reading.missing) if wants else None
    calculator = CALCULATORS[key]
    try:
        found = calculator.calculate(calculator.inputs.model_validate(reading.told()), today)
    except (CalculationRefused, ValidationError):
        return None
    return found.model_copy(update={"assumptions": [*reading.assumptions, *found.assumptions]})
