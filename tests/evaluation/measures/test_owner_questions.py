"""Owners' questions: their asks, and the text in which patterns are searched."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from evaluation.measures.owner_questions import Ask, load_owner_questions, plain
from utils.config.settings import PROJECT_ROOT

DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
HALVES = ("owner_questions_dev.jsonl", "owner_questions_held_out.jsonl")
DOMAINS = ("finance_tax", "hr_labor", "law_common", "startup_funding")
_DOCUMENT = re.compile(r"[A-Z]{2}_[A-Z]+_\d{3}")


def an_ask(**fields: Any) -> Ask:
    return Ask.model_validate({"ask": "얼마인지", "kind": "open", "gold": ["A"], "key_facts": ["14일"], **fields})


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("3천만 원 이하의 벌금에 처해질 수 있습니다. [1]", "30000000원이하의벌금에처해질수있습니다."),
        ("5퍼센트, 100분의 5", "5%,5%"),
        ("다섯 명 이상, 5인 이상", "5명이상,5명이상"),
        ("광고ㆍ표시", "광고·표시"),
        ("근로기준법 제60조", "근로기준법제60조"),
    ],
)
def test_patterns_see_one_form_of_a_figure(written: str, seen: str) -> None:
    assert plain(written) == seen


@pytest.mark.parametrize(
    ("value", "text", "stated"),
    [
        (50400, "주휴수당은 50,400원입니다.", True),
        (50400, "주휴수당은 5만400원입니다.", True),
        (50400, "주휴수당은 150,400원입니다.", False),
        ([219000, 219600], "약 219,340원입니다.", True),
        ([219000, 219600], "약 220,000원입니다.", False),
    ],
)
def test_a_sum_is_stated_however_it_is_written(value: object, text: str, stated: bool) -> None:
    ask = an_ask(kind="sum", key_facts=[], value=value)
    assert ask.states_value(plain(text)) is stated
    assert ask.facts_in(plain(text)) == int(stated)


def test_a_sum_has_a_unit() -> None:
    ask = an_ask(kind="sum", key_facts=[], value=16, unit="일")
    assert ask.states_value(plain("연차는 16일입니다."))
    assert not ask.states_value(plain("16원입니다."))


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "sum"},
        {"value": 3},
        {"gold": []},
        {"key_facts": []},
        {"key_facts": ["("]},
        {"typo": 1},
    ],
)
def test_an_ask_that_cannot_be_judged_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        an_ask(**fields)


def test_a_faulty_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"id": "1", "question": "?", "asks": []}) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"questions\.jsonl:1"):
        load_owner_questions(file)


def test_the_halves_share_no_question_and_weigh_each_domain_alike() -> None:
    halves = [load_owner_questions(DATASETS / half) for half in HALVES]
    asked = [question.question for half in halves for question in half]
    assert len(set(asked)) == len(asked) == 160
    for half in halves:
        by_domain = [question.domain for question in half]
        assert {domain: by_domain.count(domain) for domain in set(by_domain)} == dict.fromkeys(DOMAINS, 20)


def test_every_document_named_is_in_the_starter_base() -> None:
    files = [file for file in (PROJECT_ROOT / "data" / "knowledge").rglob("*") if file.is_file()]
    held = {name for file in files for name in _DOCUMENT.findall(file.name + file.read_text(encoding="utf-8"))}
    named = {
        name for half in HALVES for question in load_owner_questions(DATASETS / half) for name in question.documents
    }
    assert named <= held
