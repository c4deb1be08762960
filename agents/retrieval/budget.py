"""Numbers of documents that go into the prompt, for each domain and for the whole question; candidates are more."""

from __future__ import annotations

import math
from dataclasses import dataclass

from utils.config.retrieval_settings import RetrievalSettings


@dataclass(frozen=True, slots=True)
class DocumentBudget:
    """Numbers of documents: found in each domain, in all domains together, and kept after these are ranked together."""

    per_domain: int
    total: int
    kept: int


class DocumentBudgetCalculator:
    """Works out the budget from the number of domains.

    With the defaults: 1 → 4/4/4, 2 → 5/10/7, 3 → 5/15/10, 4 → 3/12/8 (per domain / total / kept).
    """

    def __init__(self, settings: RetrievalSettings, *, fixed_limit: bool, rerank: bool) -> None:
        self._settings = settings
        self._fixed_limit = fixed_limit
        self._rerank = rerank

    def calculate(self, domains: int) -> DocumentBudget:
        """Return the budget for a question of ``domains`` domains."""
        settings = self._settings
        if domains <= 1:
            return DocumentBudget(settings.retrieval_k, settings.retrieval_k, settings.retrieval_k)
        per_domain = settings.retrieval_k
        if self._fixed_limit:
            share = settings.max_retrieval_docs // domains
            per_domain = max(settings.min_domain_k, min(settings.retrieval_k + 1, share))
        total = min(domains * per_domain, settings.max_retrieval_docs)
        kept = math.floor(total * settings.cross_domain_rerank_ratio) if self._rerank else total
        return DocumentBudget(per_domain, total, max(kept, 1))
