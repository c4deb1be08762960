"""Hybrid search over a real small index: order, degradation, variants, diversity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from schemas.chat import Component
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_searcher import (
    LAW,
    BrokenReranker,
    WrittenReranker,
    copied,
    cut,
    open_searcher,
    request_for,
)
from utils.config.settings import Settings
from vectorstores.errors import VectorStoreUnavailable
from vectorstores.index import KnowledgeIndex
from vectorstores.integrity.damage_messages import SEARCHED
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.rerankers.base import RerankPassage
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.search.request import Clause, SearchOutcome, SearchRequest

HR = "hr_labor_db"
ACT, DECREE, RULE = (f"가게보호법{rank}|제3조" for rank in ("", "시행령", "시행규칙"))
REREAD = replace(LinearCombiner.load(), relevance_weight=1.5)
VECTORS = ("chroma/chroma.sqlite3", "vectors.npy")
learned_and_fused = pytest.mark.parametrize("embedder_id", ["kiwi-words", "hash-1"], ids=["learned", "fused"])


def labels(outcome: SearchOutcome) -> list[str]:
    return [hit.chunk.label or hit.chunk.doc_id for hit in outcome.hits]


def for_decrees(passage: RerankPassage) -> float:
    return 0.9 if "시행령" in passage.title else 0.1


@learned_and_fused
def test_an_act_stands_before_equal_words_of_its_decree_and_rule(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex, embedder_id: str
) -> None:
    searcher = open_searcher(statutes, statute_index, embedder_id=embedder_id)
    outcome = searcher.search(LAW, request_for("휴업 신고"))
    assert labels(outcome)[0] == ACT
    assert set(labels(outcome)[1:3]) == {DECREE, RULE}
    scores = [hit.score for hit in outcome.hits]
    assert scores == sorted(scores, reverse=True)
    assert outcome.degraded == ()
    assert outcome == searcher.search(LAW, request_for("휴업 신고"))


@learned_and_fused
@pytest.mark.parametrize("question", ["휴업 신고", "가게 보호법 휴업 신고"])
def test_a_deleted_article_does_not_answer(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex, embedder_id: str, question: str
) -> None:
    searcher = open_searcher(statutes, statute_index, embedder_id=embedder_id)
    assert "가게보호법|제5조" not in labels(searcher.search(LAW, request_for(question, k=4)))


def test_a_hit_tells_what_brought_it_up(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    best, *_, last = open_searcher(statutes, statute_index).search(LAW, request_for("휴업 신고", k=25)).hits
    assert best.found_by == {"bm25", "vector"}
    assert best.bm25 > 0
    assert (best.similarity or 0.0) > 0.4 > (last.similarity or 1.0)
    assert last.found_by == {"vector"}
    assert last.bm25 == 0.0


@learned_and_fused
@pytest.mark.parametrize(
    ("damaged", "component", "way"),
    [(VECTORS, Component.VECTOR, "bm25"), (("bm25/data.csc.index.npy",), Component.BM25, "vector")],
)
def test_one_side_answers_alone(
    statutes: SmallKnowledge, tmp_path: Path, embedder_id: str, damaged: tuple[str, ...], component: Component, way: str
) -> None:
    knowledge = copied(statutes, tmp_path / "var")
    cut(knowledge, *damaged)
    index = knowledge.store.open_current()
    outcome = open_searcher(knowledge, index, embedder_id=embedder_id).search(LAW, request_for("휴업 신고"))
    assert set(labels(outcome)[:3]) == {ACT, DECREE, RULE}
    assert {hit.found_by for hit in outcome.hits} == {frozenset({way})}
    assert [item.component for item in outcome.degraded] == [component]
    index.close()


def test_without_both_sides_the_search_says_so(statutes: SmallKnowledge, tmp_path: Path) -> None:
    knowledge = copied(statutes, tmp_path / "var")
    index = knowledge.store.open_current()
    index.collections[LAW].take_out(SEARCHED)
    with pytest.raises(VectorStoreUnavailable):
        open_searcher(knowledge, index).search(LAW, request_for("휴업 신고"))
    index.close()


@pytest.mark.parametrize(
    ("embedder_id", "reranker_id"),
    [("kiwi-words", "kiwi-broken"), ("hash-1", "kiwi-broken"), ("hash-1", "http-broken")],
)
def test_without_the_reranker_the_order_before_it_stays(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex, embedder_id: str, reranker_id: str
) -> None:
    searcher = open_searcher(statutes, statute_index, BrokenReranker(reranker_id), embedder_id)
    plain = searcher.search(LAW, request_for("휴업 신고"))
    broken = searcher.search(LAW, request_for("휴업 신고", rerank=True))
    assert broken.hits == plain.hits
    assert [item.component for item in broken.degraded] == [Component.RERANK]
    assert plain.degraded == ()


def test_relevance_adds_to_an_order_that_gives_it_weight(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex
) -> None:
    searcher = open_searcher(statutes, statute_index, WrittenReranker(for_decrees))
    searcher.order = REREAD
    plain = {hit.chunk.id: hit.score for hit in searcher.search(LAW, request_for("휴업 신고", k=10)).hits}
    outcome = searcher.search(LAW, request_for("휴업 신고", k=10, rerank=True))
    for hit in outcome.hits:
        assert hit.relevance == (0.9 if "시행령" in hit.chunk.title else 0.1)
        if hit.chunk.id in plain:
            assert hit.score == pytest.approx(plain[hit.chunk.id] + REREAD.relevance_weight * hit.relevance, abs=1e-4)
    assert labels(outcome).index(DECREE) < labels(outcome).index(RULE)


def test_a_reranker_without_weight_reads_the_hits_alone(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex
) -> None:
    reranker = WrittenReranker(for_decrees)
    searcher = open_searcher(statutes, statute_index, reranker)
    plain = searcher.search(LAW, request_for("휴업 신고", k=3))
    outcome = searcher.search(LAW, request_for("휴업 신고", k=3, rerank=True))
    assert labels(outcome) == labels(plain)
    assert len(reranker.passages) == 3
    assert {hit.relevance for hit in outcome.hits} <= {0.1, 0.9}


def test_a_cross_encoder_decides_alone(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    reranker = WrittenReranker(for_decrees, "http-written")
    outcome = open_searcher(statutes, statute_index, reranker).search(LAW, request_for("휴업 신고", rerank=True))
    assert labels(outcome)[0] == DECREE
    assert [hit.score for hit in outcome.hits] == [hit.relevance for hit in outcome.hits]


def test_the_reranker_reads_a_pool_and_no_more(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    reranker = WrittenReranker(for_decrees)
    searcher = open_searcher(statutes, statute_index, reranker)
    searcher.order = REREAD
    searcher.search(LAW, request_for("휴업 신고", k=2, rerank=True, rerank_pool=4, per_variant=1))
    assert 4 <= len(reranker.passages) <= 6


@learned_and_fused
def test_a_variant_brings_up_what_the_question_does_not_say(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex, embedder_id: str
) -> None:
    searcher = open_searcher(statutes, statute_index, embedder_id=embedder_id)
    alone = request_for("휴업 신고", k=3, pool=6, vector_pool=3)
    both = replace(alone, queries=("휴업 신고", "번호17 살림"))

    def candidates(request: SearchRequest) -> set[str | None]:
        found = searcher.candidates(LAW, request).ordinals
        return {chunk.label for chunk in statute_index.collections[LAW].chunks(found)}

    assert "나라살림법|제17조" not in candidates(alone)
    assert "나라살림법|제17조" in candidates(both)
    assert labels(searcher.search(LAW, both))[0] == ACT


def test_what_a_clause_ranks_first_moves_up(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    searcher = open_searcher(statutes, statute_index)
    whole = request_for("가게 보호법 휴업 신고 번호17", k=3)
    assert "나라살림법|제17조" not in labels(searcher.search(LAW, whole))
    by_clause = searcher.search(LAW, replace(whole, clauses=(Clause("번호17", "살림 번호17"),)))
    assert "나라살림법|제17조" in labels(by_clause)
    assert labels(by_clause)[0] == ACT
    scores = [hit.score for hit in by_clause.hits]
    assert scores == sorted(scores, reverse=True)


def test_what_only_a_clause_brings_up_is_judged_too(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    searcher = open_searcher(statutes, statute_index, WrittenReranker(lambda _: 0.5))
    narrow = request_for("휴업 신고", k=20, pool=20, rerank=True, rerank_pool=1, per_variant=1)
    outcome = searcher.search(LAW, replace(narrow, clauses=(Clause("살림 번호17", ""),)))
    assert "나라살림법|제17조" in labels(outcome)
    assert {hit.relevance for hit in outcome.hits} == {0.5}


def test_weight_and_kind_of_the_fusion_are_the_order_where_none_is_learned(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex
) -> None:
    searcher = open_searcher(statutes, statute_index, embedder_id="hash-1")
    assert searcher.order is None
    lexical, vector = (
        searcher.search(LAW, request_for("휴업 신고", k=9, vector_weight=weight)) for weight in (0.0, 1.0)
    )
    assert [hit.bm25 for hit in lexical.hits] == sorted((hit.bm25 for hit in lexical.hits), reverse=True)
    nearness = [hit.similarity or 0.0 for hit in vector.hits]
    assert nearness == sorted(nearness, reverse=True)
    by_rank = searcher.search(LAW, request_for("휴업 신고", fusion="rrf")).hits
    by_score = searcher.search(LAW, request_for("휴업 신고", fusion="score")).hits
    assert [hit.score for hit in by_rank] != [hit.score for hit in by_score]


@pytest.mark.parametrize(("weight", "fusion"), [(1.0, "score"), (0.0, "rrf")], ids=["weight", "kind"])
def test_weight_and_kind_of_the_fusion_are_nothing_to_a_learned_order(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex, weight: float, fusion: str
) -> None:
    searcher = open_searcher(statutes, statute_index)
    plain = searcher.candidates(LAW, request_for("휴업 신고", vector_weight=0.0))
    other = searcher.candidates(LAW, request_for("휴업 신고", vector_weight=weight, fusion=fusion))
    assert searcher.order is not None
    assert plain.fused is not None
    assert other.fused is not None
    assert not np.array_equal(plain.fused, other.fused)
    np.testing.assert_allclose(other.scores, plain.scores, atol=1e-4)


def test_of_each_variant_the_reranker_reads_some_beside_its_pool(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex
) -> None:
    def read(per_variant: int) -> list[str]:
        reranker = WrittenReranker(lambda _: 0.0)
        request = request_for("휴업 신고", "번호17", k=2, rerank=True, rerank_pool=2, per_variant=per_variant)
        searcher = open_searcher(statutes, statute_index, reranker)
        searcher.order = REREAD
        searcher.search(LAW, request)
        return [passage.key for passage in reranker.passages]

    few, more = read(1), read(4)
    assert set(few) < set(more)


def test_formal_terms_are_searched_for_too(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    searcher = open_searcher(statutes, statute_index)
    assert labels(searcher.search(LAW, request_for("쉬다", formal="휴업 신고")))[0] == ACT


def test_only_the_chunks_asked_for(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    collection = statute_index.collections[LAW]
    within = tuple(sorted(collection.by_label(RULE) + collection.by_label("나라살림법|제1조")))
    outcome = open_searcher(statutes, statute_index).search(LAW, request_for("휴업 신고", within=within))
    assert labels(outcome) == [RULE, "나라살림법|제1조"]


@pytest.mark.parametrize("question", ["", "   "])
def test_a_question_without_words_finds_nothing(
    statutes: SmallKnowledge, statute_index: KnowledgeIndex, question: str
) -> None:
    assert open_searcher(statutes, statute_index).search(LAW, request_for(question, rerank=True)) == SearchOutcome(())


def test_an_empty_collection_has_no_hits(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    outcome = open_searcher(statutes, statute_index).search(HR, request_for("휴업 신고", rerank=True, mmr_lambda=0.6))
    assert outcome == SearchOutcome(())


def test_candidates_are_those_the_search_chooses_from(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    searcher = open_searcher(statutes, statute_index)
    request = request_for("휴업 신고")
    made = searcher.candidates(LAW, request)
    best = int(made.ordinals[made.scores.argmax()])
    assert statute_index.collections[LAW].chunks([best])[0].label == ACT
    assert made.features is not None
    assert LinearCombiner.load().scores(made.features).tolist() == made.scores.tolist()


def test_an_order_can_be_learned_where_there_is_none(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    request = request_for("휴업 신고")
    learned = open_searcher(statutes, statute_index).candidates(LAW, request)
    unlearned = open_searcher(statutes, statute_index, embedder_id="hash-1").candidates(LAW, request)
    assert unlearned.features is not None
    assert learned.features is not None
    np.testing.assert_allclose(unlearned.features, learned.features, atol=1e-6)
    assert unlearned.fused is not None
    assert learned.fused is not None
    assert unlearned.scores.tolist() == unlearned.fused.tolist()
    assert learned.scores.tolist() != learned.fused.tolist()


def test_words_of_asking_count_little_or_nothing(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    terms, weights = open_searcher(statutes, statute_index).weighted_terms("휴업 신고 절차 문의 휴업")
    assert dict(zip(terms, weights, strict=True)) == {"휴업": 1.0, "신고": 1.0, "절차": 0.3}


def test_frequencies_add_up_over_collections(statutes: SmallKnowledge, statute_index: KnowledgeIndex) -> None:
    searcher = open_searcher(statutes, statute_index)
    assert searcher.document_frequencies([LAW, HR, "없는_db"], ["휴업", "살림", "없는말"]) == [3, 19, 0]


@pytest.fixture(scope="module")
def guides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HybridSearcher]:
    folder = tmp_path_factory.mktemp("guides")
    knowledge = SmallKnowledge(Settings(data_dir=folder / "data"))
    copies = [record(f"C{number}", "육아 휴직 급여 신청", title="육아 휴직") for number in range(3)]
    others = [
        record("O1", "출산 휴가 급여 신청", title="출산 휴가"),
        record("O2", "단축 근로 급여 신청", title="단축 근로"),
    ]
    noise = [record(f"N{number}", f"창고 번호{number} 의 정리") for number in range(12)]
    knowledge.add(write_lines(folder / "a.jsonl", *copies, *others, *noise))
    index = knowledge.store.open_current()
    yield open_searcher(knowledge, index)
    index.close()


def test_diversity_puts_something_else_before_a_copy(guides: HybridSearcher) -> None:
    plain = request_for("육아 휴직 급여 신청", k=3)
    assert labels(guides.search(HR, plain)) == ["C0", "C1", "C2"]
    diverse = replace(plain, queries=("급여 신청",), mmr_lambda=0.6, mmr_fetch=12)
    assert set(labels(guides.search(HR, diverse))) in ({"C0", "O1", "O2"}, {"C1", "O1", "O2"}, {"C2", "O1", "O2"})
    assert labels(guides.search(HR, replace(plain, mmr_lambda=0.6, mmr_fetch=1))) == ["C0", "C1", "C2"], (
        "nothing is chosen beyond what is fetched"
    )


def test_diversity_needs_the_vectors_of_the_chunks(statutes: SmallKnowledge, tmp_path: Path) -> None:
    knowledge = copied(statutes, tmp_path / "var")
    cut(knowledge, "vectors.npy")
    index = knowledge.store.open_current()
    searcher = open_searcher(knowledge, index)
    assert searcher.search(LAW, request_for("휴업 신고", mmr_lambda=0.6)) == searcher.search(
        LAW, request_for("휴업 신고")
    )
    index.close()
