"""The rules of each type of document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from utils.paperwork.rules import contracts
from utils.paperwork.rules.dismissal import dismissal_notice
from utils.paperwork.rules.employment import employment_contract
from utils.paperwork.rules.findings import Finding, Rule
from utils.paperwork.rules.workplace import wage_statement, work_rules
from utils.paperwork.templates.field_types import FieldsModel

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "business_plan": contracts.business_plan,
        "certified_letter": contracts.certified_letter,
        "dismissal_notice": dismissal_notice,
        "employment_contract": employment_contract,
        "founders_agreement": contracts.founders_agreement,
        "letter_of_intent": contracts.letter_of_intent,
        "nda": contracts.nda,
        "service_contract": contracts.service_contract,
        "wage_statement": wage_statement,
        "work_rules": work_rules,
    }
)


def findings_of(key: str, values: FieldsModel, today: date) -> tuple[Finding, ...]:
    """Return what the rules of a type find, errors first; a type without rules of its own has no findings."""
    rule = RULES.get(key)
    found = dict.fromkeys(rule(values, today)) if rule is not None else {}
    return tuple(sorted(found, key=lambda finding: finding.severity.value))
