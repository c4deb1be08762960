"""Rules of working time: rest breaks, hours of a day and a week, and those of minors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from utils.paperwork.rules.findings import Finding, age_on, error, warning

_DAY_MINUTES = 24 * 60
_NIGHT_BEGINS, _NIGHT_ENDS = 22 * 60, 6 * 60
_LARGE_SCOPE = 5
MINOR_AGE, LEAST_AGE = 18, 15
_LIMITS = {False: (8.0, 40.0), True: (7.0, 35.0)}
"""Hours of a day and a week: adults by 근로기준법 제50조, workers under 18 by 제69조."""


def is_small(values: Any) -> bool:
    """Return whether the workplace is known to have fewer than five workers (근로기준법 제11조, 시행령 별표 1)."""
    return values.headcount is not None and values.headcount < _LARGE_SCOPE


def minutes_of(time: str) -> int:
    """Return the minutes since midnight of ``HH:MM``."""
    hours, minutes = time.split(":")
    return int(hours) * 60 + int(minutes)


def span_minutes(start: str, end: str) -> int:
    """Return the minutes from start to end; an end at or before the start is on the next day."""
    return (minutes_of(end) - minutes_of(start)) % _DAY_MINUTES or _DAY_MINUTES


def needed_break(worked_minutes: float) -> int:
    """Return the least rest in minutes: 30 from 4 hours, 60 from 8 (근로기준법 제54조제1항)."""
    if worked_minutes >= 8 * 60:
        return 60
    return 30 if worked_minutes >= 4 * 60 else 0


def breaks(path: str, worked_minutes: float, rest: int | None) -> Iterator[Finding]:
    """Yield an error where the rest is too short for the time worked; nothing where it is blank. Applies to every workplace."""
    least = needed_break(worked_minutes)
    if rest is not None and rest < least:
        hours = f"{worked_minutes / 60:.4g}"
        yield error(
            path,
            f"{hours}시간을 일하면 휴게시간은 {least}분 이상이어야 합니다(입력: {rest}분).",
            "근로기준법 제54조제1항",
        )


def daily_times(values: Any) -> Iterator[Finding]:
    """Yield what is wrong with the times, the rest and the hours of a day."""
    if values.start_time and values.end_time:
        if values.start_time == values.end_time:
            yield error("end_time", "업무의 시작과 종료 시각이 같습니다.", "근로기준법 제17조")
            return
        present = span_minutes(values.start_time, values.end_time)
        if values.break_minutes is not None and values.break_minutes >= present:
            yield error("break_minutes", "휴게시간이 시작부터 종료까지의 시간보다 짧아야 합니다.", "근로기준법 제54조")
            return
        worked = present - (values.break_minutes or 0)
        yield from breaks("break_minutes", worked, values.break_minutes)
        if values.daily_hours is not None and values.break_minutes is not None:
            told = values.daily_hours * 60
            if abs(told - worked) >= 1:
                yield error(
                    "daily_hours",
                    f"시작·종료 시각에서 휴게시간을 빼면 {worked / 60:.4g}시간인데 1일 소정근로시간은 {values.daily_hours:.4g}시간입니다.",
                    "근로기준법 제17조",
                )
    elif values.daily_hours is not None:
        yield from breaks("break_minutes", values.daily_hours * 60, values.break_minutes)


def schedule(values: Any) -> Iterator[Finding]:
    """Yield what is wrong with the days of a part-timer's week (기간제법 제17조제6호)."""
    total = 0
    days: set[str] = set()
    for number, row in enumerate(values.schedule):
        place = f"schedule.{number}"
        if row.day in days:
            yield error(f"{place}.day", "같은 요일이 두 번 있습니다.")
        days.add(row.day)
        if row.start == row.end:
            yield error(f"{place}.end", "시작과 종료 시각이 같습니다.")
            continue
        present = span_minutes(row.start, row.end)
        if (row.break_minutes or 0) >= present:
            yield error(f"{place}.break_minutes", "휴게시간이 일하는 시간보다 짧아야 합니다.", "근로기준법 제54조")
            continue
        worked = present - (row.break_minutes or 0)
        total += worked
        yield from breaks(f"{place}.break_minutes", worked, row.break_minutes)
        yield from _long_day(f"{place}.end", worked / 60, values)
    if values.schedule and values.weekly_hours is not None and abs(total / 60 - values.weekly_hours) > 0.05:
        yield error(
            "weekly_hours",
            f"근로일별 근로시간을 더하면 {total / 60:.4g}시간인데 1주 소정근로시간은 {values.weekly_hours:.4g}시간입니다.",
            "기간제 및 단시간근로자 보호 등에 관한 법률 제17조",
        )


def limits(values: Any) -> Iterator[Finding]:
    """Yield what exceeds the hours of a day and a week (근로기준법 제50조; 제69조 of minors).

    제50조 does not bind workplaces under five, which get a warning; 제69조 binds all.
    """
    if values.daily_hours is not None:
        yield from _long_day("daily_hours", values.daily_hours, values)
    if values.weekly_hours is not None:
        yield from _long_week(values)
    if values.weekly_hours and values.daily_hours and values.weekly_hours < values.daily_hours:
        yield error("weekly_hours", "1주 소정근로시간이 1일 소정근로시간보다 짧습니다.", "근로기준법 제17조")
    per_week, per_day = values.weekly_hours, values.daily_hours
    if (
        per_week
        and per_day
        and values.work_days_per_week
        and abs(per_day * values.work_days_per_week - per_week) > 0.05
    ):
        yield warning(
            "weekly_hours",
            f"1일 {per_day:.4g}시간씩 {values.work_days_per_week}일이면 {per_day * values.work_days_per_week:.4g}시간으로, 적은 1주 소정근로시간과 다릅니다.",
            "근로기준법 제17조",
        )
    if values.work_days_per_week == 7:
        yield error(
            "work_days_per_week",
            "1주에 평균 1회 이상의 휴일을 주어야 하므로 7일을 모두 근로일로 할 수 없습니다.",
            "근로기준법 제55조제1항",
        )


def _long_day(path: str, hours: float, values: Any) -> Iterator[Finding]:
    minor = values.kind == "minor"
    most = _LIMITS[minor][0]
    if hours <= most:
        return
    if minor:
        yield error(path, "18세 미만 근로자의 소정근로시간은 1일 7시간을 넘을 수 없습니다.", "근로기준법 제69조")
    elif is_small(values):
        yield warning(
            path, "1일 8시간을 넘지만 상시근로자 5명 미만이라 근로시간 한도가 적용되지 않습니다.", "근로기준법 제50조"
        )
    else:
        yield error(
            path, "1일 소정근로시간은 8시간을 넘을 수 없습니다. 넘는 시간은 연장근로입니다.", "근로기준법 제50조제2항"
        )


def _long_week(values: Any) -> Iterator[Finding]:
    minor = values.kind == "minor"
    if values.weekly_hours <= _LIMITS[minor][1]:
        if values.kind == "part_time" and values.weekly_hours >= 40:
            yield warning(
                "weekly_hours",
                "단시간근로자는 통상 근로자보다 1주 소정근로시간이 짧은 근로자입니다.",
                "근로기준법 제2조제1항제9호",
            )
        if values.weekly_hours < 15:
            yield warning(
                "weekly_hours",
                "1주 소정근로시간이 15시간 미만이면 유급 주휴일과 연차유급휴가가 적용되지 않습니다.",
                "근로기준법 제18조제3항",
            )
        return
    if minor:
        yield error(
            "weekly_hours", "18세 미만 근로자의 소정근로시간은 1주 35시간을 넘을 수 없습니다.", "근로기준법 제69조"
        )
    elif is_small(values):
        yield warning(
            "weekly_hours",
            "1주 40시간을 넘지만 상시근로자 5명 미만이라 근로시간 한도가 적용되지 않습니다.",
            "근로기준법 제50조",
        )
    else:
        yield error(
            "weekly_hours",
            "1주 소정근로시간은 40시간을 넘을 수 없습니다. 연장근로는 합의하여 1주 12시간까지 따로 합니다.",
            "근로기준법 제50조제1항, 제53조제1항",
        )


def minors(values: Any) -> Iterator[Finding]:
    """Yield what a contract with a worker under 18 lacks (근로기준법 제64조, 제66조, 제67조, 제70조)."""
    age = _age(values)
    if age is not None and age < MINOR_AGE and values.kind != "minor":
        yield error("kind", "18세 미만인 근로자는 연소근로자 계약서로 작성해야 합니다.", "근로기준법 제67조제3항")
    if values.kind != "minor":
        return
    if age is not None and age >= MINOR_AGE:
        yield error(
            "worker_birth",
            "근로개시일에 18세 이상이면 연소근로자가 아닙니다. 다른 종류를 고르십시오.",
            "근로기준법 제66조",
        )
    if ((age is not None and age < LEAST_AGE) or values.in_school) and not values.work_permit_number:
        yield error(
            "work_permit_number",
            "15세 미만이거나 중학교에 다니는 18세 미만은 취직인허증이 있어야 일할 수 있습니다.",
            "근로기준법 제64조제1항",
        )
    if not values.guardian_consent:
        yield warning(
            "guardian_consent", "친권자 또는 후견인의 동의서를 사업장에 갖추어야 합니다.", "근로기준법 제66조"
        )
    if not values.family_certificate:
        yield warning(
            "family_certificate",
            "나이를 증명하는 가족관계기록사항에 관한 증명서를 갖추어야 합니다.",
            "근로기준법 제66조",
        )
    if (
        values.start_time
        and values.end_time
        and values.start_time != values.end_time
        and _at_night(values.start_time, values.end_time)
    ):
        yield warning(
            "end_time",
            "18세 미만은 본인의 동의와 고용노동부장관의 인가 없이 오후 10시부터 오전 6시까지 일할 수 없습니다.",
            "근로기준법 제70조제2항",
        )


def _age(values: Any) -> int | None:
    day = values.start_date or values.contract_date
    return age_on(values.worker_birth, day) if values.worker_birth and day else None


def _at_night(start: str, end: str) -> bool:
    first = minutes_of(start)
    last = first + span_minutes(start, end)
    return first < _NIGHT_ENDS or last > _NIGHT_BEGINS
