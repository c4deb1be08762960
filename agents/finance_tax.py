"""The tax agent: tax, accounting, finance."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from agents.base import BaseAgent
from utils.law.tax_calendar import TaxDeadline, deadlines_for


class FinanceTaxAgent(BaseAgent):
    """Its deadlines are computed."""

    domain = "finance_tax"

    def deadlines(self, question: str, today: date) -> Sequence[TaxDeadline]:
        return deadlines_for(question, today)
