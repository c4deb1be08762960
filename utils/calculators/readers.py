"""A reader for each calculator: which figures of a question are its inputs, which it lacks, what it takes for granted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from utils.calculators.question_figures import QuestionFigures


@dataclass(frozen=True, slots=True)
class Reading:
    """``inputs`` by name; None where a question does not tell. ``needed`` are those without which nothing can be computed, with
    their Korean names."""

    inputs: Mapping[str, Any]
    needed: Mapping[str, str]
    assumptions: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The Korean names of what is needed and not told."""
        return tuple(label for name, label in self.needed.items() if self.inputs.get(name) is None)

    def told(self) -> dict[str, Any]:
        """The inputs that are told."""
        return {name: value for name, value in self.inputs.items() if value is not None}


_HOURLY = "시급|시간급|시간당|통상임금"
_MONTHLY = "월급여?|급여|임금|보수|월 (?=[0-9])|월(?=[0-9])"
_YEARLY = "연봉|총급여"
_INDUSTRIES = (
    ("음식점업", "음식점|식당|카페|커피|치킨|분식|술집|호프|주점|빵집|베이커리|제과"),
    ("소매업", "소매|쇼핑몰|스마트스토어|편의점|옷가게|옷 가게|슈퍼|마트|문구|꽃집|온라인 ?판매"),
    ("제조업", "제조|공방|공장"),
    ("숙박업", "숙박|민박|펜션|모텔|게스트하우스|에어비앤비"),
    ("건설업", "건설|인테리어|시공"),
    ("부동산임대업", "부동산 ?임대|임대업|상가 ?임대"),
    ("소화물전문운송업", "택배|퀵|배달 ?라이더|배달 ?대행"),
    ("운수창고업", "운수|운송|화물|용달|창고"),
    ("정보통신업", "정보통신|소프트웨어|앱 ?개발|웹 ?개발|유튜브|유튜버"),
    ("전문과학기술서비스업", "디자인|컨설팅|광고|마케팅|번역|전문 ?서비스"),
    ("그밖의서비스업", "미용|네일|헤어|세탁|학원|필라테스|헬스|수리|서비스업"),
)
_REGIONS = (
    ("서울", "서울"),
    ("부산", "부산"),
    ("광역시등", "대구|대전|광주|울산|세종|파주|화성|안산|용인|김포"),
)


def _weekly_holiday(asked: QuestionFigures) -> Reading:
    days, hours = asked.days_a_week(), asked.hours_a_day()
    both = days is not None and hours is not None
    inputs = {
        "hourly_wage": asked.money(_HOURLY, colloquial=False),
        "weekly_hours": None if both else asked.hours_a_week(),
        "days_per_week": days if both else None,
        "hours_per_day": hours if both else None,
    }
    needed = {"hourly_wage": "시급"} | ({} if both else {"weekly_hours": "1주 소정근로시간"})
    return Reading(inputs, needed)


def _overtime(asked: QuestionFigures) -> Reading:
    overtime = asked.hours_of("연장|잔업|초과")
    night = asked.hours_of("야간")
    holiday = asked.hours_of("휴일|주말|공휴일")
    late = asked.hours_of("야근")  # says that it is late, and not how late
    inputs = {
        "hourly_wage": asked.money(_HOURLY, colloquial=False),
        "headcount": asked.heads(),
        "overtime_hours": overtime if overtime is not None else late,
        "night_hours": night,
        "holiday_hours": None if holiday is None else min(holiday, 8.0),
        "long_holiday_hours": None if holiday is None else max(holiday - 8, 0.0),
    }
    told = any(hours is not None for hours in (overtime, night, holiday, late))
    needed = {"hourly_wage": "시급(시간급 통상임금)", "headcount": "상시근로자 수"}
    assumptions = ("야근은 밤 10시 이전의 연장근로로 계산했습니다.",) if late is not None and overtime is None else ()
    return Reading(inputs, needed | ({} if told else {"hours": "연장·야간·휴일근로시간"}), assumptions)


def _minimum_wage(asked: QuestionFigures) -> Reading:
    hourly = asked.money(_HOURLY, colloquial=False)
    weekly = asked.hours_a_week()
    inputs = {
        "hourly_wage": hourly,
        "monthly_pay": asked.money(_MONTHLY) if hourly is None else None,
        "weekly_hours": None if weekly is None else min(weekly, 40.0),
        "probation": True if asked.has("수습") else None,
    }
    needed = {} if hourly is not None else {"monthly_pay": "시급이나 월급"}
    return Reading(inputs, needed, () if weekly is not None else ("주 40시간 일하는 것으로 계산했습니다.",))


def _annual_leave(asked: QuestionFigures) -> Reading:
    weekly = asked.hours_a_week()
    inputs = {
        "months_of_service": asked.months_of_service(),
        "headcount": asked.heads(),
        "weekly_hours": None if weekly is None else min(weekly, 40.0),
    }
    assumptions = () if asked.heads() is not None else ("상시근로자가 5명 이상인 사업장으로 계산했습니다.",)
    return Reading(inputs, {"months_of_service": "근속기간"}, assumptions)


def _severance(asked: QuestionFigures) -> Reading:
    months, pay = asked.months_of_service(), asked.money(_MONTHLY)
    weekly = asked.hours_a_week()
    inputs = {
        "wages_of_3_months": None if pay is None else pay * 3,
        "monthly_ordinary_wage": pay if weekly is None or weekly >= 40 else None,
        "days_of_service": None if months is None else _days(months),
        "weekly_hours": None if weekly is None else min(weekly, 52.0),
    }
    assumptions = ("월급 전액을 통상임금으로 보고 상여금과 연차수당은 없는 것으로 계산했습니다.",)
    return Reading(inputs, {"wages_of_3_months": "월급", "days_of_service": "근속기간"}, assumptions)


def _days(months: int) -> int:
    """Days of a span of months, whole years as 365."""
    return round(months * 365 / 12)


def _notice(asked: QuestionFigures) -> Reading:
    hourly = asked.money(_HOURLY, colloquial=False)
    inputs = {
        "hourly_wage": hourly,
        "hours_per_day": None if (hours := asked.hours_a_day()) is None else min(hours, 8.0),
        "monthly_ordinary_wage": asked.money(_MONTHLY) if hourly is None else None,
        "months_of_service": asked.months_of_service(),
    }
    needed = {"months_of_service": "근속기간"} | (
        {} if hourly is not None else {"monthly_ordinary_wage": "월급이나 시급"}
    )
    assumptions = () if hourly is not None else ("월급 전액을 통상임금으로 보고 주 40시간으로 계산했습니다.",)
    return Reading(inputs, needed, assumptions)


def _headcount(asked: QuestionFigures) -> Reading:
    inputs = {
        "person_days": asked.count("연인원"),
        "working_days": asked.count("가동 ?일수|영업 ?일수|일한 날|문 연 날"),
        "days_below": asked.count("미달(?:한|된) 날|못 미친 날"),
    }
    return Reading(inputs, {"person_days": "1개월 동안의 연인원", "working_days": "가동일수"})


def _insurance(asked: QuestionFigures) -> Reading:
    yearly = asked.money(_YEARLY)
    pay = asked.money(_MONTHLY) or (None if yearly is None else round(yearly / 12))
    return Reading({"monthly_pay": pay}, {"monthly_pay": "월급"}, ("직원 150명 미만 회사로 계산했습니다.",))


def _withholding(asked: QuestionFigures) -> Reading:
    occasional = asked.has("기타소득|8[.]8|강연|강사료|원고료|자문료|일시적")
    inputs = {"payment": asked.only_money(), "kind": "other" if occasional and not asked.has("3[.]3") else "business"}
    return Reading(inputs, {"payment": "지급할 금액"})


def _vat(asked: QuestionFigures) -> Reading:
    if asked.has("공급가액") and asked.has("포함|공급대가"):
        return Reading({"kind": "split", "sales": asked.only_money()}, {"sales": "부가세를 포함한 금액"})
    inputs: dict[str, Any]
    sales = asked.money("연매출|매출액?|공급대가|수입")
    purchases = asked.money("매입액?|매입")
    if not asked.has("간이"):
        inputs = {
            "sales": sales,
            "purchases": purchases,
            "sales_include_tax": True if asked.has("부가세 포함") else None,
        }
        assumptions = () if asked.has("부가세 포함") else ("부가세를 뺀 매출과 매입으로 계산했습니다.",)
        return Reading(inputs, {"sales": "매출"}, assumptions)
    industry = next((name for name, words in _INDUSTRIES if asked.has(words)), None)
    inputs = {"kind": "simplified", "sales": sales, "purchases": purchases, "industry": industry}
    return Reading(inputs, {"sales": "매출", "industry": "업종"}, ("부가세를 포함한 1년 매출로 계산했습니다.",))


def _income_tax(asked: QuestionFigures) -> Reading:
    taxable = asked.money("과세표준|과표")
    salary = asked.money(_YEARLY) if taxable is None else None
    net = None if taxable is not None or salary is not None else asked.money("소득금액|순수익|순이익|소득이|순소득")
    inputs = {"taxable_income": taxable, "salary": salary, "net_income": net}
    told = any(value is not None for value in inputs.values())
    return Reading(inputs, {} if told else {"income": "과세표준이나 소득금액 또는 연봉"})


def _corporate_tax(asked: QuestionFigures) -> Reading:
    taxable = asked.money("과세표준|과표")
    profit = asked.money("순이익|당기순이익|이익|소득|순수익") if taxable is None else None
    assumptions = () if profit is None else ("이익을 그대로 과세표준으로 보았고, 세무조정과 공제는 넣지 않았습니다.",)
    return Reading({"taxable_income": taxable or profit}, {"taxable_income": "과세표준"}, assumptions)


def _entertainment(asked: QuestionFigures) -> Reading:
    inputs = {
        "revenue": asked.money("연매출|매출액?|수입금액"),
        "small_company": False if asked.has("대기업|중견|중소기업이 아닌|중소기업 아닌") else None,
        "spent": asked.money("접대비로|업무추진비로"),
    }
    return Reading(
        inputs, {"revenue": "매출"}, ("중소기업으로 계산했습니다.",) if inputs["small_company"] is None else ()
    )


def _deemed_interest(asked: QuestionFigures) -> Reading:
    amount = asked.money("가지급금|빌려|회사 ?돈") or asked.only_money()
    months = asked.months_of_service()
    inputs = {"amount": amount, "days": None if months is None else _days(months)}
    return Reading(
        inputs, {"amount": "가지급금"}, () if months is not None else ("1년 동안 빌린 것으로 계산했습니다.",)
    )


def _depreciation(asked: QuestionFigures) -> Reading:
    return Reading(
        {"cost": asked.only_money(), "years": asked.count("내용연수")}, {"cost": "취득가액", "years": "내용연수"}
    )


def _lease(asked: QuestionFigures) -> Reading:
    region = next((name for name, words in _REGIONS if asked.has(words)), None)
    inputs = {"deposit": asked.money("보증금"), "monthly_rent": asked.money("월세|임대료|차임"), "region": region}
    if inputs["deposit"] is None and not asked.has("환산"):
        inputs["deposit"] = 0
        return Reading(inputs, {"monthly_rent": "월세"})
    return Reading(inputs, {"deposit": "보증금"})


def _conversion(asked: QuestionFigures) -> Reading:
    inputs = {
        "deposit": asked.money("보증금|전세금?"),
        "base_rate_percent": asked.percent("기준 ?금리"),
        "kind": "house" if asked.has("주택|아파트|빌라|원룸|오피스텔|전세") else "shop",
    }
    return Reading(inputs, {"deposit": "월세로 바꿀 보증금", "base_rate_percent": "한국은행 기준금리"})


def _late_interest(asked: QuestionFigures) -> Reading:
    wages = asked.has("월급|임금|급여|퇴직금")
    suit = asked.has("소송|판결|소장|지급명령")
    lent = asked.has("빌려|빌린|지인|친구|개인 ?간")
    inputs = {
        "principal": asked.only_money() or asked.money(_MONTHLY + "|대금|원금"),
        "days": asked.days(),
        "kind": "wage" if wages else "lawsuit" if suit else "civil" if lent else "commercial",
    }
    return Reading(inputs, {"principal": "밀린 금액", "days": "늦은 일수"})


def _filing_penalty(asked: QuestionFigures) -> Reading:
    under = asked.has("과소|적게 ?신고|덜 ?신고|수정신고")
    only_late = asked.has("납부지연|납부만|늦게 ?(?:냈|납부|내)") and not asked.has("무신고|신고를? ?(?:안|못)")
    inputs = {
        "tax": asked.only_money(),
        "kind": "under_return" if under else "late_payment" if only_late else "no_return",
        "days_late": asked.days(),
    }
    needed = {"tax": "신고하지 않았거나 적게 신고한 세액"} | ({"days_late": "늦은 일수"} if only_late else {})
    return Reading(inputs, needed)


def _invoice_penalty(asked: QuestionFigures) -> Reading:
    faults = (
        ("late_report", "지연 ?전송|늦게 ?전송"),
        ("no_report", "미전송|전송을? ?(?:안|못)"),
        ("fictitious", "가공|가짜|거래 ?없이|허위"),
        ("no_issue", "미발급|미발행|(?:발급|발행)을? ?(?:안|못)|안 ?(?:끊|발급|발행)"),
        ("late_issue", "늦|지연|지나"),
        ("paper_instead", "종이"),
        ("wrong_entry", "잘못|누락|틀리"),
    )
    fault = next((name for name, words in faults if asked.has(words)), None)
    inputs = {"supply_value": asked.only_money(), "fault": fault}
    return Reading(inputs, {"supply_value": "공급가액", "fault": "어긴 내용(늦은 발급, 미발급 등)"})


READERS: Mapping[str, Callable[[QuestionFigures], Reading]] = MappingProxyType(
    {
        "weekly_holiday_pay": _weekly_holiday,
        "overtime_pay": _overtime,
        "minimum_wage": _minimum_wage,
        "annual_leave": _annual_leave,
        "severance_pay": _severance,
        "dismissal_notice_pay": _notice,
        "headcount": _headcount,
        "social_insurance": _insurance,
        "freelancer_withholding": _withholding,
        "vat": _vat,
        "tax_invoice_penalty": _invoice_penalty,
        "filing_penalty": _filing_penalty,
        "income_tax": _income_tax,
        "corporate_tax": _corporate_tax,
        "entertainment_limit": _entertainment,
        "deemed_interest": _deemed_interest,
        "depreciation": _depreciation,
        "lease_deposit": _lease,
        "rent_conversion": _conversion,
        "late_interest": _late_interest,
    }
)
