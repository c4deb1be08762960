"""Units whose days are over or lie ahead: they say so, and stand behind one of their matter that holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from types import SimpleNamespace
from typing import Any, cast

from agents.answering.units_in_force import in_force, with_validity
from agents.state import AskedUnits
from tests.support.hits import make_hit
from utils.knowledge.units import AnswerUnit, Ask, Aspect, Role, UnitSentence
from vectorstores.units.search import FoundUnit

TODAY = date(2026, 11, 23)
OLD = (None, date(2025, 12, 31))
NOW = (date(2026, 1, 1), date(2026, 12, 31))
NEXT = (date(2027, 1, 1), None)
Days = tuple[date | None, date | None]


def found(name: str, days: Days, score: float, aspect: Aspect = Aspect.AMOUNT, document: str = "D") -> FoundUnit:
    sentences = (UnitSentence(Role.CONCLUSION, f"{name}입니다."),)
    unit = AnswerUnit(name, aspect, (Ask(name),), sentences, valid_from=days[0], valid_until=days[1])
    return FoundUnit(unit, make_hit(document).chunk, score, 0.9, ())


def asked(*units: FoundUnit, ask: str = "최저임금은 얼마인가요?", verdict: bool | None = None) -> AskedUnits:
    return AskedUnits(ask, units, 0.3, ranked=cast("Any", None), case=cast("Any", None), verdict=verdict)


def names(units: AskedUnits) -> list[str]:
    return [each.unit.name for each in units.units]


def test_a_rule_that_holds_goes_before_one_whose_days_are_over_or_lie_ahead() -> None:
    old, ahead, now = found("작년", OLD, 5.0), found("내년", NEXT, 4.5), found("올해", NOW, 4.0)
    result = in_force(asked(old, ahead, now), TODAY)
    assert names(result)[0] == "올해"
    notes = {each.unit.name: each.note for each in result.units}
    assert notes == {
        "올해": "",
        "작년": "이 내용은 2025년 12월 31일까지의 기준입니다.",
        "내년": "이 내용은 2027년 1월 1일부터 적용됩니다.",
    }


def test_the_last_day_is_a_day_on_which_it_holds() -> None:
    units = asked(found("작년", OLD, 5.0), found("올해", NOW, 4.0))
    assert names(in_force(units, date(2025, 12, 31)))[0] == "작년"
    assert names(in_force(units, date(2026, 1, 1)))[0] == "올해"


def test_a_year_that_is_asked_for_is_the_day_that_counts() -> None:
    units = asked(found("작년", OLD, 5.0), found("올해", NOW, 4.0), ask="2025년 최저임금은 얼마였나요?")
    result = in_force(units, TODAY)
    assert names(result)[0] == "작년"
    assert result.units[0].note, "it is said all the same"


def test_nothing_of_another_matter_takes_the_place() -> None:
    old = found("작년", OLD, 5.0)
    for other in (
        found("절차", NOW, 4.0, aspect=Aspect.PROCEDURE),
        found("먼 것", NOW, 3.0, document="E"),
        replace(found("답이 아닌 것", NOW, 4.0), answers=0.1),
    ):
        assert names(in_force(asked(old, other), TODAY))[0] == "작년"
    near = found("가까운 것", NOW, 4.0, document="E")
    assert names(in_force(asked(old, near), TODAY))[0] == "가까운 것"


def test_the_yes_or_no_goes_with_the_unit_that_gave_it() -> None:
    old, now = found("작년", OLD, 5.0), found("올해", NOW, 4.0)
    assert in_force(asked(old, now, verdict=True), TODAY).verdict is None
    assert in_force(asked(now, old, verdict=True), TODAY).verdict is True
    assert in_force(asked(), TODAY) == asked()


def test_a_document_says_which_of_its_units_do_not_hold_today() -> None:
    old, now = found("작년", OLD, 5.0), found("올해", NOW, 4.0)
    stored = [SimpleNamespace(stored=SimpleNamespace(unit=each.unit)) for each in (old, now)]
    own = {"D": [0, 1], "E": [1]}
    catalogue = SimpleNamespace(
        units=stored, of_document=lambda document: SimpleNamespace(tolist=lambda: own.get(document, []))
    )
    units = replace(asked(old, now), ranked=cast("Any", SimpleNamespace(match=SimpleNamespace(catalogue=catalogue))))
    first, second = with_validity([make_hit("D"), make_hit("E")], [units], TODAY)
    assert first.chunk.metadata["validity"] == "‘작년’: 이 내용은 2025년 12월 31일까지의 기준입니다."
    assert "validity" not in second.chunk.metadata
    assert with_validity([make_hit("D")], [], TODAY) == [make_hit("D")]
