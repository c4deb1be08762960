"""The chunks that a question cites, among those of a small index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.hits import make_hit
from tests.support.small_index import SmallKnowledge
from tests.support.small_searcher import LAW, open_searcher, request_for
from utils.law.question_references import LawReference
from vectorstores.index import KnowledgeIndex
from vectorstores.search.cited import ReferenceMatch, article_ordinals, reference_match, statute_members

ARTICLE = LawReference("가게 보호법", "제6조")
STATUTE = LawReference("가게 보호법")


@pytest.mark.parametrize(
    ("label", "related", "cited", "nearness"),
    [
        ("가게보호법|제6조", (), (ARTICLE,), ReferenceMatch.ARTICLE),
        ("가게보호법|제3조", (), (ARTICLE,), ReferenceMatch.STATUTE),
        ("가게보호법시행령|제6조", (), (ARTICLE,), ReferenceMatch.STATUTE),
        ("가게보호법|제6조", (), (LawReference("가게 보호법 시행령"),), ReferenceMatch.NONE),
        ("나라살림법|제6조", (), (ARTICLE,), ReferenceMatch.NONE),
        (None, ("상법 제1조", "가게 보호법 제6조"), (ARTICLE,), ReferenceMatch.RESTS_ON_ARTICLE),
        (None, ("가게 보호법 제6조제2항",), (ARTICLE,), ReferenceMatch.RESTS_ON_ARTICLE),
        (None, ("가게 보호법 제3조",), (STATUTE,), ReferenceMatch.STATUTE),
        (None, ("", "가게보호법"), (ARTICLE,), ReferenceMatch.STATUTE),
        (None, ("상법 제6조",), (ARTICLE,), ReferenceMatch.NONE),
        (None, (), (ARTICLE,), ReferenceMatch.NONE),
    ],
)
def test_how_near_a_chunk_is_to_what_is_cited(
    label: str | None, related: tuple[str, ...], cited: Sequence[LawReference], nearness: ReferenceMatch
) -> None:
    chunk = replace(make_hit("글").chunk, label=label, related_laws=related)
    assert reference_match(chunk, cited) is nearness


def test_articles_and_members_of_what_is_cited(statute_index: KnowledgeIndex) -> None:
    target = statute_index.collections[LAW]
    assert article_ordinals(target, (ARTICLE, STATUTE, ARTICLE)) == target.by_label("가게보호법|제6조")
    (members,) = statute_members(target, (ARTICLE, STATUTE, LawReference("없는 법")))
    labels = {chunk.label.split("|")[0] for chunk in target.chunks(members) if chunk.label}
    assert labels == {"가게보호법", "가게보호법시행령", "가게보호법시행규칙"}


@pytest.mark.parametrize("embedder_id", ["kiwi-words", "hash-1"], ids=["learned", "fused"])
def test_a_cited_article_is_found_and_comes_first_whatever_it_says(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex, embedder_id: str
) -> None:
    searcher = open_searcher(statutes, statute_index, embedder_id=embedder_id)

    def first(cited: tuple[LawReference, ...]) -> str | None:
        return searcher.search(LAW, request_for("휴업 신고", cited=cited)).hits[0].chunk.label

    assert first(()) == "가게보호법|제3조"
    assert first((LawReference("나라 살림법", "제7조"),)) == "나라살림법|제7조"


def test_articles_of_a_statute_that_is_named_come_up(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    searcher = open_searcher(statutes, statute_index)

    def ranks(cited: tuple[LawReference, ...]) -> list[str]:
        hits = searcher.search(LAW, request_for("휴업 신고 장관", k=8, cited=cited)).hits
        return [(hit.chunk.label or "").split("|")[0] for hit in hits]

    assert ranks((LawReference("나라 살림법"),)).index("나라살림법") < ranks(()).index("나라살림법")
