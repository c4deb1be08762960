"""The labour agent: hiring and labour relations."""

from __future__ import annotations

from agents.base import ActionRule, BaseAgent, any_of
from schemas.chat import ActionItem, ActionType
from utils.prompts import hr_labor


class HRLaborAgent(BaseAgent):
    domain = "hr_labor"
    system_prompt = hr_labor.SYSTEM_PROMPT
    ACTION_RULES = (
        ActionRule(
            any_of("근로+계약서", "근로+계약", "채용", "수습", "알바", "아르바이트", "고용"),
            ActionItem(
                type=ActionType.DOCUMENT_GENERATION,
                label="근로계약서 초안 만들기",
                description="근로조건을 넣어 근로계약서 초안을 만듭니다.",
                params={"document_type": "employment_contract"},
            ),
        ),
        ActionRule(
            any_of("해고", "징계", "내보내다", "자르다"),
            ActionItem(
                type=ActionType.DOCUMENT_GENERATION,
                label="해고 통지서 초안 만들기",
                description="해고 사유와 시기를 적는 서면 통지서 초안을 만듭니다.",
                params={"document_type": "dismissal_notice"},
            ),
        ),
    )
