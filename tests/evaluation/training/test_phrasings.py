"""Teaching the vectors of units: a batch holds all units of its documents, and phrasings come nearer to their own unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from evaluation.training.phrasings import PhrasingCorpus, PhrasingOptions, PhrasingSampler, train_phrasings
from tests.support.unit_files import document_text, unit_text
from utils.knowledge.unit_parser import parse_unit_document
from utils.protocols import AnalyzedText, FloatMatrix
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.embedders.static_encoder import StaticEncoder, shipped_encoder
from vectorstores.tokenizer import KiwiTokenizer

FINED = unit_text()
DEADLINE = unit_text(
    "계약서를 주는 때",
    properties=("측면: 시기",),
    asks=(
        "계약서는 언제까지 써 줘야 해요?",
        "출근 첫날 계약서를 줘야 하나요",
        "근로계약서 교부 시기",
        "며칠 안에 계약서 줘야 되나",
    ),
    sentences=("결론: 근로계약서는 근로계약을 맺을 때 바로 교부해야 합니다(근로기준법 제17조).",),
)


@pytest.fixture(scope="module")
def corpus(tokenizer: KiwiTokenizer) -> PhrasingCorpus:
    heads = [{"id": f"HR_CONTRACT_00{number}"} for number in (1, 2)]
    parsed = [parse_unit_document(document_text(FINED, DEADLINE, head=head)).document for head in heads]
    return PhrasingCorpus.of([document for document in parsed if document is not None], tokenizer)


def test_a_text_stands_before_the_phrasings_of_its_unit(corpus: PhrasingCorpus) -> None:
    assert corpus.documents.tolist() == [0, 0, 1, 1]
    assert corpus.sizes.tolist() == [7, 5, 7, 5]
    assert corpus.firsts.tolist() == [0, 7, 12, 19]


def test_a_batch_holds_all_units_of_its_documents_and_is_the_same_for_a_seed(corpus: PhrasingCorpus) -> None:
    first, again = (PhrasingSampler(corpus, 1, seed=3).draw() for _ in range(2))
    assert first.question.size == first.passage.size == 2
    assert first.question.row.tolist() == again.question.row.tolist()


def test_what_is_taught_tells_siblings_apart(corpus: PhrasingCorpus, tokenizer: KiwiTokenizer) -> None:
    vectors, loss = train_phrasings(corpus, shipped_encoder(), PhrasingOptions(steps=150, documents=1))
    assert vectors.shape == (len(corpus.terms), 232)
    assert loss < np.log(2), "no better than a choice by chance between two siblings"
    again, _ = train_phrasings(corpus, shipped_encoder(), PhrasingOptions(steps=150, documents=1))
    assert np.array_equal(vectors, again)

    class Taught:
        def vectors(self, terms: Sequence[str]) -> FloatMatrix:
            return vectors[[corpus.terms.index(term) for term in terms]]

    def margin(encoder: StaticEncoder | Taught) -> float:
        texts = ("계약서 언제까지 줘야 해요", "근로계약서 교부 시기", "계약서를 안 주면 얼마 내요")
        asked = [AnalyzedText(text, tuple(tokenizer.terms(text))) for text in texts]
        question, same, other = KiwiEmbedder(tokenizer, encoder).embed(asked)
        return float(question @ same - question @ other)

    assert margin(Taught()) > margin(shipped_encoder())
