"""Bringing the documents of several searches together."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agents.retrieval.merge import content_identity, merge, rank_together
from tests.support.hits import make_hit
from utils.knowledge import Hit

hit_lists = st.lists(
    st.lists(
        st.builds(make_hit, st.sampled_from("가나다라마바사"), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9])),
        max_size=6,
        unique_by=content_identity,
    ),
    max_size=4,
)


def texts(hits: list[Hit]) -> str:
    return "".join(hit.chunk.text for hit in hits)


def test_identity_is_the_whole_text_whatever_its_spaces_and_ids() -> None:
    long = "같은 앞부분 " * 200
    assert content_identity(make_hit("한 글", chunk_id="1")) == content_identity(make_hit(" 한\n글 ", chunk_id="2"))
    assert content_identity(make_hit(f"{long}하나")) != content_identity(make_hit(f"{long}둘"))


def test_the_best_of_each_list_come_first_and_no_passage_twice() -> None:
    first = [make_hit(text) for text in "가나다"]
    second = [make_hit(text) for text in "라나마"]
    assert texts(merge([first, second])) == "가라나다마"
    assert merge([]) == merge([[], []]) == []


@given(hit_lists)
def test_merging_loses_no_passage(lists: list[list[Hit]]) -> None:
    merged = merge(lists)
    assert len(merged) == len(set(texts(merged)))
    assert set(texts(merged)) == {hit.chunk.text for hits in lists for hit in hits}


def test_a_list_keeps_its_order_and_stands_by_how_good_it_is() -> None:
    learned = [make_hit("가", 0.2), make_hit("나", 0.8), make_hit("다", 0.4)]
    ranked = rank_together([learned, [make_hit("라", 0.5), make_hit("마", 0.1)]])
    assert texts(ranked) == "가라나다마"
    assert [hit.score for hit in ranked] == [0.8, 0.5, 0.4, 0.2, 0.1]
    assert [hit.relevance for hit in ranked] == [0.2, 0.5, 0.8, 0.4, 0.1]


def test_an_equal_passage_stays_at_the_better_of_its_places() -> None:
    ranked = rank_together([[make_hit("가", 0.9), make_hit("나", 0.5)], [make_hit("가", 0.1, chunk_id="다른 곳")]])
    assert [(hit.chunk.id, hit.score) for hit in ranked] == [("가", 0.9), ("나", 0.5)]


@given(hit_lists)
def test_ranking_together_sorts_without_changing_any_list(lists: list[list[Hit]]) -> None:
    named = [
        [make_hit(hit.chunk.text, hit.relevance, chunk_id=f"{number}.{rank}") for rank, hit in enumerate(hits)]
        for number, hits in enumerate(lists)
    ]
    ranked = rank_together(named)
    assert all(one.score >= other.score for one, other in pairwise(ranked))
    assert len(ranked) == len(set(texts(ranked)))
    assert set(texts(ranked)) == {hit.chunk.text for hits in lists for hit in hits}
    for number in range(len(lists)):
        ranks = [int(hit.chunk.id.split(".")[1]) for hit in ranked if hit.chunk.id.startswith(f"{number}.")]
        assert ranks == sorted(ranks)
