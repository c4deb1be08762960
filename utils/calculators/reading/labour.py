"""Readers of the sums of labour law: wages by their time, hours, service and heads."""

from __future__ import annotations

from utils.calculators.reading.figures import QuestionFigures
from utils.calculators.reading.reading import Reading

HOLIDAY = "휴일|주말|공휴일|쉬는 ?날|휴무일|일요일|토요일|빨간 ?날|명절|추석|설날|설 ?연휴|성탄절|크리스마스|어린이날|노동절|근로자의 ?날"
_MONTHLY_AS_ORDINARY = "월급 전액을 통상임금으로 보고 주 40시간으로 계산했습니다."
_FIVE_OR_MORE = "상시근로자가 5명 이상인 사업장으로 계산했습니다."


def _capped(hours: float | None, most: float) -> float | None:
    return None if hours is None else min(hours, most)


def monthly_pay(asked: QuestionFigures) -> Reading:
    reading = weekly_holiday(asked)
    # Of a month's or a day's pay the hourly wage is asked for.
    is_other = asked.pay.monthly is not None or asked.pay.daily is not None
    return Reading({}, reading.needed) if is_other else reading


def weekly_holiday(asked: QuestionFigures) -> Reading:
    days, hours = asked.days_a_week(), asked.hours_a_day()
    both = days is not None and hours is not None
    inputs = {
        "hourly_wage": asked.pay.hourly,
        "weekly_hours": None if both else asked.hours_a_week(),
        "days_per_week": days if both else None,
        "hours_per_day": hours if both else None,
    }
    needed = {"hourly_wage": "시급"} | ({} if both else {"weekly_hours": "1주 소정근로시간"})
    return Reading(inputs, needed)


def overtime(asked: QuestionFigures) -> Reading:
    late = asked.hours_of("야근")  # says that it is late, and not how late
    kinds = "연장|잔업|초과|더 ?(?:일|근무)|추가 ?근무"
    by_clock = asked.clock_hours_of(f"{kinds}|야근")
    extended = by_clock if by_clock is not None else asked.hours_of(kinds)
    night = asked.hours_of("야간|심야|밤에")
    holiday = asked.hours_of(HOLIDAY)
    monthly = asked.pay.monthly
    inputs = {
        "hourly_wage": asked.pay.hourly or (None if monthly is None else round(monthly / 209)),
        "headcount": asked.heads(),
        "overtime_hours": extended if extended is not None else late,
        "night_hours": night if night is not None else asked.night_hours() or None,
        "holiday_hours": _capped(holiday, 8.0),
        "long_holiday_hours": None if holiday is None else max(holiday - 8, 0.0),
    }
    told = any(inputs[name] is not None for name in ("overtime_hours", "night_hours", "holiday_hours"))
    needed = {"hourly_wage": "시급(시간급 통상임금)", "headcount": "상시근로자 수"}
    assumptions: tuple[str, ...] = (
        ("야근은 밤 10시 이전의 연장근로로 계산했습니다.",) if late is not None and extended is None else ()
    )
    if asked.pay.hourly is None and monthly is not None:
        assumptions += ("월급 전액을 통상임금으로 보고 209시간으로 나누었습니다.",)
    return Reading(inputs, needed | ({} if told else {"hours": "연장·야간·휴일근로시간"}), assumptions)


def minimum_wage(asked: QuestionFigures) -> Reading:
    hourly, monthly = asked.pay.hourly, asked.pay.monthly
    weekly, contract = asked.hours_a_week(), asked.found(r"(?<!\d)(\d{1,2})개월 ?(?:짜리 ?)?계약")
    probation = asked.has("수습") and (contract is None or contract >= 12)
    inputs = {
        "hourly_wage": hourly,
        "monthly_pay": monthly if hourly is None else None,
        "weekly_hours": _capped(weekly, 40.0),
        "probation": probation or None,
    }
    # Without a wage the minimum itself may be asked: a month's, or that of a probation. The hourly one documents tell.
    bare = weekly is not None or probation or asked.has(r"월 ?급|월 ?환산|1개월|월로|월 ?209")
    needed = {} if hourly is not None or bare else {"monthly_pay": "시급이나 월급"}
    if monthly is not None and weekly is not None and weekly > 40:
        needed = {"regular": "연장근로를 뺀 소정근로시간과 그 임금"}  # a pay of overtime tells no hourly wage
    assumptions: tuple[str, ...] = () if weekly is not None else ("주 40시간 일하는 것으로 계산했습니다.",)
    if probation:
        assumptions += ("1년 이상 계약한 수습 3개월 이내이고 단순노무직이 아닌 것으로 계산했습니다.",)
    return Reading(inputs, needed, assumptions, needs_amount=hourly is None and monthly is None)


def annual_leave(asked: QuestionFigures) -> Reading:
    weekly = asked.hours_a_week()
    inputs = {
        "months_of_service": asked.months_of_service(),
        "headcount": asked.heads(),
        "weekly_hours": _capped(weekly, 40.0),
    }
    return Reading(inputs, {"months_of_service": "근속기간"}, () if asked.heads() is not None else (_FIVE_OR_MORE,))


def unused_leave(asked: QuestionFigures) -> Reading:
    days = asked.found(r"연차(?:휴가)?[^\d?!\n]{0,10}?(\d{1,2})(?:일|개)")
    if days is None:
        days = asked.found(r"(?<!\d)(\d{1,2})(?:일|개)[^\d?!\n]{0,8}?연차")
    wage = asked.pay.a_day(asked.hours_a_day())
    assumptions: tuple[str, ...] = (
        (_MONTHLY_AS_ORDINARY,) if asked.pay.daily is None and asked.pay.hourly is None else ()
    )
    return Reading(
        {"daily_wage": wage, "days": days},
        {"daily_wage": "1일 통상임금(시급이나 월급)", "days": "남은 연차 일수"},
        assumptions,
    )


def severance(asked: QuestionFigures) -> Reading:
    pay, weekly, days = asked.pay, asked.hours_a_week(), asked.days_of_service()
    monthly = pay.a_month()
    daily, a_month = pay.daily, monthly
    if monthly is None and pay.hourly is not None and weekly is not None:
        # A month has 365 ÷ 7 ÷ 12 weeks, each with its paid holiday; a day's hours are a fifth of the week's (근로기준법 시행령 별표 2).
        paid = min(weekly, 40.0) * (1.2 if weekly >= 15 else 1)
        a_month = round(pay.hourly * paid * 365 / 7 / 12)
        daily = round(pay.hourly * min(weekly, 40.0) / 5)
    is_whole_week = weekly is None or weekly >= 40
    inputs = {
        "wages_of_3_months": pay.of_3_months or (None if a_month is None else a_month * 3),
        "monthly_ordinary_wage": a_month if is_whole_week and daily is None else None,
        "daily_ordinary_wage": daily,
        "days_of_service": days,
        "weekly_hours": _capped(weekly, 52.0),
    }
    assumptions: tuple[str, ...] = (
        ("상여금과 연차수당, 통상임금은 넣지 않았습니다.",)
        if pay.of_3_months
        else ("월급 전액을 통상임금으로 보고 상여금과 연차수당은 없는 것으로 계산했습니다.",)
    )
    return Reading(inputs, {"wages_of_3_months": "월급", "days_of_service": "근속기간"}, assumptions)


def dismissal_notice(asked: QuestionFigures) -> Reading:
    pay, months = asked.pay, asked.months_of_service()
    daily = pay.daily
    hourly = pay.hourly if daily is None else None
    hours = asked.hours_a_day()
    inputs = {
        "daily_ordinary_wage": daily,
        "hourly_wage": hourly,
        "hours_per_day": _capped(hours, 8.0),
        "monthly_ordinary_wage": pay.a_month() if daily is None and hourly is None else None,
        "months_of_service": 3 if months is None else months,
        "notice_days": asked.found(r"(?<!\d)(\d{1,3})일 ?전"),
    }
    wage = next((name for name in ("daily_ordinary_wage", "hourly_wage") if inputs[name] is not None), None)
    assumptions: tuple[str, ...] = () if wage is not None else (_MONTHLY_AS_ORDINARY,)
    if wage == "hourly_wage" and hours is None:
        assumptions += ("하루 8시간 일하는 것으로 계산했습니다.",)
    if months is None:
        assumptions += ("3개월 이상 일한 직원으로 계산했습니다. 3개월 미만이면 해고예고수당이 없습니다.",)
    return Reading(inputs, {wage or "monthly_ordinary_wage": "월급이나 시급, 하루 통상임금"}, assumptions)


def headcount(asked: QuestionFigures) -> Reading:
    days = asked.count("가동 ?일수|영업 ?일수|일한 날|문 연 날")
    if days is None:
        days = asked.found(r"(?<!\d)(\d{1,2})일(?:간|을|동안)?\s?(?:영업|가동|운영|장사|문 ?열|열었|일했)")
    people = asked.count("연인원")
    daily = asked.found(r"(?:매일|날마다|1일(?:에)?)[^\d?!\n]{0,8}?(\d{1,4})명")
    if people is None and days is not None and daily is not None:
        people = days * daily
    inputs = {
        "person_days": people,
        "working_days": days,
        "days_below": asked.count("미달(?:한|된) 날|못 미친 날"),
    }
    return Reading(inputs, {"person_days": "1개월 동안의 연인원", "working_days": "가동일수"})


def insurance(asked: QuestionFigures) -> Reading:
    kinds = (("pension", "국민연금"), ("health", "건강보험"), ("unemployment", "고용보험"))
    told = [] if asked.has("4대|사대") else [kind for kind, name in kinds if asked.has(name)]
    inputs = {"monthly_pay": asked.pay.a_month(), "asked": told[0] if len(told) == 1 else None}
    assumptions: tuple[str, ...] = ("직원 150명 미만 회사로 계산했습니다.",)
    if asked.has("실수령|세후"):
        assumptions += ("소득세와 지방소득세는 간이세액표에 따라 따로 떼므로 넣지 않았습니다.",)
    return Reading(inputs, {"monthly_pay": "월급"}, assumptions)


def wage_cut(asked: QuestionFigures) -> Reading:
    return Reading({"monthly_pay": asked.pay.a_month()}, {"monthly_pay": "월급"})


def shutdown(asked: QuestionFigures) -> Reading:
    pay, monthly = asked.pay, asked.pay.a_month()
    of_3_months = pay.of_3_months or (None if monthly is None else monthly * 3)
    average = pay.daily or (None if of_3_months is None else round(of_3_months / 92))
    days = asked.found(r"(?<!\d)(\d{1,3})일(?:간|을|동안|정도)?\s?(?:[가-힣]{1,4}\s)?(?:쉬|휴업|문 ?닫|못 ?나|닫|휴무)")
    if days is None:
        days = asked.found(r"(?:휴업|쉬|문 ?닫)[^\d?!\n]{0,8}?(\d{1,3})일")
    is_ordinary = asked.has("통상임금")
    assumptions: tuple[str, ...] = (
        () if pay.daily and not is_ordinary else ("말한 임금을 평균임금으로 보고 3개월을 92일로 계산했습니다.",)
    )
    if asked.heads() is None:
        assumptions += (_FIVE_OR_MORE,)
    return Reading(
        {"daily_average_wage": average, "days": days, "headcount": asked.heads()},
        {"daily_average_wage": "하루 평균임금이나 월급", "days": "휴업일수"},
        assumptions,
    )
