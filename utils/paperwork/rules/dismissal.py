"""Rules of the notice of dismissal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from utils.calculators.result import won
from utils.paperwork.rules.findings import Finding, error, in_order, months_between, warning
from utils.paperwork.rules.work_time import is_small

NOTICE_DAYS = 30
_SHORT_SERVICE = 3
_VAGUE = 20


def notice_is_short(values: Any) -> bool:
    """Return whether less than 30 days lie between notice and dismissal, where both are known (근로기준법 제26조)."""
    if values.notice_date is None or values.dismissal_date is None:
        return False
    return bool((values.dismissal_date - values.notice_date).days < NOTICE_DAYS)


def is_exempt(values: Any) -> bool:
    """Return whether an exemption from the notice is claimed."""
    return values.exemption is not None and values.exemption != "none"


def dismissal_notice(values: Any, today: date) -> Iterator[Finding]:
    """Yield what the law refuses in a notice of dismissal, and what the employer should know."""
    yield from in_order(values, "hire_date", "notice_date", "통지일이 입사일보다 앞섭니다.")
    yield from in_order(
        values,
        "notice_date",
        "dismissal_date",
        "해고일이 통지일보다 앞섭니다. 지난 날로 해고할 수 없습니다.",
        "근로기준법 제26조",
    )
    if values.protected_period:
        yield error(
            "protected_period",
            "업무상 재해로 쉬는 기간과 출산전후 휴업 기간 및 그 뒤 30일, 육아휴직 기간에는 해고할 수 없습니다.",
            "근로기준법 제23조제2항",
        )
    yield from _notice(values)
    if values.reasons is not None and len(values.reasons) < _VAGUE:
        yield warning(
            "reasons",
            "해고 사유는 근로자가 무엇 때문인지 알 수 있게 구체적인 사실로 적어야 합니다.",
            "근로기준법 제27조",
        )
    if values.ground == "redundancy":
        yield warning(
            "ground",
            "경영상 해고는 긴박한 필요, 해고 회피 노력, 공정한 기준, 근로자대표에 50일 전 통보와 협의를 모두 갖추어야 합니다.",
            "근로기준법 제24조",
        )
    elif values.ground == "conduct" and values.hearing_date is None:
        yield warning(
            "hearing_date",
            "취업규칙이 소명이나 징계위원회를 정하고 있으면 그 절차를 거치지 않은 해고는 무효가 될 수 있습니다.",
            "근로기준법 제23조제1항",
        )
    if is_small(values):
        yield warning(
            "headcount",
            "상시근로자 5명 미만이면 정당한 이유(제23조제1항), 서면통지(제27조), 부당해고 구제(제28조)는 적용되지 않고 해고예고(제26조)는 적용됩니다.",
            "근로기준법 제11조, 시행령 별표 1",
        )


def _notice(values: Any) -> Iterator[Finding]:
    served = (
        months_between(values.hire_date, values.dismissal_date)
        if values.hire_date is not None and values.dismissal_date is not None
        else None
    )
    if values.exemption == "under_three_months" and served is not None and served >= _SHORT_SERVICE:
        yield error(
            "exemption",
            f"계속 근로한 기간이 {served}개월로 3개월 이상이라 이 예외를 쓸 수 없습니다.",
            "근로기준법 제26조제1호",
        )
        return
    if is_exempt(values) or not notice_is_short(values):
        return
    if served is not None and served < _SHORT_SERVICE:
        yield warning(
            "exemption",
            "계속 근로한 기간이 3개월 미만이면 해고예고가 적용되지 않습니다. 예외 사유로 고를 수 있습니다.",
            "근로기준법 제26조제1호",
        )
        return
    days = (values.dismissal_date - values.notice_date).days
    due = (
        f"30일분 이상의 통상임금({won(values.daily_ordinary_wage * NOTICE_DAYS)})을"
        if values.daily_ordinary_wage
        else "30일분 이상의 통상임금을"
    )
    yield warning("dismissal_date", f"예고기간이 {days}일로 30일보다 짧아 {due} 지급해야 합니다.", "근로기준법 제26조")
