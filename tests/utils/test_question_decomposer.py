import pytest

from tests.support.routing import DOMAINS_DIR, LABOR, LAW, STARTUP, TAX, Said
from utils.question_decomposer import QuestionDecomposer, SubQuery
from utils.routing.domain_pack import load_pack_files
from utils.routing.evidence import EvidenceReader
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer

DISMISSAL = [
    Said("user", "직원을 해고하려면 어떤 절차가 필요한가요?"),
    Said("assistant", "해고하려면 30일 전에 예고해야 합니다 [1]."),
]
WORDED_OTHERWISE = [
    Said("user", "직원을 내보내려면 어떻게 해야 하나요?"),
    Said("assistant", "해고 사유가 정당해야 하고, 해고는 서면으로 알려야 합니다 [1]."),
]
VAT = [Said("user", "부가세 신고는 언제까지인가요?"), Said("assistant", "7월 25일까지입니다 [1].")]


@pytest.fixture(scope="module")
def decomposer(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> QuestionDecomposer:
    packs = load_pack_files(DOMAINS_DIR)
    return QuestionDecomposer(EvidenceReader(tokenizer, embedder, packs), packs.keys())


def test_one_domain_passes_through(decomposer: QuestionDecomposer) -> None:
    question = "부가가치세는 언제까지 신고해야 하나요?"
    assert decomposer.decompose(question, [TAX]) == (SubQuery(TAX, question),)


def test_what_is_told_goes_with_each_thing_asked(decomposer: QuestionDecomposer) -> None:
    question = "카페를 열려고 해요. 사업자등록은 어떻게 하고 처음에 세금은 뭘 챙겨야 하나요?"
    assert decomposer.decompose(question, [STARTUP, TAX]) == (
        SubQuery(STARTUP, "카페를 열려고 해요. 사업자등록은 어떻게 하나요?"),
        SubQuery(TAX, "카페를 열려고 해요. 처음에 세금은 뭘 챙겨야 하나요?"),
    )


def test_a_list_of_wishes_becomes_sentences(decomposer: QuestionDecomposer) -> None:
    question = "빵집을 운영합니다. 상표 등록, 직원 휴게시간, 그리고 접대비 처리를 한꺼번에 알려 주세요."
    assert decomposer.decompose(question, [LAW, LABOR, TAX]) == (
        SubQuery(LAW, "빵집을 운영합니다. 상표 등록을 알려 주세요."),
        SubQuery(LABOR, "빵집을 운영합니다. 직원 휴게시간을 알려 주세요."),
        SubQuery(TAX, "빵집을 운영합니다. 접대비 처리를 한꺼번에 알려 주세요."),
    )


def test_a_clause_without_a_subject_stays_with_the_one_before(decomposer: QuestionDecomposer) -> None:
    question = "하도급 대금을 못 받았는데 어떻게 청구하나요? 기간은 얼마나 걸리나요? 부가세는 돌려받나요?"
    law, tax = decomposer.decompose(question, [LAW, TAX])
    assert "얼마나 걸리나요" in law.query
    assert "얼마나 걸리나요" not in tax.query


def test_a_domain_with_nothing_of_its_own_gets_the_whole_question(decomposer: QuestionDecomposer) -> None:
    question = "부가세 신고는 언제까지 하나요?"
    assert decomposer.decompose(question, [TAX, LABOR])[1] == SubQuery(LABOR, question)


@pytest.mark.parametrize("history", [DISMISSAL, WORDED_OTHERWISE])
@pytest.mark.parametrize(
    "question",
    [
        "그럼 다섯 명이 안 되면 달라지나요?",
        "그건 언제까지 해야 하나요?",
        "위반하면 처벌이 있나요?",
        "비용은요?",
        "직원이 거부하면요?",
        "법인은요?",
        "그럼 프리랜서는요?",
        "그 경우 서류는 뭐가 필요한가요?",
    ],
)
def test_a_follow_up_names_the_subject(decomposer: QuestionDecomposer, history: list[Said], question: str) -> None:
    rewritten = decomposer.resolve_follow_up(question, history)
    assert "해고" in rewritten
    assert rewritten != question


@pytest.mark.parametrize(
    "question",
    [
        "그럼 부가세는 언제 내나요?",
        "사업자등록은 어떻게 하나요?",
        "점심 메뉴 골라 줘",
        "블랙홀은 어떻게 생기나요?",
        "고마워요!",
        "네",
        "",
    ],
)
def test_what_stands_alone_is_left_alone(decomposer: QuestionDecomposer, question: str) -> None:
    assert decomposer.resolve_follow_up(question, DISMISSAL) == question


def test_without_history_nothing_changes(decomposer: QuestionDecomposer) -> None:
    assert (
        decomposer.resolve_follow_up("그럼 다섯 명이 안 되면 달라지나요?", []) == "그럼 다섯 명이 안 되면 달라지나요?"
    )


def test_the_latest_subject_wins_and_old_turns_are_forgotten(decomposer: QuestionDecomposer) -> None:
    assert "부가세" in decomposer.resolve_follow_up("늦으면 어떻게 되나요?", [*DISMISSAL, *VAT])
    empty = [Said("user", "그렇군요 알겠습니다"), Said("assistant", "네.")] * 3
    assert decomposer.resolve_follow_up("늦으면 어떻게 되나요?", [*DISMISSAL, *empty]) == "늦으면 어떻게 되나요?"


def test_a_rewrite_is_not_rewritten_again(decomposer: QuestionDecomposer) -> None:
    once = decomposer.resolve_follow_up("그 경우 서류는 뭐가 필요한가요?", DISMISSAL)
    assert decomposer.resolve_follow_up(once, DISMISSAL) == once


def test_the_history_is_part_of_what_is_remembered(decomposer: QuestionDecomposer) -> None:
    question = "늦으면 어떻게 되나요?"
    assert "해고" in decomposer.decompose(question, [LABOR], DISMISSAL)[0].query
    assert "부가세" in decomposer.decompose(question, [LABOR], VAT)[0].query
