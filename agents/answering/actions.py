"""Next steps for a question: the agents' rules, and tax deadlines computed with their rule as a source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from agents.answering.prefill import Told, prefilled
from agents.base import BaseAgent
from schemas.chat import ActionItem, ActionType
from utils.documents import Chunk, Hit
from utils.korean.sentence_spans import split_sentences
from utils.law.tax_calendar import TaxDeadline

COMPUTED_COLLECTION = "computed"
_MAX_DEADLINES = 4  # as many as the taxes that a question names in one breath, or the next ones where it names none
_COMPUTED = 0.6  # relevance of a computed date: it completes what a document says and does not stand in its place
_DATE = "{0.year}년 {0.month}월 {0.day}일"


@dataclass(frozen=True, slots=True)
class ProposedActions:
    """``sources`` carry the computed values, each with its rule, so that an answer may cite them."""

    actions: tuple[ActionItem, ...]
    sources: tuple[Hit, ...]


NOTHING_PROPOSED = ProposedActions((), ())


class ActionPlanner:
    """Proposes actions before the answer is written."""

    def __init__(self, agents: Mapping[str, BaseAgent]) -> None:
        self._agents = agents

    def propose(
        self, question: str, terms: Iterable[str], domains: Iterable[str], today: date, told: Told | None = None
    ) -> ProposedActions:
        """Actions of the domains in order, without repeats; ``terms`` are the question's content terms.

        Documents are offered with the fields that are ``told``, or else that the question tells.
        """
        domains = tuple(domains)
        present = frozenset(terms)
        actions = [action for name in domains for action in self._agents[name].suggest_actions(present)]
        computed = [(name, deadline) for name in domains for deadline in self._agents[name].deadlines(question, today)]
        deadlines = computed[:_MAX_DEADLINES]
        calendar = [_calendar_action(deadline) for _, deadline in deadlines]
        distinct = {(action.type, action.label): action for action in [*calendar, *actions]}
        known = told or Told((question,))
        return ProposedActions(
            tuple(_with_fields(action, known, today) for action in distinct.values()),
            tuple(_calendar_source(name, deadline, today) for name, deadline in deadlines),
        )


def _with_fields(action: ActionItem, told: Told, today: date) -> ActionItem:
    """The action with the fields of its document that are known already; any other action as it is."""
    if action.type is not ActionType.DOCUMENT_GENERATION:
        return action
    fields = prefilled(str(action.params.get("type", "")), told, today)
    return action.model_copy(update={"params": {**action.params, "fields": fields}})


def _calendar_action(deadline: TaxDeadline) -> ActionItem:
    return ActionItem(
        type=ActionType.TAX_CALENDAR,
        label=f"{deadline.deadline.name} 일정",
        description=f"다음 기한은 {_DATE.format(deadline.due)}입니다. 대상: {deadline.deadline.binds}",
        params={"name": deadline.deadline.name, "due_date": deadline.due.isoformat(), "law": deadline.deadline.law},
    )


def _calendar_source(domain: str, deadline: TaxDeadline, today: date) -> Hit:
    rule = deadline.deadline
    lines = [
        f"{_DATE.format(today)}을 기준으로 다음 {rule.name} 기한은 {_DATE.format(deadline.due)}입니다({rule.law}).",
        rule.rule,
    ]
    if deadline.due != deadline.statutory:
        lines.append(rule.moving_rule)
    text = "\n".join(lines)
    law_name = rule.law.rsplit(" ", 1)[0]
    chunk = Chunk(
        id=f"TAX_CALENDAR_{rule.key}_{deadline.due.isoformat()}",
        doc_id="TAX_CALENDAR",
        collection=COMPUTED_COLLECTION,
        domain=domain,
        doc_type="guide",
        title=f"{rule.name} 일정 계산",
        text=text,
        source_name="국가법령정보센터",
        source_url=f"https://www.law.go.kr/법령/{law_name.replace(' ', '')}",
        related_laws=(rule.law,),
        metadata={"computed": True},
        sentences=split_sentences(text),
    )
    return Hit(chunk, score=_COMPUTED, similarity=1.0, relevance=_COMPUTED, found_by=frozenset({"computed"}))
