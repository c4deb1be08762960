"""Bringing the documents of several searches together."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agents.retrieval.merge import both_kinds, cited_first, content_identity, merge, rank_together, similarity_weight
from tests.support.hits import make_hit
from utils.documents import Hit

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


def article(number: int, relevance: float = 0.0, text: str | None = None) -> Hit:
    return make_hit(text or f"{number}조", relevance, label=f"근로기준법|제{number}조")


def guide(text: str, relevance: float, *numbers: int) -> Hit:
    return make_hit(text, relevance, related_laws=tuple(f"근로기준법 제{number}조" for number in numbers))


def test_a_list_keeps_its_order_and_stands_by_how_good_it_is() -> None:
    learned = [make_hit("가", 0.2), make_hit("나", 0.8), make_hit("다", 0.4)]
    ranked = rank_together([learned, [make_hit("라", 0.5), make_hit("마", 0.1)]], 0.0)
    assert texts(ranked) == "가라나다마"
    assert [hit.score for hit in ranked] == [0.8, 0.5, 0.4, 0.2, 0.1]
    assert [hit.relevance for hit in ranked] == [0.2, 0.5, 0.8, 0.4, 0.1]


def test_the_cosine_decides_between_lists_of_equally_relevant_hits() -> None:
    long_winded = [make_hit("가", 0.6, similarity=0.1)]
    near = [make_hit("나", 0.5, similarity=0.4)]
    assert texts(rank_together([long_winded, near], similarity_weight("kiwi-static-v1"))) == "나가"
    assert texts(rank_together([long_winded, near], similarity_weight("local-bge-m3"))) == "가나"


def test_an_equal_passage_stays_at_the_better_of_its_places() -> None:
    ranked = rank_together([[make_hit("가", 0.9), make_hit("나", 0.5)], [make_hit("가", 0.1, chunk_id="다른 곳")]], 0.0)
    assert [(hit.chunk.id, hit.score) for hit in ranked] == [("가", 0.9), ("나", 0.5)]


@given(hit_lists)
def test_ranking_together_sorts_without_changing_any_list(lists: list[list[Hit]]) -> None:
    named = [
        [make_hit(hit.chunk.text, hit.relevance, chunk_id=f"{number}.{rank}") for rank, hit in enumerate(hits)]
        for number, hits in enumerate(lists)
    ]
    ranked = rank_together(named, 0.0)
    assert all(hit.score >= other.score for hit, other in pairwise(ranked))
    assert len(ranked) == len(set(texts(ranked)))
    assert set(texts(ranked)) == {hit.chunk.text for hits in lists for hit in hits}
    for number in range(len(lists)):
        ranks = [int(hit.chunk.id.split(".")[1]) for hit in ranked if hit.chunk.id.startswith(f"{number}.")]
        assert ranks == sorted(ranks)


def test_guides_and_articles_take_turns_in_one_list_and_in_several() -> None:
    guides = [guide("가", 0.9), guide("나", 0.85), guide("다", 0.8)]
    articles = [article(1, 0.8), article(2, 0.75), article(3, 0.7)]
    assert texts(rank_together([[*guides, *articles]], 0.0)) == "가1조나2조다3조"
    assert texts(rank_together([articles, guides], 0.0)) == "가1조나2조다3조"


def test_articles_begin_where_they_are_clearly_nearer() -> None:
    assert texts(rank_together([[guide("가", 0.8), article(1, 0.82)]], 0.0)) == "가1조", "plain words first"
    assert texts(rank_together([[guide("가", 0.8), article(1, 0.9)]], 0.0)) == "1조가"


def test_a_kind_that_falls_far_behind_loses_its_turns() -> None:
    strangers = [guide("가", 0.3), guide("나", 0.2)]
    assert texts(rank_together([strangers, [article(1, 0.9), article(2, 0.8)]], 0.0)) == "1조2조가나"
    assert texts(rank_together([[guide("가", 0.9), guide("나", 0.8)], [article(1, 0.3)]], 0.0)) == "가나1조"


def test_the_article_that_the_best_guide_rests_on_moves_up() -> None:
    articles = [article(number, 1 - number / 20) for number in range(1, 9)]
    ranked = cited_first(articles, [guide("가", 0.9, 7), guide("나", 0.5, 4)])
    assert [hit.chunk.label for hit in ranked[:3]] == ["근로기준법|제7조", "근로기준법|제4조", "근로기준법|제1조"]
    assert all(hit.score >= other.score for hit, other in pairwise(ranked))
    assert set(texts(ranked)) == set(texts(articles))
    assert texts(cited_first(articles, [guide("가", 0.9, 99)])) == texts(articles), "nothing that was found is cited"


def test_only_the_first_chunk_of_a_cited_article_moves_up() -> None:
    found = [article(1), article(2), article(3), article(9, text="앞"), article(4), article(9, text="뒤")]
    assert texts(cited_first(found, [guide("가", 0.9, 9)])) == "앞1조2조3조4조뒤"


def test_what_only_the_guides_name_stands_among_the_articles() -> None:
    found = [article(number) for number in range(1, 4)]
    basis = [article(number) for number in (11, 12)]
    assert texts(cited_first(found, [], basis=basis)) == "1조11조2조12조3조"


@given(hit_lists, st.lists(st.integers(1, 9), unique=True, max_size=6), st.lists(st.integers(1, 9), max_size=4))
def test_nothing_is_lost_between_the_kinds(lists: list[list[Hit]], numbers: list[int], cited: list[int]) -> None:
    everything = [*lists, [article(number, number / 10) for number in numbers], [guide("하", 0.4, *cited)]]
    ranked = rank_together(everything, 0.0)
    assert len(ranked) == len({content_identity(hit) for hit in ranked})
    assert {hit.chunk.text for hit in ranked} == {hit.chunk.text for hits in everything for hit in hits}
    assert all(hit.score >= other.score for hit, other in pairwise(ranked))


def test_guides_and_articles_each_get_their_number_of_places() -> None:
    guides, articles = [make_hit(text) for text in "가나다라"], [article(number) for number in range(1, 7)]
    ranked = [*articles[:4], *guides, *articles[4:]]
    assert both_kinds(ranked, 3, 2) == (*articles[:3], *guides[:3])
    assert both_kinds([*guides, *articles], 3, 2) == (*guides[:3], *articles[:2])
    assert both_kinds(articles, 3, 4) == tuple(articles[:4])
