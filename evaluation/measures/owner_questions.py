"""Questions as owners type them: what each asks, the documents that answer it, and patterns of right and of misleading facts."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evaluation.questions import EvaluationQuestion, load_questions_as
from schemas.chat import Turn
from utils.figures.figures import FigureKind, find_figures
from utils.grounding.answer_sentences import CITATION

Pattern = re.Pattern[str]
Value = Decimal | tuple[Decimal, Decimal]

_BLANKS = re.compile(r"\s+")
# Figures that may tell a key fact or a misleading statement: 500% is 5배, but 1일 of 1일 8시간 and 하루 are one day alike.
_REWRITTEN = frozenset(FigureKind) - {FigureKind.ARTICLE, FigureKind.CLAUSE}


class AskKind(StrEnum):
    """Kinds of things asked, by what answers them first."""

    OPEN = "open"
    YES_NO = "yes_no"
    SUM = "sum"
    DATE = "date"


class Ask(BaseModel):
    """A thing that a question asks. Nothing in the documents answers it if ``gold``, the ids of those that do, is empty.

    ``key_facts`` are searched in `plain` text; an answer to the ask states all of them. ``verdict``: the yes or no that facts and
    rule come to, None where they leave it open. ``value``: the sum in ``unit``, or the lowest and the highest one that the facts
    of the question allow.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: str = Field(min_length=1)
    kind: AskKind
    gold: tuple[str, ...]
    key_facts: tuple[Pattern, ...]
    verdict: bool | None = None
    value: Value | None = None
    unit: str = "원"

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if (self.kind is AskKind.SUM) != (self.value is not None):
            raise ValueError("a sum, and nothing else, has a value")
        if bool(self.gold) != bool(self.key_facts or self.value is not None):
            raise ValueError("what documents answer has key facts or a value, what none answers has neither")
        return self

    @property
    def answerable(self) -> bool:
        return bool(self.gold)

    def facts_in(self, plain_text: str) -> int:
        """Return how many of the key facts, the value being one of them, ``plain_text`` states."""
        stated = sum(bool(fact.search(plain_text)) for fact in self.key_facts)
        return stated + (self.value is not None and self.states_value(plain_text))

    @property
    def facts(self) -> int:
        """The number of facts that an answer states."""
        return len(self.key_facts) + (self.value is not None)

    def states_value(self, plain_text: str) -> bool:
        """Return True if ``plain_text`` states the value; False without one."""
        if self.value is None:
            return False
        low, high = self.value if isinstance(self.value, tuple) else (self.value, self.value)
        numbers = re.findall(rf"(?<![\d.])(\d+(?:\.\d+)?){re.escape(self.unit)}", plain_text)
        return any(low <= Decimal(number) <= high for number in numbers)


class OwnerQuestion(EvaluationQuestion):
    """A question with the turns before it. ``misleading`` patterns are searched in each sentence: rules of another case or subject."""

    history: tuple[Turn, ...] = ()
    asks: tuple[Ask, ...] = Field(min_length=1)
    misleading: tuple[Pattern, ...] = ()

    @property
    def documents(self) -> frozenset[str]:
        """The ids of the documents that answer one of the asks."""
        return frozenset(name for ask in self.asks for name in ask.gold)


def load_owner_questions(path: Path) -> list[OwnerQuestion]:
    """Read a file of questions with their asks.

    Raises:
        ValueError: a line is no such question; the message names the line. Or two lines have one id.
    """
    return load_questions_as(OwnerQuestion, path)


def plain(text: str) -> str:
    """Return ``text`` as the patterns see it: no blanks, no source marks, and every figure in one form.

    3천만원 and 3,000만 원 are 30000000원, 5퍼센트 and 100분의 5 are 5%, 5배 is 500%, 다섯 명 and 5인 are 5명, 7월 25일 is 7월25일.
    """
    text = CITATION.sub("", text)
    parts, at = [], 0
    for figure in find_figures(text):
        if figure.kind in _REWRITTEN:
            parts += [text[at : figure.start], figure.canonical]
            at = figure.end
    return _BLANKS.sub("", "".join([*parts, text[at:]])).replace("ㆍ", "·")
