"""Agents are their packs."""

from __future__ import annotations

import tomllib
from datetime import date

from agents.base import BaseAgent
from agents.finance_tax import FinanceTaxAgent
from agents.retrieval.agent_set import AgentSet
from tests.support.fifth_domain import KEY, PACK
from tests.support.packs import shipped_packs
from tests.support.routing import LABOR, LAW, TAX
from utils.routing.domain_pack import DomainPack, PackSet

FIFTH = DomainPack.model_validate(tomllib.loads(PACK))


def agents(*packs: DomainPack) -> AgentSet:
    return AgentSet(PackSet(domains=packs), chain=None)  # type: ignore[arg-type]  # nothing is searched for


def test_every_pack_has_an_agent_in_the_order_of_the_packs() -> None:
    found = agents(*shipped_packs().domains, FIFTH)
    assert tuple(found) == (*shipped_packs().keys(), KEY)
    assert type(found[KEY]) is BaseAgent
    assert type(found[TAX]) is FinanceTaxAgent
    assert found.law is found[LAW]
    assert agents(FIFTH.model_copy(update={"neighbours": ()})).law is None


def test_an_agent_says_what_its_pack_says() -> None:
    agent = agents(*shipped_packs().domains, FIFTH)[KEY]
    assert agent.get_system_prompt() == FIFTH.prompt
    assert [action.label for action in agent.suggest_actions(frozenset({"농지", "취득"}))] == [
        "농업경영계획서 초안 만들기"
    ]
    assert agent.suggest_actions(frozenset({"농지"})) == []
    assert [hint.words_for({"region": "해남"}) for hint in agent.search_hints] == ["해남"]


def test_a_pack_without_a_prompt_has_one_made_of_its_labels() -> None:
    plain = FIFTH.model_copy(update={"prompt": "", "agent_label": ""})
    prompt = agents(*shipped_packs().domains, plain)[KEY].get_system_prompt()
    assert "농업·농촌 상담사" in prompt
    assert FIFTH.description in prompt


def test_only_the_tax_agent_computes_deadlines() -> None:
    found = agents(*shipped_packs().domains)
    asked = "부가세 신고 기한"
    assert found[TAX].deadlines(asked, date(2026, 11, 20))
    assert not found[LABOR].deadlines(asked, date(2026, 11, 20))
