"""The labour agent: hiring and labour relations."""

from __future__ import annotations

from agents.base import BaseAgent


class HRLaborAgent(BaseAgent):
    """All that it says is in its pack."""

    domain = "hr_labor"
