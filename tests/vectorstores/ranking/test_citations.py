"""The citation graph on texts as statutes write them."""

from __future__ import annotations

import numpy as np
import pytest

from vectorstores.ranking.citations import CitationGraph, act_of

NO_TERMS = np.zeros(0, dtype=np.int32)
ACT, DECREE, RULE = "가게보호법", "가게보호법시행령", "가게보호법시행규칙"


def cited(name: str, article: str, *texts: str) -> dict[str, int]:
    graph = CitationGraph()
    for text in texts:
        graph.add(name, f"{name}|{article}", text, NO_TERMS, NO_TERMS)
    return dict(graph.articles())


@pytest.mark.parametrize(("name", "act"), [(DECREE, ACT), (RULE, ACT), (ACT, ACT), ("시행령", "시행령"), ("", "")])
def test_decree_and_rule_belong_to_their_act(name: str, act: str) -> None:
    assert act_of(name) == act


def test_a_statute_named_with_an_article() -> None:
    text = "「상가건물 임대차보호법」 제10조제1항, 「민법」제2조의2 및 「상법」에 따른다."
    assert cited(ACT, "제1조", text) == {"상가건물임대차보호법|제10조": 1, "민법|제2조의2": 1}


def test_a_statute_counts_once_for_each_that_cites_it() -> None:
    graph = CitationGraph()
    graph.add(ACT, f"{ACT}|제1조", "「민법」 제1조와 「민법」 제2조", NO_TERMS, NO_TERMS)
    graph.add(ACT, f"{ACT}|제2조", "「민법」 제1조, 「가게 보호법」 제9조", NO_TERMS, NO_TERMS)
    graph.add("나라법", "나라법|제1조", "「민 법」과 「상법」", NO_TERMS, NO_TERMS)
    assert graph.statutes() == {"민법": 2, "상법": 1}, "nor does a statute cite itself"
    assert graph.articles()["민법|제1조"] == 2


def test_a_decree_speaks_of_its_act_and_a_rule_of_both() -> None:
    text = "법 제5조제1항 및 법 제6조의2에 따른 신고"
    assert cited(DECREE, "제3조", text) == {f"{ACT}|제5조": 1, f"{ACT}|제6조의2": 1}
    assert cited(RULE, "제3조", "제8조, 법 제5조와 영 제7조") == {
        f"{RULE}|제8조": 1,
        f"{ACT}|제5조": 1,
        f"{DECREE}|제7조": 1,
    }


def test_an_article_joined_to_another_is_of_the_same_statute() -> None:
    text = "「민법」 제2조제1항제2호가목 및 제3조부터 제5조까지에 따르고, 제7조는 제외한다."
    assert cited(ACT, "제1조", text) == {"민법|제2조": 1, "민법|제3조": 1, "민법|제5조": 1, f"{ACT}|제7조": 1}
    assert cited(DECREE, "제1조", "영 제2조ㆍ제3조") == {f"{DECREE}|제2조": 1, f"{DECREE}|제3조": 1}


def test_what_an_article_is_cited_for_follows_its_citation() -> None:
    graph = CitationGraph()
    text = "제26조제1항 또는 「근로기준법」 제27조에 따른 해고의 예고를 하여야 한다."
    places = [text.index(word) for word in ("제26조", "근로", "해고", "예고", "하여야")]
    graph.add(ACT, f"{ACT}|제1조", text, np.arange(5, dtype=np.int32), np.asarray(places, dtype=np.int32))

    labels, cited_for, terms = graph.cited_for()

    assert labels == [f"{ACT}|제26조", "근로기준법|제27조"]
    assert terms[cited_for == 1].tolist() == [2, 3, 4]
    assert 1 in terms[cited_for == 0], "the other citation is what stands beside the first"


def test_the_end_of_a_word_is_no_act() -> None:
    assert cited(DECREE, "제3조", "그 방법 제5조") == {f"{DECREE}|제5조": 1}


def test_articles_of_the_same_statute_but_not_the_one_that_speaks() -> None:
    texts = ("제3조에 따라 제4조의2를 준용한다.", "제3조 및 제9조제1항")
    assert cited(ACT, "제9조", *texts) == {f"{ACT}|제3조": 2, f"{ACT}|제4조의2": 1}


@pytest.mark.parametrize("title", ["제9조(신고)", "제9조의2(신고)", "제9조의12(신고)", "제19조(신고)"])
def test_the_title_of_an_article_cites_nothing(title: str) -> None:
    assert cited(ACT, title.partition("(")[0], f"가게 보호법 {title}\n신고한다.") == {}
