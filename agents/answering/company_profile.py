"""The asker's company, as far as the caller knows it, as search hints and as lines of a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from schemas.chat import CompanyProfile, Scalar, UserContext
from utils.knowledge.case import case_of
from utils.knowledge.ranges import Range
from utils.knowledge.units import Slot
from utils.routing.search_hints import SearchHint

_IDENTIFYING = {"company_name", "business_number"}
_USER_TYPES = {"prospective": "예비 창업자", "startup_ceo": "창업 기업 대표", "sme_owner": "중소기업 대표"}


def with_stated_headcount(
    context: UserContext | None, question: str, earlier: Sequence[str] = ()
) -> UserContext | None:
    """The profile with the headcount that the question, or else what was said ``earlier``, names, unless the caller knows it."""
    company = (context.company if context else None) or CompanyProfile()
    if company.employee_count is not None:
        return context
    headcount = case_of((*earlier, question)).get(Slot.HEADCOUNT)
    count = _whole(headcount) if isinstance(headcount, Range) else None
    if count is None:
        return context
    return (context or UserContext()).model_copy(
        update={"company": company.model_copy(update={"employee_count": count})}
    )


def _whole(stated: Range) -> int | None:
    """The number of a span that is nearest to the limit said: 4 of 5인 미만, 30 of 30명 넘는; None where it has two limits."""
    if stated.exact is None and None not in (stated.low, stated.high):
        return None
    if stated.high is not None:
        return max(ceil(stated.high) - 1 if stated.open_high else int(stated.high), 0)
    return None if stated.low is None else ceil(stated.low)


def search_hint(context: UserContext | None, hints: Sequence[SearchHint]) -> str | None:
    """Return words that make a search fit the company, by the hints of a domain; None when nothing known matters there."""
    company = context.company if context else None
    if company is None:
        return None
    known = company.model_dump(exclude_none=True)
    return " ".join(words for hint in hints if (words := hint.words_for(known))) or None


def facts(context: UserContext | None) -> dict[str, Scalar]:
    """Return what is known of the asker, by field name; names and numbers that identify stay out."""
    if context is None:
        return {}
    known = context.company.model_dump(exclude_none=True, exclude=_IDENTIFYING) if context.company else {}
    return {**known, **({"user_type": context.user_type} if context.user_type else {})}


def describe(context: UserContext | None) -> str:
    """The profile as Korean lines, empty when nothing is known. Names and numbers that identify stay out."""
    if context is None:
        return ""
    company = context.company
    lines = [("구분", _USER_TYPES.get(context.user_type or ""))]
    if company is not None:
        lines += [
            ("업종", company.industry_name),
            ("상시 근로자 수", f"{company.employee_count}명" if company.employee_count is not None else None),
            ("업력", f"{company.years_in_business:g}년" if company.years_in_business is not None else None),
            ("지역", company.region),
            ("연 매출", f"{company.annual_revenue:,}원" if company.annual_revenue is not None else None),
        ]
    return "\n".join(f"{name}: {value}" for name, value in lines if value)
