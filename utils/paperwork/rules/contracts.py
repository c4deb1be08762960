"""Rules of contracts between equals: confidentiality, services, founders, investment, and letters of demand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from utils.calculators.result import number, won
from utils.paperwork.rules.findings import Finding, error, in_order, warning

_LONG_NON_COMPETE = 12
_DEADLINE_DAYS = 7
_DELAY_PERCENT = 1.0
_SUBCONTRACT_DAYS = 60
_HALF = 50


def nda(values: Any, today: date) -> Iterator[Finding]:
    """Yield what is wrong with an agreement of confidentiality."""
    yield from in_order(values, "start_date", "end_date", "정보 제공 종료일이 시작일보다 앞섭니다.")
    if values.penalty and values.receiver_is_worker:
        yield error(
            "penalty",
            "근로자와는 위약금이나 손해배상액을 미리 정할 수 없습니다. 실제 손해만 청구할 수 있습니다.",
            "근로기준법 제20조",
        )
    elif values.penalty:
        yield warning("penalty", "손해배상 예정액이 부당하게 많으면 법원이 줄일 수 있습니다.", "민법 제398조제2항")
    yield from _non_compete(values.non_compete_months, has_compensation=bool(values.non_compete_compensation))


def _non_compete(months: int | None, *, has_compensation: bool) -> Iterator[Finding]:
    if not months:
        return
    if not has_compensation:
        yield warning(
            "non_compete_months",
            "대가 없는 경업금지는 직업선택의 자유를 지나치게 제한하여 무효가 될 수 있습니다.",
            "민법 제103조",
        )
    if months > _LONG_NON_COMPETE:
        yield warning(
            "non_compete_months",
            "1년을 넘는 경업금지는 일부만 효력이 인정되는 경우가 많습니다. 필요한 기간만 정하십시오.",
            "민법 제103조",
        )


def service_contract(values: Any, today: date) -> Iterator[Finding]:
    """Yield what is wrong with a contract for services."""
    yield from in_order(values, "start_date", "end_date", "완료 기한이 시작일보다 앞섭니다.")
    yield from _payments(values)
    if values.payment_days is not None and values.payment_days > _SUBCONTRACT_DAYS:
        yield warning(
            "payment_days",
            "하도급에 해당하면 대금을 결과물을 받은 날부터 60일 안에 지급해야 합니다.",
            "하도급거래 공정화에 관한 법률 제13조제1항",
        )
    if values.delay_rate is not None and values.delay_rate > _DELAY_PERCENT:
        yield warning(
            "delay_rate", "지체상금률이 하루 1%를 넘으면 부당하게 많아 법원이 줄일 수 있습니다.", "민법 제398조제2항"
        )
    if values.derivative_rights and values.rights != "assigned":
        yield error(
            "derivative_rights",
            "저작재산권을 양도하지 않으면 2차적저작물작성권도 함께 양도할 수 없습니다.",
            "저작권법 제45조",
        )
    elif values.rights == "assigned" and not values.derivative_rights:
        yield warning(
            "derivative_rights",
            "따로 정하지 않으면 2차적저작물작성권은 양도되지 않은 것으로 추정합니다(프로그램은 반대).",
            "저작권법 제45조제2항",
        )
    if values.fixed_hours:
        yield warning(
            "fixed_hours",
            "일하는 시간과 장소를 정하고 지휘하면 계약의 이름과 관계없이 근로자로 볼 수 있습니다.",
            "근로기준법 제2조제1항제1호",
        )


def _payments(values: Any) -> Iterator[Finding]:
    amounts = [row.amount for row in values.payments]
    if values.fee is not None and amounts and None not in amounts and sum(amounts) != values.fee:
        yield error(
            "payments", f"나누어 지급하는 금액을 더하면 {won(sum(amounts))}인데 용역대금은 {won(values.fee)}입니다."
        )
    for place, row in enumerate(values.deliverables):
        if row.due is not None and values.start_date is not None and row.due < values.start_date:
            yield error(f"deliverables.{place}.due", "결과물을 넘기는 날이 시작일보다 앞섭니다.")


def founders_agreement(values: Any, today: date) -> Iterator[Finding]:
    """Yield what is wrong with an agreement of founders."""
    shares = [row.share_percent for row in values.founders]
    if None not in shares and abs(sum(shares) - 100) > 0.01:
        yield error("founders", f"지분율을 더하면 {number(round(sum(shares), 4))}%입니다. 100%가 되어야 합니다.")
    names = [row.name for row in values.founders]
    if len(set(names)) < len(names):
        yield error("founders", "같은 이름이 두 번 있습니다.")
    if values.representative is not None and values.representative not in names:
        yield warning("representative", "대표이사가 공동창업자 가운데 없습니다.")
    if (
        values.cliff_months is not None
        and values.vesting_years is not None
        and values.cliff_months > values.vesting_years * 12
    ):
        yield error("cliff_months", "최소 재직 기간이 재직 의무 기간보다 깁니다.")
    if shares.count(_HALF) == 2 and len(shares) == 2:
        yield warning(
            "founders",
            "지분이 반반이면 의견이 맞설 때 아무것도 정하지 못합니다. 정하는 방법을 특약에 적으십시오.",
            "상법 제368조",
        )
    if values.penalty:
        yield warning("penalty", "위약벌이 지나치게 무거우면 공서양속에 어긋나 무효가 될 수 있습니다.", "민법 제103조")
    yield from _non_compete(values.non_compete_months, has_compensation=True)


def letter_of_intent(values: Any, today: date) -> Iterator[Finding]:
    """Yield what is wrong with a letter of intent."""
    for later, message in (
        ("due_diligence_until", "실사 종료일이 작성일보다 앞섭니다."),
        ("exclusivity_until", "독점협상 종료일이 작성일보다 앞섭니다."),
        ("valid_until", "유효기한이 작성일보다 앞섭니다."),
    ):
        yield from in_order(values, "letter_date", later, message)
    if values.amount is not None and values.pre_money is not None and values.amount >= values.pre_money:
        yield warning("amount", "투자 뒤 투자자의 지분이 절반 이상이 되어 경영권이 넘어갈 수 있습니다.", "상법 제434조")
    if values.instrument in ("common", "preferred"):
        yield warning(
            "instrument",
            "주주가 아닌 사람에게 신주를 배정하려면 정관에 근거가 있고 경영상 목적에 필요해야 합니다.",
            "상법 제418조제2항",
        )


def certified_letter(values: Any, today: date) -> Iterator[Finding]:
    """Yield what is wrong with a letter of demand."""
    yield from in_order(values, "sent_date", "deadline", "이행 기한이 보내는 날보다 앞섭니다.", "민법 제544조")
    if values.sent_date is not None and values.deadline is not None:
        left = values.deadline - values.sent_date
        if timedelta(0) <= left < timedelta(days=_DEADLINE_DAYS):
            yield warning(
                "deadline",
                "이행을 재촉할 때는 상당한 기간을 주어야 합니다. 받는 데 며칠이 걸리는 것도 셈하십시오.",
                "민법 제544조",
            )
    for place, row in enumerate(values.facts):
        if row.day is not None and values.sent_date is not None and row.day > values.sent_date:
            yield warning(f"facts.{place}.day", "보내는 날보다 뒤의 일이 사실관계에 있습니다.")


def business_plan(values: Any, today: date) -> Iterator[Finding]:
    """Yield what is wrong with a business plan."""
    for place, row in enumerate(values.milestones):
        if row.start is not None and row.end is not None and row.end < row.start:
            yield error(f"milestones.{place}.end", "끝나는 날이 시작하는 날보다 앞섭니다.")
