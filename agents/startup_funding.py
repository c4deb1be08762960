"""The start-up agent: founding, permits, support programmes."""

from __future__ import annotations

from agents.base import ActionRule, BaseAgent, any_of
from schemas.chat import ActionItem, ActionType
from utils.prompts import startup_funding


class StartupFundingAgent(BaseAgent):
    domain = "startup_funding"
    system_prompt = startup_funding.SYSTEM_PROMPT
    ACTION_RULES = (
        ActionRule(
            any_of(
                "지원+사업",
                "지원금",
                "보조금",
                "정책+자금",
                "창업+자금",
                "창업+패키지",
                "융자",
                "대출",
                "사관학교",
                "바우처",
            ),
            ActionItem(
                type=ActionType.FUNDING_SEARCH,
                label="지원사업 찾기",
                description="지역, 업종, 창업 단계에 맞는 지원사업 공고를 찾아봅니다.",
                params={"stage": "창업"},
            ),
        ),
        ActionRule(
            any_of("사업+계획서", "사업계획서", "예비+창업+패키지"),
            ActionItem(
                type=ActionType.DOCUMENT_GENERATION,
                label="사업계획서 초안 만들기",
                description="입력한 내용으로 사업계획서 초안을 만듭니다.",
                params={"document_type": "business_plan"},
            ),
        ),
    )
