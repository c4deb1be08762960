"""Articles as people write them."""

from __future__ import annotations

import pytest

from utils.law.article_numbers import article_order, bare_article, find_articles, fold


@pytest.mark.parametrize(
    ("text", "articles", "clauses"),
    [
        ("제48조", ["제48조"], ()),
        ("48조", ["제48조"], ()),
        ("제 48 조", ["제48조"], ()),
        ("４８조", ["제48조"], ()),
        ("第48條", ["제48조"], ()),
        ("제48조의2", ["제48조의2"], ()),
        ("48조의 2", ["제48조의2"], ()),
        ("48-2조", ["제48조의2"], ()),
        ("48조-2", ["제48조의2"], ()),
        ("제10조의2의3", ["제10조의2의3"], ()),
        ("§48", ["제48조"], ()),
        ("§ 48의2", ["제48조의2"], ()),
        ("Art. 48", ["제48조"], ()),
        ("제사십팔조", ["제48조"], ()),
        ("제사십팔조의이", ["제48조의2"], ()),
        ("백이십조", ["제120조"], ()),
        ("48조 2항 3호", ["제48조"], ("제2항", "제3호")),
        ("제48조제1항제2호의3", ["제48조"], ("제1항", "제2호의3")),
        ("제48조 ②", ["제48조"], ("제2항",)),
        ("48조의 2항", ["제48조"], ("제2항",)),
        ("48조의2 1항", ["제48조의2"], ("제1항",)),
        ("17조 1호 가목", ["제17조"], ("제1호", "가목")),
        ("48조는", ["제48조"], ()),
        ("48조에서", ["제48조"], ()),
        ("48, 49조", ["제48조", "제49조"], ()),
        ("제48조 및 제49조", ["제48조", "제49조"], ()),
        ("48조~50조", ["제48조", "제49조", "제50조"], ()),
        ("48~50조", ["제48조", "제49조", "제50조"], ()),
        ("제48조부터 제50조까지", ["제48조", "제49조", "제50조"], ()),
        ("48조의2~48조의4", ["제48조의2", "제48조의3", "제48조의4"], ()),
        ("제48조 제1항 및 제2항", ["제48조"], ()),
        ("제60조의 15일", ["제60조"], ()),
    ],
)
def test_every_way_to_cite_an_article(text: str, articles: list[str], clauses: tuple[str, ...]) -> None:
    found = find_articles(fold(text))
    assert [article for mention in found for article in mention.articles] == articles
    assert found[0].clauses == clauses


@pytest.mark.parametrize(
    "text", ["5조 원", "1조 5천억", "5조원 규모", "4조 3교대", "3조각", "1,000조", "이 조건", "오조", "제조업", "0조"]
)
def test_sums_shifts_and_words_are_no_articles(text: str) -> None:
    assert find_articles(fold(text)) == []


@pytest.mark.parametrize(
    ("behind_the_name", "article"),
    [
        (" 382-2", "제382조의2"),
        (" 제23", "제23조"),
        ("23 알려줘", "제23조"),
        (" 5인 미만", None),
        (" 2024년", None),
        (" 10가지", None),
    ],
)
def test_a_number_alone_behind_a_name(behind_the_name: str, article: str | None) -> None:
    found = bare_article(behind_the_name, 0)
    assert (found.articles[0] if found else None) == article


def test_branches_come_between_the_articles() -> None:
    assert sorted(["제49조", "제48조의2", "제5조", "제48조"], key=article_order) == [
        "제5조",
        "제48조",
        "제48조의2",
        "제49조",
    ]


@pytest.mark.finding("L4")
def test_what_ranges_stand_for_is_bounded() -> None:
    chain = "~".join(f"{number}조" for number in range(1, 1_500, 10))
    assert max(len(mention.articles) for mention in find_articles(chain)) <= 110
    assert len(find_articles("1~" * 4_000)) == 0
    assert find_articles("1·" * 20 + "30조")[0].articles == ("제1조", "제30조")
