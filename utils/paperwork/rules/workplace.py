"""Rules of work rules and of wage statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from utils.paperwork.rules.clauses import void_clauses
from utils.paperwork.rules.findings import Finding, error, in_order, warning
from utils.paperwork.rules.work_time import breaks, is_small, span_minutes

_FILING_SCOPE = 10
_LEAST_RETIREMENT = 60
_CUT_ONCE, _CUT_TOTAL = 50, 10
_RESIGNATION_DAYS = 30
_FULL_WEEK = 40
_PENALTIES = re.compile(r"위약|벌금|벌과금|지각비|결근비")
_DAMAGES = re.compile(r"배상|변상|파손|분실|부족금|손실")
_HOURS = ("overtime_hours", "night_hours", "holiday_hours", "long_holiday_hours")


def work_rules(values: Any, today: date) -> Iterator[Finding]:
    """Yield what the law refuses in work rules, and what depends on the headcount."""
    if values.headcount < _FILING_SCOPE:
        yield warning(
            "headcount",
            "상시근로자 10명 미만이면 취업규칙을 작성하여 신고할 의무가 없습니다. 만들면 근로조건의 기준이 됩니다.",
            "근로기준법 제93조",
        )
    if is_small(values):
        yield warning(
            "headcount",
            "상시근로자 5명 미만이면 연차유급휴가와 가산수당 등이 적용되지 않아 그에 맞게 적었습니다. 5명이 되면 고쳐야 합니다.",
            "근로기준법 제11조, 시행령 별표 1",
        )
    elif values.weekly_hours is not None and values.weekly_hours > _FULL_WEEK:
        yield error("weekly_hours", "1주 소정근로시간은 40시간을 넘을 수 없습니다.", "근로기준법 제50조제1항")
    yield from _day(values)
    if values.wage_cut_once_percent is not None and values.wage_cut_once_percent > _CUT_ONCE:
        yield error(
            "wage_cut_once_percent", "감급은 1회에 평균임금 1일분의 50%를 넘을 수 없습니다.", "근로기준법 제95조"
        )
    if values.wage_cut_total_percent is not None and values.wage_cut_total_percent > _CUT_TOTAL:
        yield error(
            "wage_cut_total_percent",
            "감급의 총액은 1임금지급기 임금 총액의 10%를 넘을 수 없습니다.",
            "근로기준법 제95조",
        )
    if values.retirement_age is not None and values.retirement_age < _LEAST_RETIREMENT:
        yield error(
            "retirement_age",
            "정년은 60세 이상으로 정해야 합니다.",
            "고용상 연령차별금지 및 고령자고용촉진에 관한 법률 제19조",
        )
    if values.resignation_notice_days is not None and values.resignation_notice_days > _RESIGNATION_DAYS:
        yield warning(
            "resignation_notice_days",
            "사직을 알린 뒤 한 달이 지나면 회사가 승낙하지 않아도 해지의 효력이 생길 수 있습니다.",
            "민법 제660조",
        )
    for field in ("extra_rules", "commendation", "raise_rule", "bonus"):
        yield from void_clauses(field, getattr(values, field))


def _day(values: Any) -> Iterator[Finding]:
    if not (values.start_time and values.end_time and values.break_start and values.break_end):
        return
    rest = span_minutes(values.break_start, values.break_end)
    present = span_minutes(values.start_time, values.end_time)
    if rest >= present:
        yield error("break_end", "휴게시간이 시작부터 종료까지의 시간보다 짧아야 합니다.", "근로기준법 제54조")
        return
    yield from breaks("break_end", present - rest, rest)
    if span_minutes(values.start_time, values.break_start) >= present:
        yield error("break_start", "휴게시간은 근로시간 도중에 주어야 합니다.", "근로기준법 제54조제1항")


def wage_statement(values: Any, today: date) -> Iterator[Finding]:
    """Yield what is wrong with a wage statement."""
    yield from in_order(values, "period_start", "period_end", "산정기간의 끝이 시작보다 앞섭니다.")
    if values.period_start and values.period_end and values.period_end - values.period_start > timedelta(days=31):
        yield warning(
            "period_end",
            "임금은 매월 1회 이상 지급해야 하므로 산정기간은 한 달을 넘지 않아야 합니다.",
            "근로기준법 제43조제2항",
        )
    if any(getattr(values, name) for name in _HOURS):
        if values.hourly_ordinary_wage is None:
            yield error(
                "hourly_ordinary_wage",
                "연장·야간·휴일근로수당을 셈하려면 시간급 통상임금이 필요합니다.",
                "근로기준법 제56조",
            )
        if values.headcount is None:
            yield error(
                "headcount",
                "5명 미만이면 가산수당이 달라지므로 상시근로자 수가 필요합니다.",
                "근로기준법 제11조, 제56조",
            )
    if is_small(values) and any(getattr(values, name) for name in _HOURS):
        yield warning(
            "headcount",
            "상시근로자 5명 미만이라 가산수당 없이 일한 시간의 임금으로 계산했습니다.",
            "근로기준법 제11조, 시행령 별표 1",
        )
    if values.income_tax is None:
        yield warning(
            "income_tax",
            "근로소득세가 비어 공제 총액과 실제 지급액을 빈칸으로 두었습니다. 간이세액표의 금액을 넣으십시오.",
            "소득세법 제134조",
        )
    for place, row in enumerate(values.other_deductions):
        if _PENALTIES.search(row.name):
            yield error(
                f"other_deductions.{place}.name",
                "벌금이나 위약금을 임금에서 공제할 수 없습니다.",
                "근로기준법 제20조, 제43조제1항",
            )
        elif _DAMAGES.search(row.name):
            yield warning(
                f"other_deductions.{place}.name",
                "손해배상을 임금에서 일방적으로 공제할 수 없습니다. 근로자가 자유로운 뜻으로 동의했는지 확인하십시오.",
                "근로기준법 제43조제1항",
            )
        elif not row.ground:
            yield warning(
                f"other_deductions.{place}.ground",
                "임금의 공제는 법령이나 단체협약에 근거가 있어야 합니다.",
                "근로기준법 제43조제1항",
            )
