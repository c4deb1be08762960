"""Rules of the employment contract."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from utils.paperwork.rules.clauses import void_clauses
from utils.paperwork.rules.findings import Finding, error, in_order, warning, years_later
from utils.paperwork.rules.pay import pay
from utils.paperwork.rules.work_time import daily_times, is_small, limits, minors, schedule

_FIXED_TERM_LAW = "기간제 및 단시간근로자 보호 등에 관한 법률 제4조"
_LEAST_LEAVE = 15


def employment_contract(values: Any, today: date) -> Iterator[Finding]:
    """Yield what the law refuses in an employment contract, and what its parties should know."""
    yield from _term(values)
    yield from daily_times(values)
    yield from schedule(values)
    yield from limits(values)
    yield from minors(values)
    yield from pay(values, today)
    yield from _leave(values)
    yield from _insurance(values)
    yield from void_clauses("special_terms", values.special_terms)
    if is_small(values):
        yield warning(
            "headcount",
            "상시근로자 5명 미만이면 연차유급휴가, 연장·야간·휴일근로의 가산수당, 근로시간 한도, 부당해고 구제, 휴업수당 규정이 적용되지 않습니다. "
            "최저임금, 휴게, 주휴일, 해고예고, 퇴직급여는 적용됩니다.",
            "근로기준법 제11조, 시행령 별표 1",
        )


def _term(values: Any) -> Iterator[Finding]:
    yield from in_order(values, "start_date", "end_date", "종료일이 근로개시일보다 앞섭니다.", "근로기준법 제17조")
    if values.end_date is not None and (values.kind == "open_ended" or values.no_end):
        yield error(
            "end_date",
            "기간을 정하지 않는 계약에는 종료일을 적지 않습니다. 기간을 정하려면 종류를 바꾸십시오.",
            _FIXED_TERM_LAW,
        )
        return
    if values.start_date is None or values.end_date is None:
        return
    if values.end_date >= years_later(values.start_date, 2):
        if is_small(values):
            yield warning(
                "end_date",
                "상시근로자 5명 미만이면 기간제 사용기간 2년의 제한이 적용되지 않습니다.",
                "기간제 및 단시간근로자 보호 등에 관한 법률 제3조",
            )
        elif values.fixed_term_reason:
            yield warning(
                "fixed_term_reason",
                "2년을 넘길 수 있는 사유는 법이 정한 것(사업 완료, 결원 대체, 고령자 등)뿐입니다. 해당하는지 확인하십시오.",
                _FIXED_TERM_LAW,
            )
        else:
            yield warning(
                "end_date",
                "기간제로 2년을 넘겨 쓰면 예외 사유가 없는 한 기간의 정함이 없는 근로자로 봅니다.",
                _FIXED_TERM_LAW,
            )


def _leave(values: Any) -> Iterator[Finding]:
    few_hours = values.kind == "part_time" or (values.weekly_hours is not None and values.weekly_hours < 15)
    if values.annual_leave_days is None or few_hours or is_small(values):
        return
    if values.annual_leave_days < _LEAST_LEAVE:
        yield error(
            "annual_leave_days",
            f"1년 동안 80% 이상 출근한 근로자의 연차유급휴가는 {_LEAST_LEAVE}일 이상이어야 합니다.",
            "근로기준법 제60조제1항",
        )


def _insurance(values: Any) -> Iterator[Finding]:
    if values.accident_insurance == "not_applied":
        yield warning(
            "accident_insurance",
            "산재보험은 근로자를 쓰는 모든 사업에 적용되며 당사자가 빼기로 정할 수 없습니다.",
            "산업재해보상보험법 제6조",
        )
    many_hours = values.weekly_hours is None or values.weekly_hours >= 15
    if values.employment_insurance == "not_applied" and many_hours:
        yield warning(
            "employment_insurance",
            "고용보험은 법이 정한 예외가 아니면 근로자를 쓰는 모든 사업에 적용됩니다.",
            "고용보험법 제8조, 제10조",
        )
