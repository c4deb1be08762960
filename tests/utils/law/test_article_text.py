"""The part of an article that is asked for."""

from __future__ import annotations

import pytest

from utils.law.article_text import clause_of

ARTICLE = (
    "① 사장은 다음을 알려야 한다.",
    "1. 돈",
    "2. 때. 다음을 포함한다.",
    "가. 낮",
    "나. 밤",
    "2의2. 곳",
    "② 직원은 묻는다.",
    "1. 이름",
)


@pytest.mark.parametrize(
    ("clauses", "rows"),
    [
        (("제1항",), (0, 1, 2, 3, 4, 5)),
        (("제2항",), (6, 7)),
        (("제1항", "제1호"), (0, 1)),
        (("제1항", "제2호의2"), (0, 5)),
        (("제1항", "제2호", "나목"), (0, 2, 4)),
        (("제2항", "제1호"), (6, 7)),
        (("제3항",), None),
        (("제2항", "제2호"), None),
    ],
)
def test_a_clause_with_what_leads_up_to_it(clauses: tuple[str, ...], rows: tuple[int, ...] | None) -> None:
    assert clause_of(ARTICLE, clauses) == (None if rows is None else tuple(ARTICLE[row] for row in rows))


def test_an_article_without_paragraphs_is_its_first_paragraph() -> None:
    assert clause_of(("하나다.", "둘이다."), ("제1항",)) == ("하나다.", "둘이다.")
    assert clause_of(("하나다.",), ("제2항",)) is None
