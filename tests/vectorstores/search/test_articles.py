"""Looking up cited articles in a built index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.small_index import SmallKnowledge
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from utils.documents import Hit
from utils.law.question_references import LawReference
from vectorstores.index import KnowledgeIndex
from vectorstores.search.articles import ArticleLookup, look_up

LONG = "\n\n".join(f"**{chr(0x2460 + n)}** {'가게는 문을 연다. ' * 45}" for n in range(10))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeIndex]:
    folder = tmp_path_factory.mktemp("statutes")
    (folder / "kr").mkdir()
    act = {
        "제1조 (목적)": "가게를 지킨다.",
        "제2조 (긴 조문)": LONG,
        "제2조의2": "삭제 <2021.3.4>",
        "제4조": "**①** 하나.\n\n**②** 둘.",
    }
    write_statute(folder / "kr", "가게 보호법", act)
    write_statute(folder / "kr", "가게 보호법 시행령", {"제1조": "영의 목적이다."})
    knowledge = SmallKnowledge(Settings(data_dir=folder / "var"))
    knowledge.add(folder / "kr")
    opened = knowledge.store.open_current()
    yield opened
    opened.close()


def cited(index: KnowledgeIndex, *references: LawReference) -> ArticleLookup:
    return look_up(index.collections.values(), references)


def test_all_chunks_of_an_article_in_order(index: KnowledgeIndex) -> None:
    lookup = cited(index, LawReference("가게 보호법", "제2조"), LawReference("가게 보호법 시행령", "제1조"))
    assert [article.reference.law for article in lookup.found] == ["가게 보호법", "가게 보호법 시행령"]
    chunks = [hit.chunk for hit in lookup.found[0].hits]
    assert len(chunks) > 2
    assert "①" in chunks[0].text
    assert "⑩" in chunks[-1].text
    hits = [hit.chunk for hit in lookup.hits]
    assert hits[:2] == [chunks[0], lookup.found[1].hits[0].chunk], "the first chunk of each comes first"
    assert hits[2:] == chunks[1:]


def test_of_several_statutes_meant_the_one_that_has_the_article_is_found(index: KnowledgeIndex) -> None:
    def both(article: str) -> ArticleLookup:
        laws = ("가게 보호법", "가게 보호법 시행령")
        return cited(index, *(LawReference(law, article, is_one_of_several=True) for law in laws))

    lookup = both("제4조")
    assert [article.reference.law for article in lookup.found] == ["가게 보호법"]
    assert lookup.missing == (), "the other one is not spoken of"
    assert len(both("제1조").found) == 2
    assert len(both("제99조").missing) == 2


def test_what_is_not_there_tells_what_is(index: KnowledgeIndex) -> None:
    beyond, between, unknown = cited(
        index,
        LawReference("가게 보호법", "제99조"),
        LawReference("가게 보호법", "제3조"),
        LawReference("나라 보호법", "제1조"),
    ).missing
    assert beyond.articles == ("제1조", "제2조", "제2조의2", "제4조")
    assert beyond.neighbours == ()
    assert between.neighbours == ("제2조의2", "제4조")
    assert unknown.articles == ()


def test_deleted_articles_and_lacking_clauses_are_known(index: KnowledgeIndex) -> None:
    deleted, whole, lacking = cited(
        index,
        LawReference("가게 보호법", "제2조의2"),
        LawReference("가게 보호법", "제4조", ("제2항",)),
        LawReference("가게 보호법", "제1조", ("제2항",)),
    ).found
    assert deleted.is_deleted
    assert not whole.is_deleted
    assert not whole.lacks_clause
    assert lacking.lacks_clause


def test_the_article_leads_what_a_search_found(index: KnowledgeIndex) -> None:
    lookup = cited(index, LawReference("가게 보호법", "제4조"))
    collection = index.collections["law_common_db"]
    found = [
        Hit(chunk, score=0.5, bm25=3.0, relevance=0.4, found_by=frozenset({"bm25"}))
        for chunk in collection.chunks([0, 1])
    ]
    article = collection.chunks(collection.by_label("가게보호법|제4조"))[0]
    again = Hit(article, score=0.1, bm25=2.0, relevance=0.1, found_by=frozenset({"bm25"}))

    led = lookup.leading([*found, again])
    assert [hit.chunk.id for hit in led] == [article.id, *(hit.chunk.id for hit in found)]
    assert (led[0].bm25, led[0].relevance, led[0].found_by) == (2.0, 1.0, frozenset({"bm25", "exact"}))
    assert len(lookup.leading(found)) == 2, "the budget is kept"
    assert lookup.leading(found, k=1)[0].chunk == article
    assert ArticleLookup().leading(found) == found
