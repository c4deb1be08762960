"""Which of the things asked an answer treats, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agents.answering.asked_parts import ask_outcomes, asked_parts
from agents.state import RouterState
from utils.grounding.answer_judge import Treatment
from utils.grounding.ask_fit import AskFit
from utils.grounding.check import check_answer
from utils.grounding.rule_evaluator import AskedPart
from utils.grounding.sources import grounding_sources
from utils.korean.word_rarity import WordRarity
from utils.prompts.messages import NOT_FOUND, nearest_follows, not_found

WORDS = AskFit(WordRarity.load())
TWO = "폐업하면 부가세 언제까지 신고해요? 그리고 퇴직금은 며칠 안에 줘야 하나요?"


def parts_of(state: RouterState, content: str | None = None) -> list[AskedPart]:
    """The parts of the run's own answer, or of another text with its sources."""
    answer = state["answer"] if content is None else replace(state["answer"], content=content)
    report = check_answer(answer.content, grounding_sources(answer.documents))
    return asked_parts(state, answer, report, WORDS)


def treatments(parts: list[AskedPart]) -> list[list[Treatment]]:
    return [[finding.treatment for finding in part.findings] for part in parts]


def test_each_thing_asked_has_what_is_said_to_it(asked: Callable[[str], RouterState]) -> None:
    state = asked(TWO)
    assert [part.text for part in parts_of(state)] == [each.ask for each in state["units"]]
    assert treatments(parts_of(state)) == [[Treatment.UNITS], [Treatment.UNITS]]


def test_an_admission_is_of_the_thing_asked_whose_words_it_has(asked: Callable[[str], RouterState]) -> None:
    state = asked(TWO)
    tax = state["answer"].content.split("\n\n")[0]
    content = f"{tax}\n\n**퇴직금**\n{not_found('퇴직금은 며칠 안에 줘야 하나요?')}"
    assert treatments(parts_of(state, content)) == [[Treatment.UNITS], [Treatment.SILENCE]]


def test_a_refusal_is_silent_to_everything_and_a_beside_remark_to_nothing(asked: Callable[[str], RouterState]) -> None:
    assert treatments(parts_of(asked(TWO), NOT_FOUND)) == [[Treatment.SILENCE], [Treatment.SILENCE]]
    state = asked("퇴직금은 언제까지 지급해야 하나요?")
    beside = f"{state['answer'].content} 그 밖의 내용은 제공된 문서에서 확인할 수 없습니다."
    assert treatments(parts_of(state, beside)) == [[Treatment.UNITS]]


def test_a_computed_sum_settles_what_it_was_asked_for(asked: Callable[[str], RouterState]) -> None:
    state = asked("시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?")
    assert any(part.is_settled for part in parts_of(state))
    assert not any(part.is_settled for part in parts_of(state, "주휴수당은 1주 15시간부터 줍니다. [2]"))


def test_what_no_document_tells_is_rightly_not_told(asked: Callable[[str], RouterState]) -> None:
    [part] = parts_of(asked("세무사 사무실 전화번호 알려주세요"), NOT_FOUND)
    assert part.is_settled


def test_without_units_the_sub_questions_are_the_parts(asked: Callable[[str], RouterState]) -> None:
    state = asked(TWO)
    parts = parts_of({**state, "units": ()})
    assert [part.text for part in parts] == [each.query for each in state["sub_queries"]]
    assert treatments(parts) == [[] for _ in parts]
    assert not any(part.is_admitted for part in parts)
    assert all(part.is_admitted for part in parts_of({**state, "units": ()}, NOT_FOUND))


def outcomes(state: RouterState, content: str | None = None, **changes: object) -> list[bool]:
    """Return, for each thing asked, whether the run's own answer (or ``content`` in its place) answers it."""
    answer = state["answer"] if content is None else replace(state["answer"], content=content)
    assert answer.evaluation is not None
    report = check_answer(answer.content, grounding_sources(answer.documents))
    evaluation = replace(answer.evaluation, grounding=report, **changes)  # type: ignore[arg-type]
    return [each.answered for each in ask_outcomes({**state, "answer": replace(answer, evaluation=evaluation)})]


def test_the_outcome_of_each_thing_asked_names_the_nearest_document(asked: Callable[[str], RouterState]) -> None:
    state = asked(TWO)
    told = ask_outcomes(state)
    assert [each.text for each in told] == [each.ask for each in state["units"]]
    assert [each.answered for each in told] == [True, True]
    assert [each.nearest.id if each.nearest else "" for each in told] == [
        each.units[0].chunk.doc_id for each in state["units"]
    ]


def test_what_is_admitted_or_judged_to_fail_is_not_answered(asked: Callable[[str], RouterState]) -> None:
    state = asked(TWO)
    tax = state["answer"].content.split("\n\n")[0]
    assert outcomes(state, f"{tax}\n\n**퇴직금**\n{not_found('퇴직금은 며칠 안에 줘야 하나요?')}") == [True, False]
    assert outcomes(state, NOT_FOUND) == [False, False]
    assert outcomes(state, unanswered=(0,), passed=False) == [False, True]
    assert outcomes(state, passed=False) == [False, False], "a model failed the answer as a whole"


def test_without_units_the_sub_questions_have_outcomes(asked: Callable[[str], RouterState]) -> None:
    state = asked(TWO)
    plain: RouterState = {**state, "units": ()}
    told = ask_outcomes(plain)
    assert [each.text for each in told] == [each.query for each in state["sub_queries"]]
    assert all(each.nearest is not None and each.nearest.section == "" for each in told)
    assert all(each.nearest is None for each in ask_outcomes({**plain, "documents": ()}))


def test_where_nothing_was_searched_for_there_is_no_outcome(asked: Callable[[str], RouterState]) -> None:
    assert ask_outcomes(asked("블랙홀은 어떻게 생기나요?")) == []


def test_what_is_offered_as_the_nearest_answers_nothing(asked: Callable[[str], RouterState]) -> None:
    state = asked("퇴직금은 언제까지 지급해야 하나요?")
    offered = f"{nearest_follows()}\n{state['answer'].content}"
    assert treatments(parts_of(state, offered)) == [[Treatment.SILENCE]]
    assert outcomes(state, offered) == [False]
