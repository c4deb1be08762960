"""Which statute an article belongs to."""

from __future__ import annotations

import pytest

from utils.figures.figures import find_figures
from utils.law.text_citations import StatuteResolver

RESOLVER = StatuteResolver(
    ["상가건물 임대차보호법"],
    {"부가세법": "부가가치세법", "임대차보호법": "주택임대차보호법", "하도급법": "하도급거래 공정화에 관한 법률"},
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("부가세법 제49조제1항제2호와 제50조", [("부가가치세법", "제49조"), ("부가가치세법", "제50조")]),
        ("부가세법 제49조, 같은 법 시행령 제3조", [("부가가치세법", "제49조"), ("부가가치세법시행령", "제3조")]),
        ("「소득세법」 제5조 및 동법 제7조", [("소득세법", "제5조"), ("소득세법", "제7조")]),
        ("「부가가치세법」 시행령 제3조", [("부가가치세법시행령", "제3조")]),
        ("지방소득세법 제3조", [("지방소득세법", "제3조")]),
        ("신고는 하도급거래 공정화에 관한 법률 제13조", [("하도급거래공정화에관한법률", "제13조")]),
        ("파견근로자 보호 등에 관한 법률 제6조", [("파견근로자보호등에관한법률", "제6조")]),
        (
            "상가건물 임대차보호법 제10조의8, 임대차보호법 제3조",
            [("상가건물임대차보호법", "제10조의8"), ("주택임대차보호법", "제3조")],
        ),
        ("상법(법률 제20436호) 제5조", [("상법", "제5조")]),
        ("부가가치세법에 따라 제49조", [("부가가치세법", "제49조")]),
        ("방법은 제49조", [(None, "제49조")]),
    ],
)
def test_statute_of_each_article(text: str, expected: list[tuple[str | None, str]]) -> None:
    found = RESOLVER.resolve(text, find_figures(text))
    assert [(citation.law, citation.article) for citation in found] == expected


def test_an_article_without_a_name_belongs_to_the_context() -> None:
    text = "제5조에 따른다"
    assert RESOLVER.resolve(text, find_figures(text), "상법")[0].law == "상법"


def test_clauses_are_those_that_follow_directly() -> None:
    text = "상법 제5조제1항제2호, 제3항"
    assert RESOLVER.resolve(text, find_figures(text))[0].clauses == ("제1항", "제2호")


def test_further_names_are_asked_for_when_an_article_has_to_be_named() -> None:
    asked: list[str] = []

    def names() -> list[str]:
        asked.append("names")
        return ["가게 보호법"]

    resolver = RESOLVER.knowing(names)
    assert resolver.resolve("25일까지 신고", find_figures("25일까지 신고")) == []
    assert not asked
    text = "우리 가게 보호법 제3조, 부가세법 제49조"
    assert [each.law for each in resolver.resolve(text, find_figures(text))] == ["가게보호법", "부가가치세법"]
    assert asked
