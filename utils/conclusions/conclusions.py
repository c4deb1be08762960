"""The conclusion of a unit as far as it can answer yes or no: its clauses with their force, and the words and figures of the unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from utils.conclusions.thresholds import Measured, measured
from utils.conclusions.yes_no_questions import Quantity, content_words, quantities, scope_words
from utils.knowledge.units import AnswerUnit
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
    thresholds: tuple[Measured, ...]  # of the first sentence


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


def read_conclusion(unit: AnswerUnit, morphemes_of: Callable[[str], Sequence[Morpheme]]) -> Conclusion:
    """Read the first sentence of ``unit``, and the words and figures of its name and all its sentences."""
    first = unit.sentences[0].text
    stated = [sentence.text for sentence in unit.sentences]
    texts = [unit.name, *stated]
    morphemes = {text: morphemes_of(text) for text in texts}
    return Conclusion(
        tuple(_clauses(morphemes[first])),
        bool(_BOUNDS.search(_CITED.sub("", first))),
        frozenset(m.form for text in texts for m in morphemes[text]),
        frozenset(word for text in stated for word in scope_words(morphemes[text])),
        frozenset(quantity for text in texts for quantity in quantities(text)),
        tuple(figure for figure in measured(first) if figure.is_bound),
    )


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
