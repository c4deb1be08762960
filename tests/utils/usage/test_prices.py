"""Prices: the shipped table, dates, edits by an operator, and what has no price."""

from __future__ import annotations

import os
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.usage_stores import PRICES, price_book, took
from utils.config.settings import Settings
from utils.usage.prices import SHIPPED_PRICES, PriceBook, PriceFileError, PriceTable


def test_the_shipped_table_prices_the_default_models() -> None:
    table = PriceTable.read(SHIPPED_PRICES)
    today = date(2026, 11, 23)
    defaults = Settings()
    for model in (defaults.openai_model, defaults.openai_embedding_model):
        price = table.price(model, today)
        assert price is not None
        assert price.input > 0
    assert table.cost("gpt-4o-mini", today, took(1_000_000, 1_000_000)) == Decimal("0.75")


def test_cached_input_costs_less_and_output_more(tmp_path: Path) -> None:
    table = price_book(tmp_path).table
    assert (
        table.cost("small", date(2026, 11, 9), took(1_000_000, 500_000, 400_000)) == Decimal("0.6") + Decimal("0.2") + 2
    )


@pytest.mark.parametrize(
    ("day", "cost"),
    [(date(2025, 12, 31), None), (date(2026, 11, 9), 1), (date(2026, 11, 10), 2), (date(2027, 1, 1), 2)],
)
def test_the_price_is_that_of_the_day(tmp_path: Path, day: date, cost: int | None) -> None:
    assert price_book(tmp_path).table.cost("small", day, took(1_000_000, 0)) == cost


@pytest.mark.parametrize(("model", "is_known"), [("small-2026-02-03", True), ("small-2", False), ("large", False)])
def test_a_release_has_the_price_of_its_model_and_nothing_else_is_guessed(
    tmp_path: Path, model: str, is_known: bool
) -> None:
    price = price_book(tmp_path).table.price(model, date(2026, 11, 23))
    assert (price is not None) is is_known


def test_an_edit_counts_without_a_restart_and_a_spoilt_one_does_not(tmp_path: Path) -> None:
    book, day = price_book(tmp_path), date(2026, 11, 23)
    file = tmp_path / "prices.json"
    file.write_text(PRICES.replace('"input": 2', '"input": 30'), encoding="utf-8")
    book.refresh()
    assert book.table.cost("small", day, took(1_000_000, 0)) == 30
    file.write_text("{", encoding="utf-8")
    book.refresh()
    assert book.fault
    assert book.table.cost("small", day, took(1_000_000, 0)) == 30
    file.unlink()
    book.refresh()
    assert book.fault
    file.write_text(PRICES, encoding="utf-8")
    os.utime(file, (1, 1))  # as of a copy that kept its old time
    book.refresh()
    assert not book.fault
    assert book.table.cost("small", day, took(1_000_000, 0)) == 2


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (PRICES.replace("USD", "dollars"), "currency"),
        (PRICES.replace('"input": 2', '"input": -2'), "models.small"),
        (PRICES.replace("2026-11-10", "2026-01-01"), "two prices"),
        (PRICES.replace('"output"', '"outputs"'), "outputs"),
        ("[]", "object"),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_place(tmp_path: Path, wrong: str, named: str) -> None:
    with pytest.raises(PriceFileError, match=named):
        price_book(tmp_path, wrong)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PriceFileError, match=r"none\.json"):
        PriceBook(tmp_path / "none.json")
