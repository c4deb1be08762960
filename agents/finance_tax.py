"""The tax agent: tax, accounting, finance."""

from __future__ import annotations

from agents.base import BaseAgent
from utils.prompts import finance_tax


class FinanceTaxAgent(BaseAgent):
    """Its deadlines are computed (`agents.actions`), so it needs no fixed rules of its own."""

    domain = "finance_tax"
    system_prompt = finance_tax.SYSTEM_PROMPT
