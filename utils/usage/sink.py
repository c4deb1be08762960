"""The account of usage as a caller of a model server sees it: may it call, and here is what the call took."""

from __future__ import annotations

from typing import Protocol

from schemas.usage import UsagePurpose
from utils.usage.records import UsageCounts


class UsageSink(Protocol):
    """Takes note of model calls; see `utils.usage.ledger.UsageLedger`. Both methods are quick, from any thread."""

    def check(self, purpose: UsagePurpose) -> None:
        """Raise `utils.usage.budgets.BudgetExhausted` where the client of the current context may call no model."""

    def note(self, purpose: UsagePurpose, model: str, counts: UsageCounts) -> None:
        """Count a call for the client of the current context."""


class _Nowhere:
    def check(self, purpose: UsagePurpose) -> None:
        return

    def note(self, purpose: UsagePurpose, model: str, counts: UsageCounts) -> None:
        return


NO_USAGE: UsageSink = _Nowhere()
"""Lets every call pass and counts none."""
