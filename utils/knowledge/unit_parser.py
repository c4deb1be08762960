"""Reader of the unit form: a head of ``key: value`` lines, then ``## unit`` with properties, ``### 묻는 말`` and ``### 답``.

Every fault is reported with its line and what is expected there; what can be read is read all the same, so that one run
shows all that is to be corrected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from utils.knowledge.conditions import ConditionFault, parse_condition
from utils.knowledge.units import CALCULATORS, AnswerUnit, Ask, Aspect, Condition, Role, UnitDocument, UnitSentence

HEAD_KEYS = ("id", "type", "title", "topic", "source_name", "source_url", "collected_at", "effective_date")
"""The keys that every head has, in this order; further ones follow and become metadata."""
ASKS_HEADING = "묻는 말"
ANSWER_HEADING = "답"

_FENCE = "---"
_HEAD_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*:[ \t]*(.*)")
_HEADING = re.compile(r"(#+)[ \t]*(.*)")
_ITEM = re.compile(r"-[ \t]+(.*)")
_PROPERTY = re.compile(r"([가-힣]+)[ \t]*:[ \t]*(.*)")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SPAN = re.compile(r"(\S*)[ \t]*~[ \t]*(\S*)")
_PROPERTIES = ("측면", "경우", "유효", "검토", "계산")
_REPEATED = "경우"
_ARROW = "→"
_VERDICTS = {"네": True, "아니요": False}


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """A thing to correct, in Korean; ``line`` counts from 1."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The document as far as it can be read (None without a usable head) and its faults by line."""

    document: UnitDocument | None
    faults: tuple[Fault, ...]


@dataclass(slots=True)
class _RawUnit:
    name: str
    line: int
    properties: list[tuple[int, str]] = field(default_factory=list)
    asks: list[tuple[int, str]] = field(default_factory=list)
    answer: list[tuple[int, str]] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)


def parse_unit_document(text: str) -> ParsedDocument:
    """Read a document in the unit form."""
    faults: list[Fault] = []
    lines = text.split("\n")
    end = _head_end(lines)
    if end is None:
        return ParsedDocument(None, (Fault(1, "머리말이 없습니다: 첫 줄과 머리말 끝에 --- 가 있어야 합니다"),))
    fields = _head_fields(lines[1:end], faults)
    raw = _raw_units(lines[end + 1 :], end + 2, faults)
    if not raw:
        faults.append(Fault(end + 1, "단위가 없습니다: '## 단위 이름'이 하나 이상 있어야 합니다"))
    units = tuple(unit for part in raw if (unit := _unit(part, faults)) is not None)
    document = _document(fields, units, faults)
    return ParsedDocument(document, tuple(sorted(faults)))


# Head


def _head_end(lines: list[str]) -> int | None:
    """The index of the line that closes the head."""
    if not lines or lines[0].rstrip() != _FENCE:
        return None
    return next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), None)


def _head_fields(lines: list[str], faults: list[Fault]) -> dict[str, tuple[int, str]]:
    """The values of the head by key, each with its line; those of `HEAD_KEYS` are complete and in order, or it is said."""
    fields: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        match = _HEAD_LINE.fullmatch(line.rstrip())
        if match is None:
            faults.append(Fault(number, "머리말은 한 줄에 '키: 값' 하나여야 합니다 (키는 영문 소문자)"))
        elif match[1] in fields:
            faults.append(Fault(number, f"머리말의 키가 두 번 나옵니다: {match[1]}"))
        else:
            fields[match[1]] = number, _unquoted(match[2].strip())
    at = {key: fields.get(key, (1, "")) for key in HEAD_KEYS}
    faults += [Fault(number, f"머리말에 {key} 값이 없습니다") for key, (number, value) in at.items() if not value]
    written = [key for key in fields if key in HEAD_KEYS]
    if list(fields)[: len(written)] != [key for key in HEAD_KEYS if key in fields]:
        faults.append(Fault(1, f"머리말의 순서는 {', '.join(HEAD_KEYS)}이고 다른 키는 그 뒤에 옵니다"))
    return fields


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"" else value


def _document(
    fields: Mapping[str, tuple[int, str]], units: tuple[AnswerUnit, ...], faults: list[Fault]
) -> UnitDocument | None:
    dates = {}
    for key in ("collected_at", "effective_date"):
        number, value = fields.get(key, (0, ""))
        dates[key] = _date(value, number, key, faults) if value else None
    collected, effective = dates["collected_at"], dates["effective_date"]
    values = {key: value for key, (_, value) in fields.items() if value}
    if collected is None or effective is None or not all(key in values for key in HEAD_KEYS):
        return None
    metadata = {key: value for key, value in values.items() if key not in HEAD_KEYS or key == "topic"}
    named = {key: values[key] for key in ("id", "type", "title", "source_name", "source_url")}
    return UnitDocument(**named, collected_at=collected, effective_date=effective, metadata=metadata, units=units)


# Units


def _raw_units(lines: list[str], first: int, faults: list[Fault]) -> list[_RawUnit]:
    """The items of each unit under its headings; whatever stands outside of them is a fault."""
    units: list[_RawUnit] = []
    into: list[tuple[int, str]] | None = None
    for number, line in enumerate(map(str.rstrip, lines), start=first):
        if not line:
            continue
        if heading := _HEADING.fullmatch(line):
            into = _entered(heading, number, units, into, faults)
        elif into is None:
            if not units:  # else the heading above is the fault
                faults.append(Fault(number, "'## 단위 이름' 아래에 있지 않은 글입니다"))
        elif item := _ITEM.fullmatch(line):
            into.append((number, item[1].strip()))
        else:
            faults.append(Fault(number, "'- '로 시작하는 한 줄이어야 합니다 (문장을 줄바꿈으로 나누지 않습니다)"))
    return units


def _entered(
    heading: re.Match[str],
    number: int,
    units: list[_RawUnit],
    before: list[tuple[int, str]] | None,
    faults: list[Fault],
) -> list[tuple[int, str]] | None:
    """The list that the items below a heading go to; None below a heading that is none of the form."""
    level, title = len(heading[1]), heading[2].strip()
    if level == 2 and title:
        if any(unit.name == title for unit in units):
            faults.append(Fault(number, f"단위 이름이 이 문서에 두 번 나옵니다: {title}"))
        units.append(_RawUnit(title, number))
        return units[-1].properties
    if level == 3 and units and title in (ASKS_HEADING, ANSWER_HEADING):
        unit = units[-1]
        if title in unit.sections:
            faults.append(Fault(number, f"'### {title}'이 한 단위에 두 번 나옵니다"))
        if title == ASKS_HEADING and ANSWER_HEADING in unit.sections:
            faults.append(Fault(number, f"'### {ASKS_HEADING}'은 '### {ANSWER_HEADING}' 앞에 와야 합니다"))
        unit.sections.append(title)
        return unit.asks if title == ASKS_HEADING else unit.answer
    expected = f"'## 단위 이름', '### {ASKS_HEADING}', '### {ANSWER_HEADING}' 가운데 하나여야 합니다"
    faults.append(Fault(number, f"알 수 없는 제목입니다: {heading.group()} ({expected})"))
    return before


def _unit(raw: _RawUnit, faults: list[Fault]) -> AnswerUnit | None:
    """The unit; None where its aspect cannot be told."""
    missing = [title for title in (ASKS_HEADING, ANSWER_HEADING) if title not in raw.sections]
    faults.extend(Fault(raw.line, f"단위에 '### {title}'이 없습니다: {raw.name}") for title in missing)
    properties = _properties(raw, faults)
    asks = tuple(_asks(raw, faults))
    sentences = tuple(_sentences(raw, faults))
    if ANSWER_HEADING in raw.sections and not sentences:
        faults.append(Fault(raw.line, f"단위에 답이 없습니다: {raw.name}"))
    aspect = _aspect(properties, raw, faults)
    conditions = tuple(_conditions(properties, faults))
    valid_from, valid_until = _validity(properties, faults)
    review_by = _single(properties, "검토", faults)
    calculator = _calculator(properties, faults)
    if aspect is None:
        return None
    return AnswerUnit(
        raw.name, aspect, asks, sentences, conditions, valid_from, valid_until, review_by, calculator, raw.line
    )


def _asks(raw: _RawUnit, faults: list[Fault]) -> Iterator[Ask]:
    for number, text in raw.asks:
        question, arrow, verdict = text.partition(_ARROW)
        if arrow and verdict.strip() not in _VERDICTS:
            faults.append(Fault(number, f"'{_ARROW}' 뒤에는 {' 또는 '.join(_VERDICTS)}만 씁니다: {text}"))
        elif question.strip():
            yield Ask(question.strip(), _VERDICTS.get(verdict.strip()), number)


_Properties = dict[str, list[tuple[int, str]]]


def _properties(raw: _RawUnit, faults: list[Fault]) -> _Properties:
    properties: _Properties = {}
    for number, text in raw.properties:
        match = _PROPERTY.fullmatch(text)
        if match is None or match[1] not in _PROPERTIES:
            faults.append(Fault(number, f"'- 이름: 값'이어야 합니다 (이름은 {', '.join(_PROPERTIES)})"))
        elif match[1] in properties and match[1] != _REPEATED:
            faults.append(Fault(number, f"'{match[1]}'은 한 단위에 한 번만 씁니다"))
        elif not match[2]:
            faults.append(Fault(number, f"'{match[1]}'의 값이 없습니다"))
        else:
            properties.setdefault(match[1], []).append((number, match[2]))
    return properties


def _aspect(properties: _Properties, raw: _RawUnit, faults: list[Fault]) -> Aspect | None:
    expected = f"'- 측면: '은 다음 가운데 하나입니다: {', '.join(Aspect.labels())}"
    if "측면" not in properties:
        faults.append(Fault(raw.line, f"단위에 측면이 없습니다: {raw.name} ({expected})"))
        return None
    number, label = properties["측면"][0]
    try:
        return Aspect.of_label(label)
    except ValueError:
        faults.append(Fault(number, f"알 수 없는 측면입니다: {label} ({expected})"))
        return None


def _conditions(properties: _Properties, faults: list[Fault]) -> Iterator[Condition]:
    for number, text in properties.get("경우", ()):
        try:
            yield parse_condition(text)
        except ConditionFault as fault:
            faults.append(Fault(number, f"경우: {fault}"))


def _validity(properties: _Properties, faults: list[Fault]) -> tuple[date | None, date | None]:
    if "유효" not in properties:
        return None, None
    number, text = properties["유효"][0]
    span = _SPAN.fullmatch(text)
    if span is None or not (span[1] or span[2]):
        faults.append(Fault(number, f"유효: '2026-01-01 ~ 2026-12-31'처럼 써야 합니다: {text}"))
        return None, None
    first, last = (_date(part, number, "유효", faults) if part else None for part in span.groups())
    if first is not None and last is not None and last < first:
        faults.append(Fault(number, f"유효: 끝나는 날이 시작하는 날보다 앞섭니다: {text}"))
    return first, last


def _single(properties: _Properties, name: str, faults: list[Fault]) -> date | None:
    if name not in properties:
        return None
    number, text = properties[name][0]
    return _date(text, number, name, faults)


def _calculator(properties: _Properties, faults: list[Fault]) -> str | None:
    if "계산" not in properties:
        return None
    number, key = properties["계산"][0]
    if key in CALCULATORS:
        return key
    faults.append(Fault(number, f"알 수 없는 계산입니다: {key} (가능한 값: {', '.join(sorted(CALCULATORS))})"))
    return None


def _sentences(raw: _RawUnit, faults: list[Fault]) -> Iterator[UnitSentence]:
    for number, text in raw.answer:
        match = _PROPERTY.fullmatch(text)
        if match is None or match[1] not in Role.labels() or not match[2]:
            faults.append(Fault(number, f"답은 '- 역할: 문장'이어야 합니다 (역할은 {', '.join(Role.labels())})"))
        else:
            yield UnitSentence(Role.of_label(match[1]), match[2], number)


def _date(text: str, number: int, name: str, faults: list[Fault]) -> date | None:
    try:
        if _DATE.fullmatch(text):  # Python also reads 20260101 and 2026-W01-1
            return date.fromisoformat(text)
    except ValueError:
        pass
    faults.append(Fault(number, f"{name}: 날짜가 아닙니다: {text} (2026-01-01처럼 씁니다)"))
    return None
