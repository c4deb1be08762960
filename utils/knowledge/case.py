"""The facts of an asker's case, and how the conditions of answer units stand to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from schemas.chat import UserContext
from utils.knowledge.case_choices import KNOWN_INDUSTRIES, industries_of, stated_choices
from utils.knowledge.case_numbers import stated_numbers
from utils.knowledge.headcount import headcount_change, renamed_headcount, stated_headcount
from utils.knowledge.ranges import Range, exactly
from utils.knowledge.regions import lies_in, places_of
from utils.knowledge.units import Condition, Operator, Slot

Known = Range | frozenset[str]
"""A known fact: a number by its span, a choice or a name by those that were named."""

_KEPT_TEXTS = 1_000  # several steps of a request read what was asked, and each question all that was said before it


_OF_THE_COMPANY = frozenset(
    {
        Slot.HEADCOUNT,
        Slot.BUSINESS,
        Slot.TAXPAYER,
        Slot.STAGE,
        Slot.REGION,
        Slot.INDUSTRY,
        Slot.SALES,
        Slot.BUSINESS_AGE,
    }
)


class Standing(StrEnum):
    """The relation of the conditions of a unit to a case."""

    MET = "met"  # all are known and true
    CONTRADICTED = "contradicted"  # one at least is known and false
    OPEN = "open"  # none is false, one at least is not known
    FREE = "free"  # there are none


PREFERENCE = {Standing.MET: 0.8, Standing.CONTRADICTED: -5.0}
"""Log odds that a rule gains whose conditions a case meets, and loses whose conditions it contradicts."""


@dataclass(frozen=True, slots=True)
class Case:
    """The known facts of an asker's case, by slot."""

    facts: Mapping[Slot, Known] = field(default_factory=lambda: MappingProxyType({}))

    def get(self, slot: Slot) -> Known | None:
        return self.facts.get(slot)


def case_of(texts: Sequence[str], profile: UserContext | None = None, *, before: Sequence[str] = ()) -> Case:
    """The case that ``texts`` tell, the earliest first, and a profile where they say nothing of a slot.

    What a later text says of a slot replaces what an earlier one, or the profile, said: 그럼 여섯 명이면요? asks of another case.
    Of what was said ``before``, in another matter, the facts of the company still hold.
    """
    company = {slot: known for slot, known in _told(before, {}).items() if slot in _OF_THE_COMPANY}
    known = _told(texts, _profile_facts(profile) | company)
    if known.get(Slot.TAXPAYER) == frozenset({"간이"}):
        known.setdefault(Slot.BUSINESS, frozenset({"개인"}))  # only a sole trader is one (부가가치세법 제61조 제1항)
    return Case(MappingProxyType(known))


def _told(texts: Sequence[str], known: dict[Slot, Known]) -> dict[Slot, Known]:
    changes: set[str] = set()  # a turn and the question made of it say the same change
    for text in texts:
        stated = _facts_of(text)
        if Slot.HEADCOUNT in stated:
            changes.clear()
        known = {**known, **stated}
        headcount = known.get(Slot.HEADCOUNT)
        if not isinstance(headcount, Range):
            continue
        if renamed := renamed_headcount(text):
            known[Slot.HEADCOUNT] = renamed
        elif (change := headcount_change(text)) and change[1] not in changes:
            known[Slot.HEADCOUNT] = headcount.plus(change[0])
            changes.add(change[1])
    return known


def fit(conditions: Sequence[Condition], case: Case) -> Standing:
    """The standing of ``conditions``, all of which a unit demands, in a case."""
    truths = [_truth(condition, case) for condition in conditions]
    if not truths:
        return Standing.FREE
    if False in truths:
        return Standing.CONTRADICTED
    return Standing.OPEN if None in truths else Standing.MET


def deciding(conditions: Iterable[Condition], case: Case) -> tuple[Slot, ...]:
    """The slots whose value decides whether ``conditions`` hold and is not known (well enough), in the order of the conditions."""
    return tuple(dict.fromkeys(condition.slot for condition in conditions if _truth(condition, case) is None))


@lru_cache(_KEPT_TEXTS)
def _facts_of(text: str) -> Mapping[Slot, Known]:
    headcount = stated_headcount(text)
    return {**stated_choices(text), **stated_numbers(text), **({Slot.HEADCOUNT: headcount} if headcount else {})}


def _profile_facts(profile: UserContext | None) -> dict[Slot, Known]:
    facts: dict[Slot, Known] = {}
    if profile is None:
        return facts
    if profile.user_type == "prospective":
        facts[Slot.STAGE] = frozenset({"예비창업"})
    if (company := profile.company) is None:
        return facts
    numbers = {
        Slot.HEADCOUNT: company.employee_count,
        Slot.SALES: company.annual_revenue,
        Slot.BUSINESS_AGE: company.years_in_business,
    }
    facts |= {slot: exactly(Decimal(str(number))) for slot, number in numbers.items() if number is not None}
    names = {Slot.REGION: places_of(company.region or ""), Slot.INDUSTRY: industries_of(company.industry_name or "")}
    return facts | {slot: values for slot, values in names.items() if values}


def _truth(condition: Condition, case: Case) -> bool | None:
    known = case.get(condition.slot)
    if known is None:
        return None
    if isinstance(known, Range):
        limits = [value for value in condition.values if isinstance(value, Decimal)]
        if condition.operator not in (Operator.EQUAL, Operator.UNEQUAL):
            return known.compare(condition.operator, limits[0])
        among = _any(known.compare(Operator.EQUAL, limit) for limit in limits)
    else:
        wanted = [value for value in condition.values if isinstance(value, str)]
        among = _alike(_any(_is(condition.slot, named, value) for value in wanted) for named in known)
    if among is None or condition.operator is not Operator.UNEQUAL:
        return among
    return not among


def _any(truths: Iterable[bool | None]) -> bool | None:
    found = set(truths)
    return True if True in found else None if None in found else False


def _alike(truths: Iterable[bool | None]) -> bool | None:
    """The truth of what several names say together; None where they differ, as where two kinds are compared.

    What is true of one and not decided by another is true: 일용직 알바 is 일용.
    """
    found = set(truths)
    if found == {True, None}:
        return True
    return found.pop() if len(found) == 1 else None


# A person in the one kind of contract is in none of the others; others may go together, as 수습 and 단시간 do.
_EXCLUSIVE_CONTRACTS = (
    *(frozenset({"프리랜서", other}) for other in Slot.CONTRACT.choices if other != "프리랜서"),
    *(frozenset({"일용", other}) for other in ("정규직", "기간제", "수습")),
    frozenset({"정규직", "기간제"}),
)


def _is(slot: Slot, named: str, wanted: str) -> bool | None:
    """The truth of a case of which ``named`` was said being one of ``wanted``."""
    if slot is Slot.REGION:
        return lies_in(named, wanted)
    if named == wanted:
        return True
    if slot is Slot.CONTRACT:
        return False if frozenset({named, wanted}) in _EXCLUSIVE_CONTRACTS else None
    if slot is Slot.INDUSTRY:
        return False if {named, wanted} <= KNOWN_INDUSTRIES else None
    return None if slot is Slot.PROGRAMME else False
