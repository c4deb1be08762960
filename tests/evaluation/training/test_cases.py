"""Counting what decisions say of articles."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.training.cases import WORDS_OF_AN_ARTICLE, case_citations, case_words
from evaluation.training.encoder.headnotes import HeadnotePart

TERMS = ("해고", "예고", "수당", "제5조1", "가")


def part(decision: int, *cited: str) -> HeadnotePart:
    return HeadnotePart(decision, "", "", cited)


def test_a_decision_counts_once_for_an_article_and_once_for_its_statute() -> None:
    parts = [part(1, "민법|제1조", "민법|제2조"), part(1, "민법|제1조"), part(2, "민법|제1조", "상법|제1조"), part(3)]
    assert case_citations(parts) == {"민법": 2, "민법|제1조": 2, "민법|제2조": 1, "상법": 1, "상법|제1조": 1}


def test_words_of_issues_by_the_articles_they_were_about() -> None:
    issues = [np.asarray(terms, dtype=np.int32) for terms in ([0, 1, 1, 3, 4], [0], [2])]
    words = case_words([part(1, "A|제1조"), part(2, "A|제1조", "B|제1조"), part(3)], issues, TERMS)

    assert words.labels == ["A|제1조", "B|제1조"]
    assert words.terms == ["예고", "해고"], "no figures, no single letters, nothing of an issue that cites nothing"
    assert words.articles.tolist() == [0, 0, 1]
    assert words.words.tolist() == [0, 1, 1]
    assert words.counts.tolist() == pytest.approx([1.0, 1.0 + 0.5**0.5, 0.5**0.5])


def test_the_words_that_tell_an_article_from_others_are_kept() -> None:
    terms = [f"말{chr(0xAC00 + number)}" for number in range(WORDS_OF_AN_ARTICLE + 1)]
    every = np.arange(len(terms), dtype=np.int32)
    words = case_words([part(1, "A|제1조"), part(2, "B|제1조")], [every, every[:1]], terms)

    kept = [words.terms[word] for word in words.words[words.articles == 0].tolist()]
    assert len(kept) == WORDS_OF_AN_ARTICLE
    assert terms[0] not in kept, "B has it too"
