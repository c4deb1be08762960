"""Answer units: a document cut for answering, each piece with the aspect it answers, its conditions, phrasings and sentences.

The written form, one Markdown file a document, is read by `utils.knowledge.unit_parser`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Self

from utils.figures.numerals import plain

CALCULATORS = frozenset(
    {
        "weekly_holiday_pay",
        "overtime_pay",
        "minimum_wage",
        "annual_leave",
        "severance_pay",
        "dismissal_notice_pay",
        "social_insurance",
        "freelancer_withholding",
        "vat",
        "tax_invoice_penalty",
        "filing_penalty",
        "income_tax",
        "corporate_tax",
        "entertainment_limit",
        "deemed_interest",
        "depreciation",
        "lease_deposit",
        "rent_conversion",
        "late_interest",
        "headcount",
        "unused_leave_pay",
        "wage_cut_limit",
        "shutdown_pay",
        "day_labour_withholding",
        "card_sales_credit",
        "unregistered_penalty",
        "cash_receipt_penalty",
        "executive_severance_limit",
        "incorporation_tax",
        "deposit_cancellation",
        "delay_damages",
        "brokerage_fee",
        "suit_stamp",
        "monthly_pay",
        "membership_refund",
        "loan_payment",
        "guarantee_fee",
    }
)
"""The keys that ``계산`` may name."""


class _Labelled(StrEnum):
    """A fixed choice that documents write in Korean (``label``)."""

    label: str

    def __new__(cls, value: str, label: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label
        return member

    @classmethod
    def labels(cls) -> tuple[str, ...]:
        """The labels in the order of definition."""
        return tuple(member.label for member in cls)

    @classmethod
    def of_label(cls, label: str) -> Self:
        """The member with a label; raises ValueError for any other."""
        for member in cls:
            if member.label == label:
                return member
        raise ValueError(label)


class Aspect(_Labelled):
    """The part of its topic that a unit answers."""

    DEFINITION = "definition", "정의"
    ELIGIBILITY = "eligibility", "대상"
    SCOPE = "scope", "범위"
    CONTENT = "content", "내용"
    AMOUNT = "amount", "금액"
    RATE = "rate", "비율"
    FORMULA = "formula", "계산"
    DEADLINE = "deadline", "기한"
    DURATION = "duration", "기간"
    PROCEDURE = "procedure", "절차"
    DOCUMENTS = "documents", "서류"
    AGENCY = "agency", "기관"
    COST = "cost", "비용"
    PERMISSION = "permission", "가부"
    SANCTION = "sanction", "제재"
    EXEMPTION = "exemption", "면제"
    EXCEPTION = "exception", "예외"
    REMEDY = "remedy", "구제"
    CONSEQUENCE = "consequence", "결과"
    COMPARISON = "comparison", "비교"
    TIMING = "timing", "시기"


class Role(_Labelled):
    """The part that a sentence plays in an answer."""

    CONCLUSION = "conclusion", "결론"
    RULE = "rule", "규칙"
    CONDITION = "condition", "조건"
    EXCEPTION = "exception", "예외"
    PROCEDURE = "procedure", "절차"
    DEADLINE = "deadline", "기한"
    SANCTION = "sanction", "제재"
    EXAMPLE = "example", "예시"


class Operator(StrEnum):
    """A comparison of a slot with a value."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


class SlotKind(StrEnum):
    """The values a slot takes: a number, an amount of won, one of fixed choices, or any name."""

    NUMBER = "number"
    WON = "won"
    CHOICE = "choice"
    NAME = "name"


class Slot(_Labelled):
    """A fact of a case that conditions are about."""

    HEADCOUNT = "headcount", "상시근로자"
    BUSINESS = "business", "사업자"
    TAXPAYER = "taxpayer", "과세유형"
    SALES = "sales", "연매출"
    BUSINESS_AGE = "business_age", "업력"
    AGE = "age", "나이"
    REGION = "region", "지역"
    INDUSTRY = "industry", "업종"
    PROGRAMME = "programme", "지원사업"
    STAGE = "stage", "단계"
    CONTRACT = "contract", "계약형태"
    WEEKLY_HOURS = "weekly_hours", "주근로시간"
    MONTHS_OF_SERVICE = "months_of_service", "근속개월"
    PAY = "pay", "급여형태"
    TRADE = "trade", "거래"
    LEASED = "leased", "임차물"
    DEPOSIT = "deposit", "보증금"
    FOREIGN = "foreign", "외국인"
    FAMILY = "family", "가족"

    @property
    def choices(self) -> tuple[str, ...]:
        """The values it may have; empty where any will do."""
        return _CHOICES.get(self, ())

    @property
    def kind(self) -> SlotKind:
        if self in _CHOICES:
            return SlotKind.CHOICE
        if self in (Slot.SALES, Slot.DEPOSIT):
            return SlotKind.WON
        return SlotKind.NAME if self in (Slot.REGION, Slot.INDUSTRY, Slot.PROGRAMME) else SlotKind.NUMBER


_YES_NO = ("예", "아니오")
_CHOICES = {
    Slot.BUSINESS: ("개인", "법인"),
    Slot.TAXPAYER: ("일반", "간이", "면세"),
    Slot.STAGE: ("예비창업", "창업", "폐업"),
    Slot.CONTRACT: ("정규직", "기간제", "단시간", "일용", "프리랜서", "수습", "파견"),
    Slot.PAY: ("시급", "일급", "월급"),
    Slot.TRADE: ("국내", "수출", "수입"),
    Slot.LEASED: ("상가", "주택"),
    Slot.FOREIGN: _YES_NO,
    Slot.FAMILY: _YES_NO,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition under which a unit holds. Of several ``values`` ``=`` means any and ``!=`` none; other operators have one."""

    slot: Slot
    operator: Operator
    values: tuple[str, ...] | tuple[Decimal, ...]

    def __str__(self) -> str:
        written = " | ".join(value if isinstance(value, str) else plain(value) for value in self.values)
        return f"{self.slot.label} {self.operator} {written}"


@dataclass(frozen=True, slots=True)
class Ask:
    """A phrasing of the question, as an owner would type it; searched, never quoted.

    ``verdict`` is what a question of yes or no is to be answered with; None where it is no such question.
    """

    text: str
    verdict: bool | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class UnitSentence:
    """A sentence of the answer and its part in it."""

    role: Role
    text: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AnswerUnit:
    """The answer to one aspect of a document's topic, its sentences in the order in which they are to be said.

    ``valid_from`` and ``valid_until`` are the first and the last day on which its figures hold (None: not bounded),
    ``review_by`` is the day on which somebody must have looked again. ``line`` is that of its heading in the file.
    """

    name: str
    aspect: Aspect
    asks: tuple[Ask, ...]
    sentences: tuple[UnitSentence, ...]
    conditions: tuple[Condition, ...] = ()
    valid_from: date | None = None
    valid_until: date | None = None
    review_by: date | None = None
    calculator: str | None = None
    line: int = field(default=0, compare=False)

    def has_expired(self, day: date) -> bool:
        """Return True if its figures no longer hold on ``day``."""
        return self.valid_until is not None and self.valid_until < day

    def is_ahead(self, day: date) -> bool:
        """Return True if its figures do not hold yet on ``day``."""
        return self.valid_from is not None and day < self.valid_from

    def is_due(self, day: date) -> bool:
        """Return True if the day of its review lies before ``day``."""
        return self.review_by is not None and self.review_by < day


@dataclass(frozen=True, slots=True)
class UnitDocument:
    """A document in the unit form. ``metadata`` holds the further keys of its head, ``topic`` among them."""

    id: str
    type: str
    title: str
    source_name: str
    source_url: str
    collected_at: date
    effective_date: date
    metadata: dict[str, str]
    units: tuple[AnswerUnit, ...]

    @property
    def content(self) -> str:
        """The sentences of all units in order, one a line."""
        return "\n".join(sentence.text for unit in self.units for sentence in unit.sentences)
