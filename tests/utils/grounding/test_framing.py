"""Which sentences need no source, and which state something."""

from __future__ import annotations

import pytest

from utils.grounding.check import Verdict, check_answer
from utils.grounding.framing import states_nothing


@pytest.mark.parametrize(
    "text",
    [
        "안녕하세요.",
        "문의해 주셔서 감사합니다.",
        "도움이 되셨길 바랍니다.",
        "부가가치세 신고에 대해 안내해 드리겠습니다.",
        "정리하면 다음과 같습니다.",
        "필요한 서류는 아래와 같습니다.",
        "신고 절차:",
        "### 신고 절차",
        "**신고 절차**",
        "신고 기한이 궁금하신가요?",
        "부가가치세 신고 기한에 대해 문의하셨습니다.",
        "제공된 문서에서 질문하신 내용을 확인할 수 없습니다.",
        "제공된 자료에는 해당 정보가 나와 있지 않습니다.",
        "관할 세무서에 문의하시기 바랍니다.",
        "정확한 내용은 세무사와 상담하세요.",
        "질문을 조금 더 구체적으로 적어 주시거나 관할 기관에 확인해 주세요.",
        "자세한 내용은 홈택스를 참고하세요.",
        "전문가에게 검토를 의뢰하시는 것이 좋습니다.",
        "- 임대차계약서",
        "- 사업 개요",
        "| 구분 | 기한 |",
        "추가로 궁금한 점이 있으면 말씀해 주세요.",
    ],
)
def test_framing_needs_no_source(text: str) -> None:
    assert states_nothing(text)
    assert check_answer(text, []).sentences[0].verdict is Verdict.SUPPORTED


@pytest.mark.finding("M4")
@pytest.mark.parametrize(
    "text",
    [
        "부가가치세는 신고하지 않아도 됩니다.",
        "사업자등록은 세무서에서 합니다.",
        "가산세가 붙을 수 있어요.",
        "퇴직금은 별도로 지급해야 합니다.",
        "해고하려면 정당한 이유가 있어야 한다.",
        "- 가산세 없음",
        "따라서 신고 의무가 없습니다.",
        "세무서에 문의하지 않아도 됩니다.",
        "법인은 등기를 해야 성립합니다.",
        "직원이 그만두면 퇴직금을 주어야 하죠.",
    ],
)
def test_a_statement_without_a_source_is_uncited(text: str) -> None:
    assert not states_nothing(text)
    check = check_answer(text, []).sentences[0]
    assert (check.verdict, check.unsupported_claims) == (Verdict.UNCITED, ())
