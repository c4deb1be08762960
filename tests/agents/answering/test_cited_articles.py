"""Notes of an answer on the articles that a question cites."""

from __future__ import annotations

from dataclasses import replace

from agents.answering.cited_articles import CitedArticles
from utils.documents import Chunk, Hit
from utils.grounding.check import AnswerChecker, GroundingSource
from utils.law.question_references import LawReference
from vectorstores.search.articles import ArticleLookup, FoundArticle, MissingArticle

TEXTS = ("① 하나다.", "② 법 제54조에 따른 것이다.", "③ 셋이다.")


def article(part: int, *texts: str) -> Hit:
    text = "\n".join(texts)
    spans, at = [], 0
    for sentence in texts:
        spans.append((at, at + len(sentence)))
        at += len(sentence) + 1
    chunk = Chunk(
        id=f"상법|제5조:{part}", doc_id="상법|제5조", collection="law_common_db", domain="law_common", doc_type="law",
        title="상법 제5조(상인)", text=text, source_name="국가법령정보센터", sentences=tuple(spans), label="상법|제5조",
    )  # fmt: skip
    return Hit(chunk, score=1.0, relevance=1.0, found_by=frozenset({"exact"}))


HIT = article(0, *TEXTS)


def test_chunks_of_one_article_are_quoted_without_what_they_repeat() -> None:
    hits = (article(0, *TEXTS[:2]), article(1, *TEXTS[1:]))
    lookup = ArticleLookup((FoundArticle(LawReference("상법", "제5조"), hits),), asks_nothing_else=True)
    quotation = CitedArticles(lookup, hits).quotations()[0]
    assert quotation.heading == "상법 제5조(상인)"
    assert quotation.sentences == ((1, TEXTS[0]), (1, TEXTS[1]), (2, TEXTS[2]))


def test_a_model_is_told_what_there_is_and_what_there_is_not() -> None:
    hits = (article(0, *TEXTS),)
    lookup = ArticleLookup(
        (FoundArticle(LawReference("상법", "제5조", ("제2항",)), hits),),
        (
            MissingArticle(LawReference("상법", "제5조의3"), ("제1조", "제5조", "제6조")),
            MissingArticle(LawReference("민법", "제1조")),
        ),
    )
    block = CitedArticles(lookup, hits).prompt_block()
    assert "- 상법 제5조 제2항: 문서 [1]" in block
    assert "상법 제5조의3은 제공된 문서에 없습니다" in block
    assert "제1조부터 제6조까지" in block
    assert "제5조와 제6조" in block
    assert "민법의 조문은 제공된 문서에 없습니다" in block
    assert CitedArticles(ArticleLookup(), hits).prompt_block() == ""


def test_a_sentence_quoted_word_for_word_is_grounded_whatever_stood_before_it() -> None:
    source = GroundingSource(1, "\n".join(TEXTS), title="부가가치세법 시행령 제90조")
    answer = f"민법 제54조는 모릅니다. {TEXTS[1]} [1]"
    quoted, invented = (
        AnswerChecker().check(text, [source]).sentences[-1] for text in (answer, answer.replace("따른 것", "따르는 것"))
    )
    assert not quoted.unsupported_claims
    assert invented.unsupported_claims


def test_of_an_article_that_is_no_source_is_said_what_is_known_without_a_number() -> None:
    """It did not fit into the prompt."""
    gone = replace(article(0, "제5조 삭제 <2020. 1. 2.>"), chunk=replace(HIT.chunk, metadata={"deleted": True}))
    lookup = ArticleLookup(
        (
            FoundArticle(LawReference("상법", "제5조"), (gone,)),
            FoundArticle(LawReference("민법", "제1조", ("제9항",)), (HIT,)),
        )
    )
    assert CitedArticles(lookup, (HIT,)).notes()[1].endswith("제9항이 없습니다. [1]")
    assert [note.endswith("다.") for note in CitedArticles(lookup, ()).notes()] == [True, True]
    assert CitedArticles(lookup, ()).quotations() == ()
