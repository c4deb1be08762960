"""Questions that no document of law and procedure can answer are known by how they ask."""

from __future__ import annotations

import pytest

from utils.korean.beyond_documents import asks_beyond_documents, is_of_another_country


@pytest.mark.parametrize(
    "question",
    [
        "역삼세무서 담당자 직통번호 알려주세요",
        "고용센터 전화 번호 뭐예요",
        "노무사 추천해 주세요",
        "세무사 좀 추천 부탁드려요",
        "회계 프로그램 중에 뭐가 더 나아요?",
        "기장료 11만원이면 싼건가요",
        "태국 세관에서 관세를 몇 프로 매겨요?",
        "캐나다 현지 노동법으로 퇴직금을 줘야 하나요?",
    ],
)
def test_numbers_recommendations_and_prices_are_beyond_documents(question: str) -> None:
    assert asks_beyond_documents(question)


@pytest.mark.parametrize(
    "question",
    [
        "개인사업자랑 법인 중에 뭐가 유리해요?",
        "사업자등록번호가 없으면 세금계산서를 못 끊나요?",
        "추천서가 있어야 비자를 받나요?",
        "비싼 기계를 사면 감가상각은 어떻게 하나요?",
        "주민등록번호 뒷자리를 받아도 되나요?",
        "정부 추천 인증을 받으면 혜택이 있나요?",
        "일본 법인을 세우면 한국에서도 신고하나요?",
        "단골 연락처도 가져간 것 같아요. 가게 문을 닫게 할 수 있나요?",
        "이름이랑 전화번호가 든 엑셀을 잘못 보냈어요. 언제까지 알려야 하나요?",
        "주소만 옮기고 전화번호도 그대로예요. 신고해야 하나요?",
    ],
)
def test_what_documents_may_answer_is_not(question: str) -> None:
    assert not asks_beyond_documents(question)


def test_the_law_of_another_country_is_none_of_ours() -> None:
    law = "주식회사에는 법으로 정한 최저자본금이 없습니다."
    assert is_of_another_country("베트남에 법인 세우려면 자본금 얼마예요?", law)
    assert not is_of_another_country("법인 세우려면 자본금 얼마예요?", law)
    assert not is_of_another_country("베트남 직원을 뽑으려면요?", "외국인은 취업할 수 있는 체류자격이 있어야 합니다.")
    assert not is_of_another_country("미국에 수출하면 부가세는요?", "수출하는 재화는 영세율입니다.")


@pytest.mark.parametrize(
    "question",
    [
        "적자난법인도신고해야됨?",
        "개인도 전자로 끊어야 하나요?",
        "본인도 서명했어요",
        "물건을 인도 받은 뒤 대금을 못 냈어요",
        "새로 온 알바랑 사인도 했어요",
    ],
)
def test_a_country_is_a_word_of_its_own(question: str) -> None:
    assert not is_of_another_country(question, "")


@pytest.mark.parametrize(
    "question", ["인도에서 법인 세우려면요", "중국에서 들여올 때 관세는요", "미국 상표는 어떻게 등록해요"]
)
def test_countries_are_read(question: str) -> None:
    assert is_of_another_country(question, "")
