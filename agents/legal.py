"""The legal agent: general law, and the statutes behind every domain."""

from __future__ import annotations

from agents.base import ActionRule, BaseAgent, any_of
from schemas.chat import ActionItem, ActionType
from utils.prompts import law_common

LEGAL_DOMAIN = "law_common"


class LegalAgent(BaseAgent):
    domain = LEGAL_DOMAIN
    system_prompt = law_common.SYSTEM_PROMPT
    ACTION_RULES = (
        ActionRule(
            any_of(
                "소송",
                "분쟁",
                "고소",
                "고발",
                "손해+배상",
                "손해배상",
                "지급+명령",
                "지급명령",
                "압류",
                "가압류",
                "미수금",
                "침해",
                "재판",
                "파산",
                "회생",
            ),
            ActionItem(
                type=ActionType.LEGAL_CONSULTATION,
                label="무료 법률상담 안내",
                description="대한법률구조공단(국번 없이 132)에서 법률상담을 받을 수 있습니다.",
                params={"phone": "132", "url": "https://www.klac.or.kr"},
            ),
        ),
        ActionRule(
            any_of("내용+증명", "내용증명"),
            ActionItem(
                type=ActionType.DOCUMENT_GENERATION,
                label="내용증명 초안 만들기",
                description="상대방과 요구 내용을 넣어 내용증명 초안을 만듭니다.",
                params={"document_type": "certified_letter"},
            ),
        ),
    )
