"""The start-up agent: founding, permits, support programmes."""

from __future__ import annotations

from agents.base import BaseAgent


class StartupFundingAgent(BaseAgent):
    """All that it says is in its pack."""

    domain = "startup_funding"
