"""Fields of a document that a question and its asker's profile already tell, by the names of the document's template."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType

from pydantic import ValidationError

from agents.state import RouterState
from schemas.chat import Scalar, UserContext
from utils.calculators.reading.figures import QuestionFigures
from utils.knowledge.case import Case, case_of
from utils.knowledge.ranges import Range
from utils.knowledge.units import Slot
from utils.paperwork.templates.field_types import FieldsModel, fields_model
from utils.paperwork.templates.template import shipped_templates
from utils.routing.follow_up import told_by_user

_FULL_WEEK = 40
_MINOR_AGE = 18
_BUILDING = re.compile(r"건설|공사\s?(?:현장|일)|일용직\s?현장|목수|미장|철근")


@dataclass(frozen=True, slots=True)
class Told:
    """Texts of the user about this matter, the earliest first, and the profile."""

    texts: tuple[str, ...] = ()
    profile: UserContext | None = None


@dataclass(frozen=True, slots=True)
class _Facts:
    case: Case
    figures: QuestionFigures
    profile: UserContext | None

    @property
    def text(self) -> str:
        return self.figures.text

    def whole(self, slot: Slot) -> int | None:
        """Return an exact number that is told as a whole one; a span such as 5명 미만 names none."""
        known = self.case.get(slot)
        exact = known.exact if isinstance(known, Range) else None
        return int(exact) if exact is not None and exact == int(exact) else None

    def company(self, name: str) -> Scalar | None:
        company = self.profile.company if self.profile is not None else None
        found: Scalar | None = getattr(company, name) if company is not None else None
        return found


def prefilled(key: str, told: Told, today: date) -> dict[str, Scalar]:
    """Return the fields that are known, each valid on its own; empty for a type that there is not.

    Nothing is guessed: a headcount under five is no number, and wages whose time is not told are left out.
    """
    template = shipped_templates().get(key)
    read = _READERS.get(key, _of_company)
    if template is None:
        return {}
    joined = "\n".join(told.texts)
    facts = _Facts(case_of(told.texts, told.profile), QuestionFigures(joined, today), told.profile)
    names = {field.name for field in template.fields}
    found = {name: value for name, value in read(facts).items() if value is not None and name in names}
    return {name: _tidy(value) for name, value in found.items() if _is_valid(key, name, value)}


@cache
def _partial_model(key: str) -> type[FieldsModel]:
    template = shipped_templates()[key]
    return fields_model(f"{key}_prefilled", template.fields, may_be_partial=True)


def _is_valid(key: str, name: str, value: Scalar) -> bool:
    try:
        _partial_model(key).model_validate({name: value})
    except ValidationError:
        return False
    return True


def _tidy(value: Scalar) -> Scalar:
    """20 hours as a client would write them, not 20.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_COMPANY_FIELDS = ("employer_name", "company_name", "client_name", "discloser_name", "sender_name")


def _of_company(facts: _Facts) -> dict[str, Scalar | None]:
    """The company's name under each name that templates have for the asker's side, and what else the profile tells."""
    return {
        **dict.fromkeys(_COMPANY_FIELDS, facts.company("company_name")),
        "region": facts.company("region"),
        "industry": facts.company("industry_name"),
        "headcount": facts.whole(Slot.HEADCOUNT) or None,
    }


def _letter_of_intent(facts: _Facts) -> dict[str, Scalar | None]:
    return {"company_name": facts.company("company_name")}


def _employment(facts: _Facts) -> dict[str, Scalar | None]:
    figures, pay = facts.figures, facts.figures.pay
    wages = [
        (kind, amount)
        for kind, amount in (("hourly", pay.hourly), ("daily", pay.daily), ("monthly", pay.a_month()))
        if amount
    ]
    kind, amount = wages[0] if wages else (None, None)
    weekly = figures.hours_a_week()
    if weekly is None and (known := facts.whole(Slot.WEEKLY_HOURS)) is not None:
        weekly = known
    return {
        **_of_company(facts),
        "kind": _kind(facts, weekly),
        "wage_type": kind,
        "wage": amount,
        "weekly_hours": weekly,
        "daily_hours": figures.hours_a_day(),
        "work_days_per_week": figures.days_a_week(),
    }


def _kind(facts: _Facts, weekly_hours: float | None) -> str | None:
    """Return the kind of contract that is told; None where the asker has yet to choose."""
    age = facts.case.get(Slot.AGE)
    if isinstance(age, Range) and age.high is not None and age.high <= _MINOR_AGE:
        is_minor = age.high < _MINOR_AGE or age.open_high
        return "minor" if is_minor else None  # pupils of 18 are among those of whom 고등학생 is said
    known = facts.case.get(Slot.CONTRACT)
    contracts = known if isinstance(known, frozenset) else frozenset()
    if "일용" in contracts:
        return "daily_construction" if _BUILDING.search(facts.text) else None
    if "기간제" in contracts:
        return "fixed_term"
    if "단시간" in contracts:
        return "part_time" if weekly_hours is None or weekly_hours < _FULL_WEEK else None
    return "open_ended" if "정규직" in contracts else None


def _wage_statement(facts: _Facts) -> dict[str, Scalar | None]:
    pay, figures = facts.figures.pay, facts.figures
    return {
        **_of_company(facts),
        "base_pay": pay.a_month(),
        "hourly_ordinary_wage": pay.hourly,
        "overtime_hours": figures.hours_of("연장근로|연장|초과근로|야근"),
        "holiday_hours": figures.hours_of("휴일근로|휴일근무"),
    }


def _dismissal(facts: _Facts) -> dict[str, Scalar | None]:
    return {**_of_company(facts), "daily_ordinary_wage": facts.figures.pay.daily}


_READERS: Mapping[str, Callable[[_Facts], Mapping[str, Scalar | None]]] = MappingProxyType(
    {
        "dismissal_notice": _dismissal,
        "employment_contract": _employment,
        "letter_of_intent": _letter_of_intent,
        "wage_statement": _wage_statement,
    }
)


def told_in(state: RouterState) -> Told:
    """Return the user's texts of this matter and the profile: in a question that follows up, what was said before it too."""
    before = told_by_user(state["history"]) if state["understanding"].follows_up else ()
    return Told((*before, state["query"]), state.get("user_context"))
