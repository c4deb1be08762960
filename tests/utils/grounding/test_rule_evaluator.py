"""Five criteria, the cap on ungrounded answers, and honest refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from utils.documents import Chunk
from utils.grounding.answer_judge import FEATURES, AnswerJudge, AskFinding, Treatment
from utils.grounding.ask_fit import AskFit
from utils.grounding.check import GroundingSource, check_answer
from utils.grounding.rule_evaluator import (
    CRITERIA,
    AnswerEvaluation,
    AskedPart,
    EvaluatedDocument,
    EvaluationInquiry,
    RuleEvaluator,
    judge,
)
from utils.korean.coverage import QuestionReader
from utils.korean.word_rarity import WordRarity
from utils.prompts.messages import NOT_FOUND
from vectorstores.tokenizer import KiwiTokenizer

TITLE = "부가가치세 확정신고 기한"
VAT = "일반과세자의 부가가치세 확정신고 기한은 과세기간이 끝난 후 25일 이내입니다(부가가치세법 제49조)."
QUESTION = "부가가치세 확정신고 기한은 언제까지인가요?"


@pytest.fixture
def evaluator(tokenizer: KiwiTokenizer) -> RuleEvaluator:
    return RuleEvaluator(QuestionReader(tokenizer), AnswerJudge.load(), AskFit(WordRarity.load()))


def chunk_of(text: str, title: str = TITLE) -> Chunk:
    return Chunk("A", "A", "finance_tax_db", "finance_tax", "guide", title, text, "국세청")


def inquiry(
    answer: str,
    *,
    parts: tuple[str, ...] = (QUESTION,),
    found: bool = True,
    text: str = VAT,
    title: str = TITLE,
    relevance: float = 0.8,
) -> EvaluationInquiry:
    return EvaluationInquiry(
        parts=[AskedPart(part) for part in parts],
        answer=answer,
        documents=[EvaluatedDocument(chunk_of(text, title), relevance if found else 0.05)],
        retrieval_passed=found,
        grounding=check_answer(answer, [GroundingSource(1, text)], QUESTION),
    )


def test_a_cited_answer_to_the_question_passes_with_high_marks(evaluator: RuleEvaluator) -> None:
    evaluation = evaluator.evaluate(inquiry(f"{VAT} [1]"))
    assert evaluation.passed
    assert evaluation.total_score > 95
    assert set(evaluation.scores) == set(CRITERIA)


def test_one_unsupported_claim_fails_an_otherwise_perfect_answer(evaluator: RuleEvaluator) -> None:
    evaluation = evaluator.evaluate(inquiry(f"{VAT} [1] {VAT} [1] {VAT} [1] 과태료는 77만원입니다. [1]"))
    assert not evaluation.passed
    assert evaluation.total_score == 69
    assert "77만원" in evaluation.feedback


def test_an_invented_figure_without_citation_fails_too(evaluator: RuleEvaluator) -> None:
    assert not evaluator.evaluate(inquiry(f"{VAT} [1] 과태료는 77만원입니다.")).passed


def test_an_answer_that_leaves_out_a_part_is_less_complete(evaluator: RuleEvaluator) -> None:
    parts = (QUESTION, "퇴직금 중간정산 사유는 무엇인가요?")
    whole, half = evaluator.evaluate(inquiry(f"{VAT} [1]")), evaluator.evaluate(inquiry(f"{VAT} [1]", parts=parts))
    assert half.scores["completeness"] < 15 < whole.scores["completeness"]
    assert whole.passed
    assert not half.passed


def test_sentences_without_citation_cost_marks(evaluator: RuleEvaluator) -> None:
    bare = evaluator.evaluate(inquiry(VAT))
    assert bare.scores["citation"] == 0
    assert bare.scores["accuracy"] == 5
    assert not bare.passed


def test_an_honest_refusal_passes_when_nothing_was_found(evaluator: RuleEvaluator) -> None:
    assert evaluator.evaluate(inquiry(NOT_FOUND, found=False, text="연차는 15일입니다.")).passed


def test_a_refusal_fails_when_the_document_has_the_answer(evaluator: RuleEvaluator) -> None:
    evaluation = evaluator.evaluate(inquiry(NOT_FOUND))
    assert not evaluation.passed
    assert "문서에 답이 있는데도" in evaluation.feedback


def judged(score: float, answer: str = "안녕하세요.") -> AnswerEvaluation:
    return judge(dict.fromkeys(CRITERIA, score), check_answer(answer, []), threshold=70)


def test_scores_of_a_model_meet_the_same_threshold_and_cap() -> None:
    assert judged(14).passed
    assert not judged(13.9).passed
    assert judged(99).total_score == 100
    assert judged(20, "과태료는 77만원입니다.").total_score == 69
    with pytest.raises(KeyError):
        judge({"accuracy": 20}, check_answer("", []), threshold=70)


def test_the_feedback_names_the_weakest_criterion() -> None:
    scores = dict.fromkeys(CRITERIA, 12.0) | {"completeness": 1.0}
    assert "답하지 않은 부분" in judge(scores, check_answer("안녕하세요.", []), threshold=70).feedback


@pytest.mark.finding("H3")
@pytest.mark.parametrize("answer", ["", " \n ", "\u200b", "[1]", "…"])
def test_an_empty_answer_never_passes(evaluator: RuleEvaluator, answer: str) -> None:
    evaluation = evaluator.evaluate(inquiry(answer))
    assert (evaluation.passed, evaluation.total_score) == (False, 0)
    assert "내용이 없습니다" in evaluation.feedback
    best = judge(dict.fromkeys(CRITERIA, 20.0), check_answer(answer, []), threshold=70)
    assert not best.passed


def test_a_cited_sentence_about_documents_is_no_refusal(evaluator: RuleEvaluator) -> None:
    text = "근로계약서를 문서로 주지 않으면 근로조건을 확인할 수 없습니다."
    evaluation = evaluator.evaluate(inquiry(f"{text} [1]", parts=("근로계약서를 문서로 줘야 하나요?",), text=text))
    assert evaluation.passed
    assert evaluation.scores["citation"] == 20


def test_an_answer_from_a_document_of_another_subject_fails(evaluator: RuleEvaluator) -> None:
    text = "퇴직금은 퇴직일부터 14일 이내에 지급해야 합니다."
    question = "알바가 하루 만에 그만뒀는데 하루치 급여를 줘야 하나요?"
    wrong = inquiry(f"{text} [1]", parts=(question,), text=text, title="퇴직금 요건과 중간정산", relevance=0.2)
    evaluation = evaluator.evaluate(wrong)
    assert not evaluation.passed
    assert evaluation.scores["relevance"] < 5
    assert evaluation.scores["citation"] == 20


def test_a_cited_article_fits_whatever_its_title_says(evaluator: RuleEvaluator) -> None:
    asked = "민법 제398조가 뭐라고 하나요?"
    text = "손해배상의 예정액이 부당히 과다한 경우에는 법원은 적당히 감액할 수 있다."
    named = inquiry(f"{text} [1]", parts=(asked,), text=text, title="배상액의 예정", relevance=0.0)
    quoted = replace(named, documents=[EvaluatedDocument(chunk_of(text), 0.0, is_cited=True)])
    assert evaluator.evaluate(quoted).scores["relevance"] == 20
    assert evaluator.evaluate(named).scores["relevance"] < 20


def said(**values: float) -> AskFinding:
    """The finding of the best unit, first, but for these features."""
    good = {"margin": 4.0, "margin_in_document": 2.0, "aspect": 2.0, "only_phrased": 0.3}
    return AskFinding(Treatment.UNITS, tuple((good | values).get(name, 0.0) for name in FEATURES[Treatment.UNITS]))


def judged_by(evaluator: RuleEvaluator, *findings: AskFinding, settled: bool = False) -> AnswerEvaluation:
    asked = inquiry(f"{VAT} [1]")
    documents = [replace(each, chunk=replace(each.chunk, has_units=True)) for each in asked.documents]
    parts = [AskedPart(f"{number}째: {QUESTION}", (finding,), settled) for number, finding in enumerate(findings)]
    return evaluator.evaluate(replace(asked, documents=documents, parts=parts))


ASTRAY = {
    "margin": -8.0,
    "margin_in_document": 0.0,
    "first_behind": 8.0,
    "stray": 8.0,
    "only_phrased": 0.0,
    "pairs_missing": 0.5,
}


@pytest.mark.parametrize(
    "fault",
    [
        ASTRAY,
        {"verdict_against": 1.0},
        {"first_behind": 6.0, "stray": 6.0, "pairs_missing": 0.8},
    ],
)
def test_an_answer_fails_by_what_it_does_not_answer(evaluator: RuleEvaluator, fault: dict[str, float]) -> None:
    whole = judged_by(evaluator, said())
    assert whole.passed
    assert whole.unanswered == ()
    failed = judged_by(evaluator, said(), said(**fault))
    assert not failed.passed
    assert failed.total_score < 69 < whole.total_score
    assert failed.unanswered == (1,)
    assert f"1째: {QUESTION}" in failed.feedback
    assert judged_by(evaluator, said(**fault), settled=True).passed, "a computed sum is the answer"


def test_the_worse_it_answers_the_lower_the_total(evaluator: RuleEvaluator) -> None:
    behind = [judged_by(evaluator, said(margin=4.0 - 2 * far, first_behind=far)).total_score for far in range(9)]
    assert behind == sorted(behind, reverse=True)
    assert behind[0] > 95 > behind[-1] + 5


def test_documents_without_units_answer_beside_those_that_have_them(evaluator: RuleEvaluator) -> None:
    """An article that no unit knows of answers what the units do not."""
    astray = AskedPart(QUESTION, (said(**ASTRAY),))
    assert evaluator.evaluate(replace(inquiry(f"{VAT} [1]"), parts=[astray])).passed


def test_silence_is_held_against_the_units_too(evaluator: RuleEvaluator) -> None:
    def silent(odds: float, nearest: float) -> AnswerEvaluation:
        part = AskedPart(QUESTION, (AskFinding(Treatment.SILENCE, (odds, nearest)),))
        asked = inquiry(NOT_FOUND, found=False, text="연차는 15일입니다.")
        return evaluator.evaluate(replace(asked, parts=[part]))

    assert silent(-5.0, 0.2).passed
    known = silent(5.0, 0.9)
    assert not known.passed
    assert known.unanswered == (0,)


@pytest.mark.parametrize(("other", "passes"), [("퇴직금은 언제까지 줘야 하나요?", True), (QUESTION, False)])
def test_a_part_is_rightly_admitted_where_no_document_tells(
    evaluator: RuleEvaluator, other: str, *, passes: bool
) -> None:
    parts = [AskedPart(QUESTION), AskedPart(other, is_admitted=True)]
    answer = f"{VAT} [1] 나머지는 제공된 문서에서 확인할 수 없습니다."
    assert evaluator.evaluate(replace(inquiry(answer), parts=parts)).passed is passes


def test_a_question_back_may_stand(evaluator: RuleEvaluator) -> None:
    assert evaluator.evaluate(inquiry("직원이 몇 명인지 알려 주시겠어요?")).passed
