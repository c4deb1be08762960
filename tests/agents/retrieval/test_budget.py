"""Numbers of documents: the table of the specification, its switches, and properties under any settings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.retrieval.budget import DocumentBudget, DocumentBudgetCalculator
from utils.config.settings import Settings

DEFAULTS = Settings()


@pytest.mark.parametrize(("domains", "budget"), [(1, (4, 4, 4)), (2, (5, 10, 7)), (3, (5, 15, 10)), (4, (3, 12, 8))])
def test_the_table(domains: int, budget: tuple[int, int, int]) -> None:
    made = DocumentBudgetCalculator(DEFAULTS, fixed_limit=True, rerank=True).calculate(domains)
    assert (made.per_domain, made.total, made.kept) == budget


@pytest.mark.parametrize(("domains", "budget"), [(1, (4, 4, 4)), (2, (4, 8, 5)), (3, (4, 12, 8)), (4, (4, 15, 10))])
def test_without_the_table_every_domain_gets_the_same(domains: int, budget: tuple[int, int, int]) -> None:
    made = DocumentBudgetCalculator(DEFAULTS, fixed_limit=False, rerank=True).calculate(domains)
    assert (made.per_domain, made.total, made.kept) == budget


@pytest.mark.parametrize("domains", [1, 2, 3, 4])
def test_without_a_cross_domain_rerank_all_are_kept(domains: int) -> None:
    made = DocumentBudgetCalculator(DEFAULTS, fixed_limit=True, rerank=False).calculate(domains)
    assert made.kept == made.total


def test_no_domain_is_one() -> None:
    calculator = DocumentBudgetCalculator(DEFAULTS, fixed_limit=True, rerank=True)
    assert calculator.calculate(0) == calculator.calculate(1) == DocumentBudget(4, 4, 4)


@given(
    st.integers(1, 50), st.integers(1, 100), st.integers(1, 50), st.floats(0.01, 1), st.booleans(), st.integers(2, 4)
)
def test_several_domains_share_what_there_is(
    k: int, most: int, least: int, ratio: float, fixed: bool, domains: int
) -> None:
    settings = DEFAULTS.model_copy(
        update={
            "retrieval_k": k,
            "max_retrieval_docs": most,
            "min_domain_k": least,
            "cross_domain_rerank_ratio": ratio,
        }
    )
    made = DocumentBudgetCalculator(settings, fixed_limit=fixed, rerank=True).calculate(domains)
    assert 1 <= made.kept <= made.total <= most
    assert made.per_domain >= 1
    assert made.total <= domains * made.per_domain
