"""Late interaction over the embedded vectors."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import numpy as np
import pytest

from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.embedders.static_encoder import StaticEncoder
from vectorstores.rerankers.base import PassageTerms, QueryReading, RerankPassage, RerankQuery, WordList
from vectorstores.rerankers.kiwi import KiwiReranker
from vectorstores.tokenizer import KiwiTokenizer

INDEXED = WordList("퇴직금 지급 상표 출원 해고 예고".split())


@pytest.fixture(scope="module")
def embedder(tokenizer: KiwiTokenizer) -> KiwiEmbedder:
    return KiwiEmbedder(tokenizer, StaticEncoder.open())


def asked(*terms: str) -> RerankQuery:
    return RerankQuery(" ".join(terms), (QueryReading(terms, (1.0,) * len(terms)),))


def passage(key: str, terms: PassageTerms) -> RerankPassage:
    return RerankPassage(key, "", "", lambda: terms)


def indexed(*ids: int) -> PassageTerms:
    return PassageTerms(np.asarray(ids, dtype=np.int32), INDEXED)


def scores(reranker: KiwiReranker, query: RerankQuery, *terms: PassageTerms) -> Sequence[float]:
    return reranker.rerank(query, [passage(str(number), words) for number, words in enumerate(terms)])


def test_the_words_themselves_are_best_and_related_ones_better_than_others(embedder: KiwiEmbedder) -> None:
    same, related, other = scores(
        KiwiReranker(embedder), asked("해고"), indexed(4, 5), PassageTerms.of_words(["면직"]), indexed(2, 3)
    )
    assert same == 1.0 > related > other >= 0.0


def test_indexed_terms_and_words_of_no_index_mean_the_same(embedder: KiwiEmbedder) -> None:
    words = [PassageTerms.of_words(text.split()) for text in ("퇴직금 지급", "상표 출원", "해고")]
    ids = [indexed(0, 1), indexed(2, 3), indexed(4)]
    reranker = KiwiReranker(embedder)

    found = scores(reranker, asked("퇴직금", "상표"), *ids)

    assert found == scores(KiwiReranker(embedder), asked("퇴직금", "상표"), *words)
    gc.collect()  # what was numbered for words of no index goes with them
    assert found == scores(reranker, asked("퇴직금", "상표"), *ids), "known by now"


def test_a_passage_without_terms_answers_nothing(embedder: KiwiEmbedder) -> None:
    nothing = PassageTerms.of_words([])
    assert scores(KiwiReranker(embedder), asked("퇴직금"), nothing, indexed(0), nothing) == [0.0, 1.0, 0.0]
    assert scores(KiwiReranker(embedder), asked(), indexed(0)) == [0.0]


def test_when_too_many_terms_are_known_it_starts_anew(embedder: KiwiEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    reranker = KiwiReranker(embedder)
    before = scores(reranker, asked("퇴직금"), indexed(0, 1), indexed(2))
    monkeypatch.setattr("vectorstores.rerankers.kiwi._TERM_CACHE", 1)
    assert scores(reranker, asked("퇴직금"), indexed(0, 1), indexed(2)) == before
