"""Answers of the starter base spoilt in seven ways, the same way each time."""

from __future__ import annotations

import asyncio

import pytest

from agents.state import RouterState
from evaluation.training.judge_examples import ExampleMaker
from evaluation.training.spoilt_answers import SPOILT, Form, WrittenAnswer
from schemas.chat import ChatRequest

LEAVE = "직원이 3명인데 연차를 줘야 하나요?"
TWO = "폐업하면 부가세 언제까지 신고해요? 그리고 퇴직금은 며칠 안에 줘야 하나요?"


@pytest.fixture(scope="module")
def states(example_maker: ExampleMaker) -> dict[str, RouterState]:
    executor = example_maker.engine.executor
    return {
        question: asyncio.run(executor.last_state(ChatRequest(message=question), executor.context("1")))
        for question in (LEAVE, TWO)
    }


def written(maker: ExampleMaker, state: RouterState) -> dict[Form, WrittenAnswer]:
    return {each.form: each for each in maker._spoiler.written(state)}


def test_a_question_of_a_case_is_spoilt_in_all_ways_but_one_and_one_of_two_things_in_that(
    example_maker: ExampleMaker, states: dict[str, RouterState]
) -> None:
    of_case, of_two = (written(example_maker, states[question]) for question in (LEAVE, TWO))
    assert set(of_case) == {*SPOILT, Form.OTHER_UNIT} - {Form.DROPPED}
    assert Form.DROPPED in of_two
    for question, found in ((LEAVE, of_case), (TWO, of_two)):
        assert states[question]["answer"].content not in {each.content for each in found.values()}


def test_each_kind_is_what_its_name_says(example_maker: ExampleMaker, states: dict[str, RouterState]) -> None:
    [asked] = states[LEAVE]["units"]
    found = written(example_maker, states[LEAVE])
    catalogue = asked.ranked.match.catalogue
    documents = {form: each.documents[-1].chunk.doc_id for form, each in found.items()}
    own = asked.units[0].chunk.doc_id
    domain = {placed.stored.document_id: placed.domain for placed in catalogue.units}
    assert documents[Form.UNRELATED] != own
    assert domain[documents[Form.UNRELATED]] == domain[own]
    assert found[Form.NEIGHBOUR].documents == states[LEAVE]["answer"].documents, "its document is there already"
    assert states[LEAVE]["answer"].content.startswith("아니요")
    assert found[Form.VERDICT].content.startswith("네, ")
    unit = asked.units[0].unit
    assert unit.sentences[0].text in found[Form.LATE].content
    assert not found[Form.LATE].content.startswith(unit.sentences[0].text)
    both = states[TWO]["answer"].content
    assert written(example_maker, states[TWO])[Form.DROPPED].content in both


def test_the_same_again(example_maker: ExampleMaker, states: dict[str, RouterState]) -> None:
    assert list(example_maker._spoiler.written(states[LEAVE])) == list(example_maker._spoiler.written(states[LEAVE]))
