"""When a question also needs the law itself, and when it only sounds like it."""

from __future__ import annotations

import pytest

from agents.retrieval.legal_supplement import LegalSigns
from utils.korean.glossary import load_glossary
from utils.law.question_references import LawNameFinder
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="module")
def signs(tokenizer: KiwiTokenizer) -> LegalSigns:
    return LegalSigns(tokenizer)


@pytest.mark.parametrize(
    "question",
    [
        "직원을 내보내려면 법적으로 어떤 절차를 밟아야 하나요?",
        "이건 어떤 법률이 적용되나요?",
        "거래처를 상대로 소송을 하려면 어떻게 하나요?",
        "계약을 어긴 업체에 손해배상을 청구할 수 있나요?",
        "이런 경우의 판결이 있나요?",
        "동업자를 고소하려고 합니다.",
        "수습 기간에 해고하면 위법인가요?",
        "돈을 못 받으면 지급명령을 신청하나요?",
        "내용증명은 어떻게 보내나요?",
        "이의신청 절차가 궁금합니다.",
        "임금 채권의 소멸 시효는 몇 년인가요?",
    ],
)
def test_a_legal_lemma(signs: LegalSigns, question: str) -> None:
    assert signs.question_is_legal(question, ())


@pytest.mark.parametrize(
    "question",
    [
        "부가세 신고 방법이 궁금해요.",
        "이 기계의 용법을 알려 주세요.",
        "세금을 줄이는 편법이 있나요?",
        "절세 방법과 4대보험 가입 방법은?",
        "영업 비법과 요리법을 배우려고 합니다.",
        "법인 설립 절차는 어떻게 되나요?",
        "퇴직금은 언제까지 지급해야 하나요?",
    ],
)
def test_a_syllable_is_no_lemma(signs: LegalSigns, question: str) -> None:
    assert not signs.question_is_legal(question, ())


@pytest.mark.parametrize("question", ["근기법상 휴게시간은요?", "상가임대차보호법이 적용되나요?", "민법 제750조는?"])
def test_a_statute_by_name_or_short_name(signs: LegalSigns, question: str) -> None:
    glossary = load_glossary()
    finder = LawNameFinder(glossary.laws, glossary.law_aliases)
    assert signs.question_is_legal(question, finder.find(question))


@pytest.mark.parametrize(
    ("documents", "disputes"),
    [
        ([["부당", "해고", "구제", "신청"], ["손해", "배상", "청구"]], True),
        ([["손해", "배상"], ["배상", "청구"]], False),
        ([["소송", "판결"]], True),
        ([["소송"], ["소송"], ["소송", "비용"]], False),
        ([["소송"], ["과태료", "벌금", "징역"]], False),
        ([["소송"], [], [], [], [], ["판결"]], False),
        ([["소송"], [], [], [], ["판결"]], True),
        ([], False),
    ],
)
def test_two_different_dispute_lemmas_among_the_top_five(
    signs: LegalSigns, documents: list[list[str]], disputes: bool
) -> None:
    assert signs.documents_are_disputes(documents) is disputes
