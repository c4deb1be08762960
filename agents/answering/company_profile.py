"""What the caller knows of the asker's company, as search hints and as lines of a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.chat import CompanyProfile, Scalar, UserContext
from utils.routing.search_hints import SearchHint

_IDENTIFYING = {"company_name", "business_number"}
_USER_TYPES = {"prospective": "예비 창업자", "startup_ceo": "창업 기업 대표", "sme_owner": "중소기업 대표"}

_NUMERALS = {
    "한": 1, "하나": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
    "열": 10, "열두": 12, "열다섯": 15, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50,
}  # fmt: skip
_COUNT = rf"(?:\d{{1,5}}|{'|'.join(sorted(_NUMERALS, key=len, reverse=True))})"
# 직원 4명인 카페, 상시 근로자가 30명입니다, 알바 둘 쓰는 식당, 세 명 일하는 가게; not the people of 직원 5명을 더 뽑으려고.
_HEADCOUNT = re.compile(
    rf"(?:근로자|직원|종업원|정직원|알바생?|아르바이트)(?:\s?수)?(?:이|은|는|가|만)?\s?(?:총|모두|전부)?\s?"
    rf"(?P<count>{_COUNT})(?:\s?(?:명|인)|(?<=[둘셋넷]))"
    r"(?!\s?(?:을|를)?\s?(?:더|추가|새로|신규|채용|고용하려|뽑|해고|내보|자르|줄|중|미만|이상|이하|초과))"
    rf"|(?<![\d가-힣])(?P<staffed>{_COUNT})\s?(?:명|인)(?:이|이서)?\s?(?:일하는|근무하는|쓰는|있는|되는|넘는|짜리)?\s?"
    r"(?:회사|사업장|가게|식당|매장|카페|편의점|업체)"
)
_NOT_REACHED = re.compile(r"(?:이|도)?\s?안\s?[되돼됩]")  # 직원 5명 안 되는데: fewer


def with_stated_headcount(context: UserContext | None, question: str) -> UserContext | None:
    """The profile with the headcount that the question names, unless the caller knows it."""
    stated = _HEADCOUNT.search(question)
    company = (context.company if context else None) or CompanyProfile()
    if stated is None or company.employee_count is not None:
        return context
    number = stated["count"] or stated["staffed"]
    count = _NUMERALS.get(number) or int(number)
    if _NOT_REACHED.match(question, stated.end()):
        count -= 1
    return (context or UserContext()).model_copy(
        update={"company": company.model_copy(update={"employee_count": count})}
    )


def search_hint(context: UserContext | None, hints: Sequence[SearchHint]) -> str | None:
    """Return words that make a search fit the company, by the hints of a domain; None when nothing known matters there."""
    company = context.company if context else None
    if company is None:
        return None
    known = company.model_dump(exclude_none=True)
    return " ".join(words for hint in hints if (words := hint.words_for(known))) or None


def facts(context: UserContext | None) -> dict[str, Scalar]:
    """What is known, by field name."""
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
