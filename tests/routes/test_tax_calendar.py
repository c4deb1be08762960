"""The tax calendar over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import httpx
import pytest

from routes.dependencies import korean_today
from schemas.problems import ErrorCode
from schemas.tax_calendar import TaxCalendar
from tests.contract.conftest import running
from tests.contract.wire import assert_problem
from tests.utils.law.test_calendar_file import events

PATHS = ("/api/tax-calendar", "/api/tax-calendar.ics")


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with running() as service, service.client() as client:
        service.app.dependency_overrides[korean_today] = lambda: date(2026, 11, 22)
        yield client


def test_the_next_two_months_of_a_simplified_taxpayer(client: httpx.Client) -> None:
    found = TaxCalendar.model_validate(
        client.get("/api/tax-calendar", params={"kind": "simplified", "months": 3}).json()
    )
    assert (found.since, found.until) == (date(2026, 11, 22), date(2027, 2, 22))
    assert [(entry.key, entry.due.isoformat()) for entry in found.entries] == [
        ("income_interim", "2026-11-30"),
        ("vat_simplified", "2027-01-25"),
    ]
    assert found.entries[1].law == "부가가치세법 제67조"


def test_several_kinds_and_a_first_day(client: httpx.Client) -> None:
    params = {"kind": ["corporation", "employer"], "from": "2026-07-01", "months": "1"}
    found = TaxCalendar.model_validate(client.get("/api/tax-calendar", params=params).json())
    assert {entry.key for entry in found.entries} >= {"vat_final", "withholding", "insurance"}
    [vat] = [entry for entry in found.entries if entry.key == "vat_final"]
    assert (vat.statutory, vat.due, vat.moved_by) == (date(2026, 7, 25), date(2026, 7, 27), "국세기본법 제5조")


def test_a_month_ends_where_the_next_is_shorter(client: httpx.Client) -> None:
    found = client.get("/api/tax-calendar", params={"from": "2027-01-31", "months": 1}).json()
    assert found["until"] == "2027-03-01"


def test_the_file_holds_the_same_days(client: httpx.Client) -> None:
    params = {"kind": "general", "from": "2027-01-01", "months": "12"}
    response = client.get("/api/tax-calendar.ics", params=params)
    assert response.headers["content-type"] == "text/calendar; charset=utf-8"
    assert response.headers["content-disposition"] == 'attachment; filename="tax-calendar.ics"'
    entries = client.get("/api/tax-calendar", params=params).json()["entries"]
    assert [event["SUMMARY"] for event in events(response.text)] == [entry["name"] for entry in entries]
    assert entries


WRONG = [
    ({"kind": "robot"}, "kind.0"),
    ({"months": "0"}, "months"),
    ({"months": "25"}, "months"),
    ({"months": "x"}, "months"),
    ({"from": "20270101"}, "from"),
    ({"from": "2027-02-30"}, "from"),
    ({"from": "1990-01-01"}, "from"),
    ({"from": "9999-12-31"}, "from"),
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("params", "field"), WRONG)
def test_wrong_parameters_are_refused_by_name(
    client: httpx.Client, path: str, params: dict[str, str], field: str
) -> None:
    problem = assert_problem(client.get(path, params=params), ErrorCode.VALIDATION_FAILED)
    assert [error.path for error in problem.errors] == [field]
