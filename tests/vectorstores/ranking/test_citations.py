"""The citation graph on texts as statutes write them."""

from __future__ import annotations

import pytest

from vectorstores.ranking.citations import CitationGraph, act_of

ACT, DECREE, RULE = "가게보호법", "가게보호법시행령", "가게보호법시행규칙"


def cited(name: str, article: str, *texts: str) -> dict[str, int]:
    graph = CitationGraph()
    for text in texts:
        graph.add(name, f"{name}|{article}", text)
    return dict(graph.articles())


@pytest.mark.parametrize(("name", "act"), [(DECREE, ACT), (RULE, ACT), (ACT, ACT), ("시행령", "시행령"), ("", "")])
def test_decree_and_rule_belong_to_their_act(name: str, act: str) -> None:
    assert act_of(name) == act


def test_a_statute_named_with_an_article() -> None:
    text = "「상가건물 임대차보호법」 제10조제1항, 「민법」제2조의2 및 「상법」에 따른다."
    assert cited(ACT, "제1조", text) == {"상가건물임대차보호법|제10조": 1, "민법|제2조의2": 1}


def test_a_statute_counts_once_for_each_that_cites_it() -> None:
    graph = CitationGraph()
    graph.add(ACT, f"{ACT}|제1조", "「민법」 제1조와 「민법」 제2조")
    graph.add(ACT, f"{ACT}|제2조", "「민법」 제1조, 「가게 보호법」 제9조")
    graph.add("나라법", "나라법|제1조", "「민 법」과 「상법」")
    assert graph.statutes() == {"민법": 2, "상법": 1}, "nor does a statute cite itself"
    assert graph.articles()["민법|제1조"] == 2


def test_a_decree_speaks_of_its_act_and_a_rule_of_both() -> None:
    text = "법 제5조제1항 및 법 제6조의2에 따른 신고"
    assert cited(DECREE, "제3조", text) == {f"{ACT}|제5조": 1, f"{ACT}|제6조의2": 1}
    assert cited(RULE, "제3조", "법 제5조, 영 제7조 및 제8조") == {
        f"{ACT}|제5조": 1,
        f"{DECREE}|제7조": 1,
        f"{RULE}|제8조": 1,
    }


def test_the_end_of_a_word_is_no_act() -> None:
    assert cited(DECREE, "제3조", "그 방법 제5조") == {f"{DECREE}|제5조": 1}


def test_articles_of_the_same_statute_but_not_the_one_that_speaks() -> None:
    texts = ("제3조에 따라 제4조의2를 준용한다.", "제3조 및 제9조제1항")
    assert cited(ACT, "제9조", *texts) == {f"{ACT}|제3조": 2, f"{ACT}|제4조의2": 1}


@pytest.mark.parametrize("title", ["제9조(신고)", "제9조의2(신고)", "제9조의12(신고)", "제19조(신고)"])
def test_the_title_of_an_article_cites_nothing(title: str) -> None:
    assert cited(ACT, title.partition("(")[0], f"가게 보호법 {title}\n신고한다.") == {}
