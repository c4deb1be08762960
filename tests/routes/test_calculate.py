"""Calculators over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest

from routes.dependencies import korean_today
from schemas.calculations import Calculation, CalculatorList
from schemas.problems import ErrorCode
from tests.contract.conftest import CHAT_KEY, running
from tests.contract.wire import assert_problem
from tests.utils.calculators.test_registry import EXAMPLES
from utils.calculators.registry import CALCULATORS


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with running(enable_docs=True) as service, service.client() as client:
        service.app.dependency_overrides[korean_today] = lambda: date(2026, 11, 22)
        yield client


@pytest.mark.parametrize("key", CALCULATORS)
def test_each_calculator_has_a_route(client: httpx.Client, key: str) -> None:
    response = client.post(f"/api/calculate/{key}", json=EXAMPLES[key])
    assert response.status_code == 200, response.text
    found = Calculation.model_validate(response.json())
    assert (found.calculator, found.on) == (key, date(2026, 11, 22))
    assert found.conclusion.endswith("니다.")


def test_the_worked_example(client: httpx.Client) -> None:
    body = {"hourly_wage": 11_000, "days_per_week": 5, "hours_per_day": 5}
    found = client.post("/api/calculate/weekly_holiday_pay", json=body).json()
    assert found["values"][0] == {"name": "weekly", "label": "1주 주휴수당", "amount": 55_000, "unit": "원"}
    assert "11,000원 × 5시간 = 55,000원" in found["steps"]


def test_the_list_names_them_all_with_their_schemas(client: httpx.Client) -> None:
    found = CalculatorList.model_validate(client.get("/api/calculate").json()).calculators
    assert [info.name for info in found] == list(CALCULATORS)
    assert found[0].path == "/api/calculate/weekly_holiday_pay"
    assert found[0].input_schema["properties"]["hourly_wage"]["unit"] == "원"


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("weekly_holiday_pay", {}, "hourly_wage"),
    ("weekly_holiday_pay", {"hourly_wage": "11,000", "weekly_hours": 25}, "hourly_wage"),
    ("weekly_holiday_pay", {"hourly_wage": 11_000, "weekly_hours": 200}, "weekly_hours"),
    ("weekly_holiday_pay", {"hourly_wage": 11_000}, "weekly_hours"),
    ("minimum_wage", {"hourly_wage": 11_000, "on": "2030-01-01"}, "on"),
    ("minimum_wage", {"hourly_wage": 11_000, "on": "어제"}, "on"),
    ("vat", {"kind": "simplified", "sales": 50_000_000}, "industry"),
    ("tax_invoice_penalty", {"supply_value": 1_000, "fault": "?"}, "fault"),
    ("income_tax", {"taxable_income": -1}, "taxable_income"),
    ("income_tax", {"taxable_income": 10**300}, "taxable_income"),
    ("headcount", {"daily_workers": [1, "2"]}, "daily_workers.1"),
    ("depreciation", {"cost": 1_000, "years": 5, "yaers": 5}, "yaers"),
]


@pytest.mark.parametrize(("key", "body", "field"), REFUSED)
def test_a_wrong_figure_is_refused_by_its_name(
    client: httpx.Client, key: str, body: dict[str, Any], field: str
) -> None:
    problem = assert_problem(client.post(f"/api/calculate/{key}", json=body), ErrorCode.VALIDATION_FAILED)
    assert field in [error.path for error in problem.errors]


def test_an_unknown_calculator_is_not_found(client: httpx.Client) -> None:
    assert_problem(client.post("/api/calculate/lottery", json={}), ErrorCode.NOT_FOUND)


def test_only_json_is_taken(client: httpx.Client) -> None:
    response = client.post("/api/calculate/vat", content=b"{}", headers={"content-type": "text/plain"})
    assert_problem(response, ErrorCode.UNSUPPORTED_MEDIA_TYPE)
    response = client.post("/api/calculate/vat", content=b"{", headers={"content-type": "application/json"})
    assert_problem(response, ErrorCode.MALFORMED_REQUEST)


def test_the_schema_says_fields_and_units_in_korean(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    field = document["components"]["schemas"]["WeeklyHolidayInput"]["properties"]["hourly_wage"]
    assert (field["description"], field["unit"], field["minimum"]) == ("시급.", "원", 1)
    assert set(document["paths"]) >= {f"/api/calculate/{key}" for key in CALCULATORS}


def test_a_key_is_needed_where_keys_are() -> None:
    with (
        running(api_keys=f"web={CHAT_KEY}:chat,docs=docs-key-0123456789:documents") as service,
        service.client() as client,
    ):
        assert_problem(client.get("/api/calculate"), ErrorCode.UNAUTHORIZED)
        assert_problem(client.get("/api/calculate", headers={"X-API-Key": "docs-key-0123456789"}), ErrorCode.FORBIDDEN)
        assert client.get("/api/calculate", headers={"X-API-Key": CHAT_KEY}).status_code == 200


@pytest.mark.parametrize("hours", [5e-324, 0.1])
def test_a_quotient_beyond_all_numbers_is_refused(client: httpx.Client, hours: float) -> None:
    body = {"monthly_pay": 475, "weekly_hours": hours, "on": "2026-11-23"}
    assert_problem(client.post("/api/calculate/minimum_wage", json=body), ErrorCode.VALIDATION_FAILED)
