"""When what was found is enough, with each measure there and away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.hits import make_hit
from utils.config.retrieval_settings import RetrievalSettings
from utils.documents import Hit
from utils.retrieval_evaluator import RuleBasedRetrievalEvaluator

TERMS = ("퇴직금", "지급", "기한", "이자")


def passes(hits: Sequence[Hit], terms: Sequence[str] = TERMS, relax: float = 1.0, **settings: object) -> bool:
    evaluator = RuleBasedRetrievalEvaluator(RetrievalSettings.model_validate(settings), "kiwi-1", "kiwi-1")
    return evaluator.evaluate(terms, hits, relax).passed


def found(
    count: int = 3, text: str = "퇴직금 지급 기한", relevance: float = 0.6, similarity: float | None = 0.3
) -> list[Hit]:
    hits = [make_hit(f"{text} {number}", relevance) for number in range(count)]
    return [replace(hit, similarity=similarity) for hit in hits]


def test_each_measure_can_fail_the_search() -> None:
    assert passes(found())
    assert not passes(found(count=2))
    assert not passes(found(relevance=0.2))
    assert not passes(found(text="퇴직금"))
    assert not passes(found(similarity=0.05))
    assert not passes([])


@pytest.mark.parametrize("similarity", [0.3, None], ids=["cosines", "no cosines"])
def test_without_a_reranker_more_of_the_terms_must_be_found(similarity: float | None) -> None:
    assert passes(found(relevance=0.0, similarity=similarity))
    assert passes(found(text="퇴직금 지급", relevance=0.0, similarity=similarity)), "half of them"
    third = [*TERMS, "연체", "이율"][:5]
    assert passes(found(text="퇴직금 지급", similarity=similarity), third), "two of five do where relevance is known"
    assert not passes(found(text="퇴직금 지급", relevance=0.0, similarity=similarity), third)
    assert not passes(found(count=2, relevance=0.0, similarity=similarity))


def test_one_document_that_was_judged_is_no_outage() -> None:
    judged, *others = found(relevance=0.0)
    assert not passes([replace(judged, relevance=0.9), *others])


def test_every_floor_is_a_setting() -> None:
    assert not passes(found(), retrieval_min_relevance=0.7)
    assert passes(found(relevance=0.2), retrieval_min_relevance=0.1)
    assert not passes(found(), retrieval_min_similarity=0.4)
    assert not passes(found(), retrieval_min_keyword_ratio=0.8)
    assert not passes(found(relevance=0.0), retrieval_min_keyword_ratio_alone=0.8)
    assert not passes(found(), retrieval_min_docs=4)


def test_relaxed_thresholds_are_lower_in_proportion() -> None:
    assert passes(found(relevance=0.2), relax=0.7)
    assert passes(found(relevance=0.0, text="퇴직금 지급"), [*TERMS, "연체"], relax=0.7)
