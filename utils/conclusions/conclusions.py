"""The yes or no that the conclusion of a unit gives: 줘야 합니다 answers 줘야 하나요 with 네 and 안 줘도 되나요 with 아니요.

The clause of the conclusion that is about what the question asks has a force, read from its ending, and the force answers the
predicate of the question. Which force answers which predicate, and how much the question may say that the unit does not, is
chosen by the precision over the judged phrasings of the base (tests/utils/conclusions). What is stated without a bound holds
for the asker; what is stated of a size, an age or a time holds where the case is known to meet the conditions of the unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from utils.knowledge.units import AnswerUnit
from utils.knowledge.yes_no_questions import (
    Kind,
    Quantity,
    QuestionReading,
    content_words,
    quantities,
    scope_words,
)
from utils.protocols import Morpheme


class Force(StrEnum):
    """The sense of the ending of a clause."""

    MUST = "must"  # 지급해야 합니다, 의무가 있습니다
    NEED_NOT = "need not"  # 하지 않아도 됩니다, 의무가 없습니다
    CANNOT = "cannot"  # 할 수 없습니다, 하면 안 됩니다, 금지됩니다
    MAY = "may"  # 할 수 있습니다, 해도 됩니다
    SANCTION = "sanction"  # 과태료가 부과됩니다, 벌금에 처해질 수 있습니다
    APPLIES = "applies"  # 적용됩니다, 대상입니다
    APPLIES_NOT = "applies not"  # 적용되지 않습니다, 제외됩니다


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a conclusion; ``force`` is None where its ending has none of them."""

    force: Force | None
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The first sentence of a unit beside all that the unit says."""

    clauses: tuple[Clause, ...]
    is_bounded: bool  # it is said of some sizes, times or cases only
    words: frozenset[str]
    scope: frozenset[str]
    quantities: frozenset[Quantity]


class _Scope(StrEnum):
    """The words of a question that widen, narrow or deny (없이, 먼저, 만, 무조건)."""

    ANY = "any"
    KNOWN = "known"  # only such as the unit has
    SOME = "some"  # it has one: what is to be left out or done otherwise


@dataclass(frozen=True, slots=True)
class _Rule:
    """The answer to a predicate that is not denied; denied, it is the other one."""

    answer: bool
    new_words: int = 2  # of the question, at most, that the unit nowhere has
    scope: _Scope = _Scope.ANY
    needs_last: bool = False  # the last word of what is asked about is in the clause
    may_be_bounded: bool = False
    holds_where_met: bool = False  # bounds are no matter where the case meets the conditions of the unit
    unclear_beside_may: frozenset[Force] = frozenset({Force.CANNOT})  # some may and some may not


_RULES = {
    (Kind.OBLIGATION, Force.MUST): _Rule(True, scope=_Scope.KNOWN),
    (Kind.OBLIGATION, Force.NEED_NOT): _Rule(False, holds_where_met=True),
    (Kind.OBLIGATION, Force.APPLIES_NOT): _Rule(False, holds_where_met=True),
    (Kind.PERMISSION, Force.CANNOT): _Rule(False, may_be_bounded=True),
    (Kind.PERMISSION, Force.MUST): _Rule(
        False, new_words=3, scope=_Scope.SOME, unclear_beside_may=frozenset({Force.CANNOT, Force.MUST})
    ),
    (Kind.PERMISSION, Force.SANCTION): _Rule(False, may_be_bounded=True),
    (Kind.ABILITY, Force.MAY): _Rule(True, new_words=0, scope=_Scope.KNOWN, needs_last=True),
    (Kind.ABILITY, Force.SANCTION): _Rule(True, may_be_bounded=True),
}

_PARTICLE = r"(?:\S+/J\S+ )?"
_CAN = r"(?:(?:ᆯ|을)/ETM 수/NNB 있/VA )"
_FORCES = tuple(
    (force, re.compile(rf" (?:{pattern})(?:\S+/EP )?$"))
    for force, pattern in (
        (
            Force.NEED_NOT,
            rf"지/EC {_PARTICLE}않/VX (?:어도|아도)/EC (?:되|괜찮)/V\S+ |(?:의무|필요)/NNG {_PARTICLE}(?:없/VA|아니/VCN) ",
        ),
        (
            Force.MUST,
            rf"(?:어야|아야|여야|라야)/EC (?:만/JX )?(?:하|되)/V\S+ |의무/NNG {_PARTICLE}(?:있/V\S+|이/VCP) "
            rf"|(?:필요|필수)/\S+ (?:하/XSA|이/VCP) ",
        ),
        (
            Force.CANNOT,
            rf"수/NNB {_PARTICLE}없/VA |(?:면|으면|어서|아서|여서|어서는|아서는|여서는)/EC (?:는/JX )?안/MAG 되/V\S+ "
            r"|지/EC (?:\S+/JX )?못하/VX |금지/NNG (?:되|하)/XSV |불가능/\S+ 하/XSA ",
        ),
        (
            Force.SANCTION,
            rf"처하/VV 어/EC 지/VX {_CAN}|(?:부과|처벌)/NNG 되/XSV {_CAN}?"
            rf"|(?:과태료|벌금|과징금|가산세|처벌|징역|부담금)/NNG {_PARTICLE}(?:내|받|물|붙|있)/V\S+ {_CAN}?",
        ),
        (Force.MAY, rf"수/NNB {_PARTICLE}있/VA |(?:어도|아도|여도)/EC (?:되|괜찮)/V\S+ |가능/\S+ 하/XSA "),
        (
            Force.APPLIES_NOT,
            r"적용/NNG (?:되|하)/XSV 지/EC 않/VX |제외/NNG (?:되|하)/XSV |해당/NNG 하/XSV 지/EC 않/VX |대상/NNG 이/JKC 아니/VCN ",
        ),
        (Force.APPLIES, r"적용/NNG (?:되|하)/XSV |해당/NNG 하/XSV |대상/NNG 이/VCP |포함/NNG (?:되|하)/XSV "),
    )
)
_LATEST = 10  # morphemes before the end of a clause among which its force is
_LONGEST = 12  # letters of each that patterns read
_JOINED = frozenset("고 며 으며 지만 으나 나 거나".split())

_CITED = re.compile(r"\([^()]{0,400}\)")
_BOUNDS = re.compile(
    r"이상|이하|미만|초과|넘[는으어지기]|에 한[해하정]|만 |경우|부터|않는 한|않았으면|원칙|일부|등록된|요건|아닌|모두"
)

# They say nothing of what is done, or stand for so many things that sharing them is no sign of the same.
_LIGHT = frozenset("하 되 있 없 필요 의무 수 것 걸 경우 때 대상 적용 가능 주 받 내 꼭 혹시 필수".split())
_NO_CONDITION = frozenset("어떤 그 이 저 한 꼭 가게 사장 회사 직원 알바 필요 의무 가능 우리 사람 걸".split())
_MARKS = ("?", "？")
_ACT = 2  # last words of a question that are what is done


def read_conclusion(unit: AnswerUnit, morphemes_of: Callable[[str], Sequence[Morpheme]]) -> Conclusion:
    """Read the first sentence of ``unit``, and the words and figures of all its sentences and phrasings."""
    first = unit.sentences[0].text
    stated = [sentence.text for sentence in unit.sentences]
    texts = [unit.name, *stated, *(ask.text for ask in unit.asks)]
    morphemes = {text: morphemes_of(text) for text in texts}
    return Conclusion(
        tuple(_clauses(morphemes[first])),
        bool(_BOUNDS.search(_CITED.sub("", first))),
        frozenset(m.form for text in texts for m in morphemes[text]),
        frozenset(word for text in stated for word in scope_words(morphemes[text])),
        frozenset(quantity for text in texts for quantity in quantities(text)),
    )


def concluded(
    question: QuestionReading, morphemes: Sequence[Morpheme], conclusion: Conclusion, *, is_case_met: bool
) -> bool | None:
    """The answer of ``conclusion`` to ``question``: True for yes, False for no, None where it does not tell.

    ``morphemes`` are those of the question; ``is_case_met`` says that the unit has conditions and the asker's case meets them.
    """
    polarity = question.polarity
    act = _act(question, morphemes)
    clause = _clause_about(act, conclusion.clauses)
    if polarity is None or clause is None or clause.force is None:
        return None
    rule = _RULES.get((polarity.kind, clause.force))
    forces = {other.force for other in conclusion.clauses}
    if rule is None or (Force.MAY in forces and forces & rule.unclear_beside_may):
        return None
    if rule.needs_last and not _has(clause, act[-1]):
        return None
    if _adds_conditions(question, conclusion, rule, is_case_met=is_case_met):
        return None
    return rule.answer != polarity.is_negated


def _clauses(morphemes: Sequence[Morpheme]) -> list[Clause]:
    """The clauses that have a force, and the last one; what has none is a part of what follows it. Brackets are left out."""
    clauses: list[Clause] = []
    said: list[Morpheme] = []
    depth = 0
    for morpheme in morphemes:
        depth += (morpheme.tag == "SSO") - (morpheme.tag == "SSC")
        if depth or morpheme.tag == "SSC":
            continue
        if morpheme.tag == "SF":
            break
        if morpheme.tag == "EF" or (morpheme.tag == "EC" and morpheme.form in _JOINED):
            force = _force(said)
            if force or morpheme.tag == "EF":
                clauses.append(Clause(force, frozenset(content_words(said))))
                said = []
                continue
        said.append(morpheme)
    return clauses


def _force(said: Sequence[Morpheme]) -> Force | None:
    written = [f"{m.form.replace('/', '·')[:_LONGEST]}/{m.tag.split('-')[0]}" for m in said[-_LATEST:]]
    tail = f"  {' '.join(written)} "
    return next((force for force, pattern in _FORCES if pattern.search(tail)), None)


def _act(question: QuestionReading, morphemes: Sequence[Morpheme]) -> list[str]:
    """The last words of content before the predicate: what is done, and to what. Parts of a compound count as one word."""
    marks = [number for number, morpheme in enumerate(morphemes) if morpheme.form.startswith(_MARKS)]
    asking = morphemes[: marks[-1]] if marks else morphemes  # what follows explains it
    said = [m for m in asking if m.form in question.words and m.form not in _LIGHT and any(content_words([m]))]
    begins = [number for number, m in enumerate(said) if not number or said[number - 1].end < m.start]
    return [m.form for m in said[begins[-_ACT:][0] :]] if begins else []


def _clause_about(act: Sequence[str], clauses: Sequence[Clause]) -> Clause | None:
    """The clause that shares most of ``act``, by its last word where several do; None where none or two do."""
    shared = [sum(_has(clause, word) for word in act) for clause in clauses]
    most = max(shared, default=0)
    if not most:
        return None
    about = [clause for clause, count in zip(clauses, shared, strict=True) if count == most]
    if len(about) > 1:
        about = [clause for clause in about if _has(clause, act[-1])]
    return about[0] if len(about) == 1 else None


def _has(clause: Clause, word: str) -> bool:
    return word in clause.words or (len(word) > 1 and any(word in other for other in clause.words))


def _adds_conditions(question: QuestionReading, conclusion: Conclusion, rule: _Rule, *, is_case_met: bool) -> bool:
    """Return True if the answer may depend on what the question says and the unit does not, or the other way round."""
    is_settled = is_case_met and rule.holds_where_met
    if conclusion.is_bounded and not (is_settled or rule.may_be_bounded):
        return True
    if not is_settled and question.quantities - conclusion.quantities:
        return True
    if rule.scope is _Scope.KNOWN and question.scope - conclusion.scope:
        return True
    if rule.scope is _Scope.SOME and not question.scope:
        return True
    return len(question.words - conclusion.words - _NO_CONDITION) > rule.new_words
