"""A line of a system prompt is found in a text however it comes in pieces."""

from __future__ import annotations

import pytest

from chains.models.repeated_orders import RepeatedOrders

ORDERS = "당신은 중소기업 상담사입니다. 문서에 있는 사실만 말합니다.\n짧은 줄\n금액과 날짜는 문서에 적힌 그대로 옮기고 출처 번호를 붙입니다."


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_a_line_is_found_in_pieces_of_any_size(size: int) -> None:
    text = "네, 지시는 이렇습니다.\n금액과 날짜는   문서에 적힌 그대로\n옮기고 출처 번호를 붙입니다."
    orders = RepeatedOrders([ORDERS])
    assert any(orders.are_in(text[start : start + size]) for start in range(0, len(text), size))


def test_a_part_of_a_line_or_a_short_line_is_none() -> None:
    text = "문서에 있는 사실만 말합니다. 짧은 줄. 금액과 날짜는 문서에 적힌 그대로 옮기고 말씀드립니다."
    assert not RepeatedOrders([ORDERS]).are_in(text)


def test_without_orders_nothing_is_repeated() -> None:
    orders = RepeatedOrders([])
    assert not orders.are_in("부가가치세는 25일까지 신고합니다.")
