"""System prompt of the agent of a domain whose pack has none."""

from __future__ import annotations

_DEFAULT = """\
당신은 {agent}입니다. 다루는 것: {description}.
절차는 순서대로, 기한과 금액은 근거와 함께 문서에 있는 만큼 밝힙니다. 문서에 없는 내용은 관할 기관에 확인하라고 합니다."""


def default_prompt(label: str, agent_label: str, description: str) -> str:
    """Return a prompt made of the labels and the description of a pack; ``agent_label`` may be empty."""
    return _DEFAULT.format(agent=agent_label or f"{label} 상담사", description=description)
