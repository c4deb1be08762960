"""Measures of the ability for notices: which notices a request finds, and whether each turn of a dialogue is answered right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from agents.notices.dialogue import NoticeAnswer, NoticeDialogue
from agents.notices.reading import Classify
from schemas.chat import SessionState, Turn

NOT_TAKEN = frozenset({"consult", "general_chat"})
"""Intents of turns that the ability has to leave to the others."""


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """A message with what has to come of it.

    ``found`` are ids of notices: in this order unless ``any_order``; only the first of them if ``first``; among others if ``includes``;
    None, or ``any``: not looked at. ``within``: nothing else may be found, and something has to be. ``refers`` is the number in the list before that the
    answer has to be about, -1 for the last one.
    ``has`` must stand in the answer. ``intent`` may name several, joined by ``|``, where people would read the turn in either way.
    """

    say: str
    intent: str
    found: tuple[str, ...] | None = None
    has: tuple[str, ...] = ()
    any_order: bool = False
    first: bool = False
    includes: bool = False
    within: frozenset[str] = frozenset()
    refers: int = 0


@dataclass(frozen=True, slots=True)
class NoticeCase:
    """A line of a dataset: a dialogue, a request with the notices that it means, or a question that is none for notices."""

    id: str
    turns: tuple[DialogueTurn, ...] = ()
    question: str = ""
    expected: frozenset[str] = frozenset()
    today: date | None = None


@dataclass
class NoticeScores:
    """Counts over a dataset; ``faults`` name what went wrong."""

    requests: int = 0
    expected: int = 0
    found: int = 0
    turns: int = 0
    right: int = 0
    consulting: int = 0
    taken: int = 0
    faults: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Shares in [0, 1], of what was measured."""
        shares = {
            "expected_on_first_page": (self.found, self.expected),
            "turns_right": (self.right, self.turns),
            "wrongly_taken": (self.taken, self.consulting),
        }
        return {name: round(part / whole, 4) for name, (part, whole) in shares.items() if whole}


def load_cases(file: Path) -> list[NoticeCase]:
    """Read a dataset. Raises ValueError for a line that is none."""
    cases = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            cases.append(_case(json.loads(line)))
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise ValueError(f"{file}:{number}: {type(error).__name__}") from error
    return cases


def measure(
    cases: Iterable[NoticeCase], dialogue: NoticeDialogue, classify: Classify, today: date
) -> tuple[NoticeScores, list[dict[str, Any]]]:
    """Ask everything and judge it; the scores, and a record of every answer to be read."""
    scores, records = NoticeScores(), []
    for case in cases:
        day = case.today or today
        if case.turns:
            records.append(_talk(case, dialogue, classify, day, scores))
        else:
            records.append(_request(case, dialogue, classify, day, scores))
    return scores, records


def _request(
    case: NoticeCase, dialogue: NoticeDialogue, classify: Classify, day: date, scores: NoticeScores
) -> dict[str, Any]:
    answer = _asked(dialogue, case.question, (), None, day, classify)
    if not case.expected:
        scores.consulting += 1
        scores.taken += answer is not None
        if answer is not None:
            scores.faults.append(f"{case.id}: taken: {case.question[:80]}")
        return {"id": case.id, "taken": answer is not None}
    found = answer.found if answer else ()
    scores.requests += 1
    scores.expected += len(case.expected)
    scores.found += len(case.expected.intersection(found))
    if missing := sorted(case.expected.difference(found)):
        scores.faults.append(f"{case.id}: missing {', '.join(missing)}")
    return {"id": case.id, "question": case.question, "found": list(found), "conditions": _conditions(answer)}


def _talk(
    case: NoticeCase, dialogue: NoticeDialogue, classify: Classify, day: date, scores: NoticeScores
) -> dict[str, Any]:
    history: list[Turn] = []
    state: SessionState | None = None
    told = []
    for number, turn in enumerate(case.turns, start=1):
        answer = _asked(dialogue, turn.say, history, state, day, classify)
        fault = judged(turn, answer, [ref.id for ref in state.prev_anncs] if state is not None else [])
        scores.turns += 1
        scores.right += not fault
        if fault:
            scores.faults.append(f"{case.id}.{number} {turn.say}: {fault}")
        if answer is not None:
            state = answer.state
        history += [Turn(role="user", content=turn.say), Turn(role="assistant", content=_said(answer))]
        told.append({"say": turn.say, "fault": fault, "answer": _said(answer), "conditions": _conditions(answer)})
    return {"id": case.id, "turns": told}


def judged(turn: DialogueTurn, answer: NoticeAnswer | None, listed: Sequence[str] = ()) -> str:
    """Return what is wrong with an answer after a list of ``listed``; empty where it is right."""
    allowed = turn.intent.split("|")
    if answer is None:
        return "" if NOT_TAKEN.intersection(allowed) else f"not taken, expected {turn.intent}"
    intent = answer.debug.intent
    if intent not in allowed:
        return f"{intent} instead of {turn.intent}"
    if turn.refers and not _refers(turn.refers, answer.found, listed):
        return (
            f"is about {', '.join(answer.found) or 'none'}, not number {turn.refers} of {', '.join(listed) or 'none'}"
        )
    if missing := [words for words in turn.has if words not in answer.content]:
        return f"does not say {', '.join(missing)}"
    if turn.within and not (answer.found and turn.within.issuperset(answer.found)):
        return f"finds {', '.join(sorted(set(answer.found) - turn.within)) or 'nothing'}"
    return "" if _finds(turn, answer.found) else f"finds {', '.join(answer.found)}"


def _refers(number: int, found: Sequence[str], listed: Sequence[str]) -> bool:
    index = number - 1 if number > 0 else number
    return -len(listed) <= index < len(listed) and tuple(found) == (listed[index],)


def _finds(turn: DialogueTurn, found: Sequence[str]) -> bool:
    if turn.found is None:
        return True
    if turn.first:
        return found[:1] == turn.found[:1]
    if turn.includes:
        return set(turn.found) <= set(found)
    return set(turn.found) == set(found) if turn.any_order else tuple(found[: len(turn.found)]) == turn.found


def _asked(
    dialogue: NoticeDialogue,
    message: str,
    history: Sequence[Turn],
    state: SessionState | None,
    day: date,
    classify: Classify,
) -> NoticeAnswer | None:
    reading = dialogue.read(message, history, state, day, classify)
    return dialogue.answer(reading, state, None, day) if reading is not None else None


def _said(answer: NoticeAnswer | None) -> str:
    return answer.content if answer is not None else "(상담 답변)"


def _conditions(answer: NoticeAnswer | None) -> Mapping[str, str]:
    return answer.debug.conditions if answer is not None else {}


def _case(line: dict[str, Any]) -> NoticeCase:
    today = date.fromisoformat(line["today"]) if "today" in line else None
    if "turns" not in line:
        return NoticeCase(line["id"], (), line["question"], frozenset(line.get("expect_ids", ())), today)
    turns = tuple(
        DialogueTurn(
            say=turn["say"],
            intent=turn["intent"],
            found=tuple(turn["found"]) if "found" in turn and not turn.get("any") else None,
            has=tuple(turn.get("has", ())),
            any_order=turn.get("any_order", False),
            first=turn.get("first", False),
            includes=turn.get("includes", False),
            within=frozenset(turn.get("within", ())),
            refers=turn.get("refers", 0),
        )
        for turn in line["turns"]
    )
    return NoticeCase(line["id"], turns, today=today)
