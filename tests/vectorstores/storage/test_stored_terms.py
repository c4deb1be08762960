"""A chunk's terms are stored at ingest; answering analyses no document again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from chains.extractive.sentence_model import AnswerModel
from chains.extractive.sentence_scoring import SentenceScorer
from chains.extractive_task import DocumentTerms, ExtractiveDocument
from utils.config.settings import Settings
from utils.documents import Chunk, LocatedTerms
from utils.grounding.answer_judge import AnswerJudge
from utils.grounding.ask_fit import AskFit
from utils.grounding.check import GroundingSource, check_answer
from utils.grounding.rule_evaluator import AskedPart, EvaluatedDocument, EvaluationInquiry, RuleEvaluator
from utils.korean.coverage import QuestionReader
from utils.korean.word_rarity import WordRarity
from vectorstores.build.providers import open_store
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

QUESTION = "퇴직금은 언제까지 지급해야 하나요?"


class QuestionsOnly(KiwiTokenizer):
    """The service's analyser, which refuses whatever is longer than a question."""

    def located(self, text: str) -> LocatedTerms:
        assert len(text) <= len(QUESTION), f"analysed in a request: {text}"
        return super().located(text)


def document_terms(chunk: Chunk) -> DocumentTerms:
    stored = chunk.load_terms()
    assert stored is not None
    return DocumentTerms(stored.title, tuple(stored.text.within(*span) for span in chunk.sentences))


@pytest.fixture(scope="module")
def chunks(starter_settings: Settings) -> Iterator[list[Chunk]]:
    index = open_store(starter_settings).open_current()
    collection = index.collections["hr_labor_db"]
    yield collection.chunks(range(collection.size))
    index.close()


@pytest.fixture(scope="module")
def questions_only() -> QuestionsOnly:
    return QuestionsOnly()


def test_every_sentence_and_title_has_the_terms_of_its_own_analysis(
    tokenizer: KiwiTokenizer, chunks: list[Chunk]
) -> None:
    for chunk in chunks:
        terms = chunk.load_terms()
        assert terms is not None
        assert list(terms.title) == tokenizer.terms(chunk.title)
        for start, end in chunk.sentences:
            assert list(terms.text.within(start, end).terms) == tokenizer.terms(chunk.text[start:end])


def test_places_are_those_of_the_words(tokenizer: KiwiTokenizer) -> None:
    text = "비과세 소득은 1억 400만원이고, 제48조의2에 따라 신고합니다."
    located = tokenizer.located(text)
    written = {term: text[start:] for term, start in zip(located.terms, located.starts, strict=True)}
    assert written["비과세"].startswith("과세"), "a prefixed noun stands where the noun does"
    assert written["104000000원"].startswith("1억 400만원")
    assert written["제48조의2"].startswith("제48조의2")
    assert located.within(text.index("제48"), len(text)).starts[0] == 0


def test_places_go_on_over_the_pieces_of_a_long_text(tokenizer: KiwiTokenizer) -> None:
    text = "근로계약서를 교부합니다. " * 500
    located = tokenizer.located(text)
    assert [text[start : start + 2] for start in located.starts[:: len(located.starts) // 500]] == ["근로"] * 500
    assert list(tokenizer.located_many([text])) == [located]


def test_extraction_analyses_no_document(
    questions_only: QuestionsOnly, embedder: KiwiEmbedder, chunks: list[Chunk]
) -> None:
    documents = [
        ExtractiveDocument(
            index=number,
            title=chunk.title,
            domain=chunk.domain,
            sentences=tuple(chunk.sentence_texts()),
            load_terms=partial(document_terms, chunk),
        )
        for number, chunk in enumerate(chunks[:8], start=1)
    ]
    stored_side = SentenceScorer(questions_only, embedder, AnswerModel.load())
    analysed_side = SentenceScorer(KiwiTokenizer(), embedder, AnswerModel.load())
    bare = [document.model_copy(update={"load_terms": lambda: None}) for document in documents]
    candidates, analysed = stored_side.candidates(documents), analysed_side.candidates(bare)
    assert [candidate.text for candidate in candidates] == [candidate.text for candidate in analysed]
    for scored, other in zip(
        stored_side.score(stored_side.match(QUESTION, candidates)),
        analysed_side.score(analysed_side.match(QUESTION, analysed)),
        strict=True,
    ):
        assert scored.scores == pytest.approx(other.scores, abs=1e-4)


def test_a_quotation_is_evaluated_without_analysis(questions_only: QuestionsOnly, chunks: list[Chunk]) -> None:
    chunk = max(chunks, key=lambda candidate: len(candidate.text))
    answer = " ".join(f"{sentence} [1]" for sentence in chunk.sentence_texts()[:3])
    inquiry = EvaluationInquiry(
        parts=[AskedPart(QUESTION)],
        answer=answer,
        documents=[EvaluatedDocument(chunk, 0.8)],
        retrieval_passed=True,
        grounding=check_answer(answer, [GroundingSource(1, chunk.text)], QUESTION),
    )
    evaluator = RuleEvaluator(QuestionReader(questions_only), AnswerJudge.load(), AskFit(WordRarity.load()))
    assert evaluator.evaluate(inquiry).scores["citation"] == 20


def test_a_question_is_analysed_by_its_sentences_as_it_is_as_a_whole(tokenizer: KiwiTokenizer) -> None:
    text = "직원이 4년간 근무한 뒤 퇴사합니다.  2026. 3. 1. 기준으로 퇴직금은 어떻게 산정하나요? 중간정산도 되나요?"
    whole = [(token.form, str(token.tag), token.start, token.end) for token in tokenizer.kiwi.tokenize(text)]
    by_sentence = [(found.form, found.tag, found.start, found.end) for found in tokenizer.morphemes(text)]
    assert by_sentence == whole
    assert list(tokenizer.located_many([text])) == [tokenizer.located(text)]
