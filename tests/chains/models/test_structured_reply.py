"""A model's reply is found in whatever it wrote around it; nothing else is taken for one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from chains.models.errors import AttemptFailed
from chains.models.structured_reply import parse_reply
from chains.models.usage import ModelFailureReason
from utils.sanitizing.sanitize import clean_text


class SubQuestion(BaseModel):
    domain: str = ""
    query: str = ""


class Reply(BaseModel):
    model_config = ConfigDict(frozen=True)

    domains: tuple[str, ...]
    sub_questions: tuple[SubQuestion, ...] = ()


VALUE = {"domains": ["hr_labor"], "sub_questions": [{"domain": "hr_labor", "query": "퇴직금은 {언제} 받나요?"}]}
TEXT = json.dumps(VALUE, ensure_ascii=False)

prose = st.text(st.characters(exclude_characters="{}`<", exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    "written",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}```",
        f"네, 분석 결과입니다.\n```JSON\n{json.dumps(VALUE, indent=2)}\n```\n더 필요하면 말씀하세요.",
        f"<think>두 영역일까? {{'domains'}} 아니다.</think>\n{TEXT}",
        f"  \n{TEXT}\n\n설명: {{참고}}",
    ],
)
def test_the_object_is_found(written: str) -> None:
    assert parse_reply(written, Reply) == Reply.model_validate(json.loads(json.dumps(VALUE)))


@given(before=prose, after=prose, domains=st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_prose_around_it_changes_nothing(before: str, after: str, domains: list[str]) -> None:
    written = f"{before}{json.dumps({'domains': domains})}{after}"

    assert parse_reply(written, Reply).domains == tuple(map(clean_text, domains))


@pytest.mark.parametrize(
    "written",
    [
        "",
        "모르겠습니다.",
        "[]",
        "null",
        '{"domains": "hr_labor"}',
        '{"sub_questions": []}',
        '{"domains": ["hr_labor"], "sub_questions": [{"domain": "hr_labor"',
        '{"a":' * 100_000,
    ],
)
def test_anything_else_is_garbage(written: str) -> None:
    with pytest.raises(AttemptFailed) as caught:
        parse_reply(written, Reply)
    assert caught.value.reason is ModelFailureReason.GARBAGE


def test_an_object_within_a_broken_one_is_not_the_reply() -> None:
    with pytest.raises(AttemptFailed):
        parse_reply('{"domains": ["hr_labor"], "sub_questions": [{"domain": "x", "query": "y"}, {"dom', SubQuestion)


@given(written=st.one_of(st.text(), st.text(alphabet='{}[]",:` \\n').map(str), st.binary().map(repr)))
def test_no_text_breaks_the_parser(written: str) -> None:
    try:
        parsed: Any = parse_reply(written, SubQuestion)
    except AttemptFailed:
        return
    assert isinstance(parsed, SubQuestion)


def test_control_and_invisible_characters_are_taken_out_of_its_texts() -> None:
    written = r'{"domains": ["hr\u0000_\u202elabor\ud800"], "sub_questions": [{"query": "\u001b[31m퇴직금\u200b"}]}'
    assert parse_reply(written, Reply) == Reply(domains=("hr_labor",), sub_questions=(SubQuestion(query="[31m퇴직금"),))
