"""The legal agent: general law, and the statutes behind every domain."""

from __future__ import annotations

from agents.base import BaseAgent


class LegalAgent(BaseAgent):
    """All that it says is in its pack; how statutes are searched for depends on the pack being that of the law (``is_law``)."""

    domain = "law_common"
