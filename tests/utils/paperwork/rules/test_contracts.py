"""The rules of contracts between equals and of letters."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.paperwork import errors, sample, warnings


@pytest.mark.parametrize(
    ("key", "changes", "path", "article"),
    [
        ("nda", {"end_date": "2026-11-30"}, "end_date", ""),
        ("nda", {"penalty": 10_000_000, "receiver_is_worker": True}, "penalty", "근로기준법 제20조"),
        ("service_contract", {"end_date": "2026-11-30"}, "end_date", ""),
        ("service_contract", {"fee": 31_000_000}, "payments", ""),
        ("service_contract", {"rights": "licensed"}, "derivative_rights", "저작권법 제45조"),
        ("service_contract", {"start_date": "2027-01-02"}, "deliverables.0.due", ""),
        ("founders_agreement", {"cliff_months": 60}, "cliff_months", ""),
        ("letter_of_intent", {"valid_until": "2026-11-01"}, "valid_until", ""),
        ("letter_of_intent", {"exclusivity_until": "2026-11-01"}, "exclusivity_until", ""),
        ("certified_letter", {"deadline": "2026-11-01"}, "deadline", "민법 제544조"),
        (
            "business_plan",
            {"milestones": [{"task": "시험", "start": "2027-02-01", "end": "2027-01-01"}]},
            "milestones.0.end",
            "",
        ),
    ],
)
def test_contradictions_and_void_terms_are_refused(key: str, changes: dict[str, Any], path: str, article: str) -> None:
    assert errors(key, sample(key)) == {}
    refused = errors(key, sample(key, **changes))
    assert article in refused[path]


def test_shares_have_to_sum_up() -> None:
    founders = sample("founders_agreement")["founders"]
    founders[1]["share_percent"] = 30
    assert set(errors("founders_agreement", sample("founders_agreement", founders=founders))) == {"founders"}
    founders[1]["share_percent"] = None  # blank is not wrong
    assert errors("founders_agreement", sample("founders_agreement", founders=founders)) == {}
    founders[0]["share_percent"] = founders[1]["share_percent"] = 50
    assert "founders" in warnings("founders_agreement", sample("founders_agreement", founders=founders))


@pytest.mark.parametrize(
    ("key", "changes", "path"),
    [
        ("nda", {"penalty": 10_000_000}, "penalty"),
        ("nda", {"non_compete_months": 6}, "non_compete_months"),
        ("nda", {"non_compete_months": 24, "non_compete_compensation": 5_000_000}, "non_compete_months"),
        ("service_contract", {"payment_days": 90}, "payment_days"),
        ("service_contract", {"delay_rate": 2}, "delay_rate"),
        ("service_contract", {"derivative_rights": False}, "derivative_rights"),
        ("service_contract", {"fixed_hours": True}, "fixed_hours"),
        ("founders_agreement", {"representative": "모르는이"}, "representative"),
        ("founders_agreement", {"penalty": 100_000_000}, "penalty"),
        ("letter_of_intent", {"amount": 5_000_000_000}, "amount"),
        ("certified_letter", {"deadline": "2026-11-30"}, "deadline"),
        ("certified_letter", {"sent_date": "2026-06-01"}, "facts.2.day"),
    ],
)
def test_doubtful_terms_are_told(key: str, changes: dict[str, Any], path: str) -> None:
    assert path not in warnings(key, sample(key))
    assert path in warnings(key, sample(key, **changes))
