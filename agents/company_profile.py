"""What the caller knows of the asker's company, as search hints and as lines of a prompt."""

from __future__ import annotations

from schemas.chat import Scalar, UserContext

_SMALL_WORKPLACE = 5  # 근로기준법 제11조: much of the act applies from five workers on
_IDENTIFYING = {"company_name", "business_number"}
_USER_TYPES = {"prospective": "예비 창업자", "startup_ceo": "창업 기업 대표", "sme_owner": "중소기업 대표"}


def search_hint(context: UserContext | None, domain: str) -> str | None:
    """Words that make a search fit the company, for one domain; None when nothing known matters there."""
    company = context.company if context else None
    if company is None:
        return None
    words: list[str] = []
    if domain == "hr_labor" and company.employee_count is not None and company.employee_count < _SMALL_WORKPLACE:
        words.append("상시 근로자 5명 미만 사업장 적용 범위")
    if domain == "startup_funding":
        words += [word for word in (company.region, company.industry_name) if word]
    return " ".join(words) or None


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
