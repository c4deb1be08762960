"""Answer units as JSON values, for what stores them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

from utils.knowledge.conditions import parse_condition
from utils.knowledge.units import AnswerUnit, Ask, Aspect, Role, UnitSentence

# thousands of units have some twenty labels
_aspect_of = cache(Aspect.of_label)
_role_of = cache(Role.of_label)


def unit_record(unit: AnswerUnit) -> dict[str, Any]:
    """Return the unit as a JSON object; its lines in the file it was written in are not kept."""
    return {
        "name": unit.name,
        "aspect": unit.aspect.label,
        "asks": [[ask.text, ask.verdict] for ask in unit.asks],
        "sentences": [[sentence.role.label, sentence.text] for sentence in unit.sentences],
        "conditions": [str(condition) for condition in unit.conditions],
        "valid_from": _written(unit.valid_from),
        "valid_until": _written(unit.valid_until),
        "review_by": _written(unit.review_by),
        "calculator": unit.calculator,
    }


def unit_of(record: Mapping[str, Any]) -> AnswerUnit:
    """Return the unit that `unit_record` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    return AnswerUnit(
        name=_text(record["name"]),
        aspect=_aspect_of(record["aspect"]),
        asks=tuple(Ask(_text(text), _verdict(verdict)) for text, verdict in record["asks"]),
        sentences=tuple(UnitSentence(_role_of(role), _text(text)) for role, text in record["sentences"]),
        conditions=tuple(parse_condition(_text(condition)) for condition in record["conditions"]),
        valid_from=_read(record["valid_from"]),
        valid_until=_read(record["valid_until"]),
        review_by=_read(record["review_by"]),
        calculator=None if record["calculator"] is None else _text(record["calculator"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _verdict(value: object) -> bool | None:
    if not (value is None or isinstance(value, bool)):
        raise TypeError(value)
    return value


def _written(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _read(day: str | None) -> date | None:
    return None if day is None else date.fromisoformat(day)
