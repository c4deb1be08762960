"""Documents of every type: whole with a sample, blank without, and what is demanded by statute told as missing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.paperwork import SAMPLES, document_of, sample, text_of
from utils.paperwork.layout import Signatures
from utils.paperwork.preparation.preparation import FieldsInvalid, UnknownDocumentType, validated_fields
from utils.paperwork.templates.template import shipped_templates

KEYS = sorted(shipped_templates())
KINDS = ("open_ended", "fixed_term", "part_time", "minor", "daily_construction")
each_type = pytest.mark.parametrize("key", KEYS)


def test_every_type_has_a_sample() -> None:
    assert sorted(path.stem for path in SAMPLES.glob("*.json")) == KEYS


@each_type
def test_a_sample_gives_a_whole_document(key: str) -> None:
    fields = sample(key)
    found = document_of(key, fields)
    assert found.missing == ()
    text = text_of(key, fields)
    for value in fields.values():
        if isinstance(value, str) and len(value) > 10 and not re.fullmatch(r"[\d-]+", value):
            assert value in text, value


@each_type
def test_an_empty_form_is_all_blanks_and_invents_nothing(key: str) -> None:
    required: dict[str, dict[str, Any]] = {
        "employment_contract": {"kind": "open_ended"},
        "work_rules": {"headcount": 12},
    }
    founders: dict[str, dict[str, Any]] = {"founders_agreement": {"founders": [{"name": "가"}, {"name": "나"}]}}
    fields = required.get(key, founders.get(key, {}))
    found = document_of(key, fields)
    text = text_of(key, fields)
    assert "____" in text
    assert not re.search(r"\d{4}년 \d|None|\{\{|Blank", text)
    assert not re.search(r"[\d,]{5,}원", text)
    signed = [block for block in found.document.blocks if isinstance(block, Signatures)]
    if key != "founders_agreement":
        assert all(value == "" for block in signed for party in block.signatories for _, value in party.lines)


@pytest.mark.parametrize("kind", KINDS)
def test_blank_contracts_of_each_kind_tell_what_the_statutes_demand(kind: str) -> None:
    missing = {item.path: item.article for item in document_of("employment_contract", {"kind": kind}).missing}
    # 근로기준법 제17조, 시행령 제8조
    assert {"wage", "wage_type", "pay_method", "weekly_hours", "weekly_holiday", "workplace", "duties"} <= set(missing)
    assert ("schedule" in missing) is (kind == "part_time")  # 기간제법 제17조제6호
    assert ("guardian_name" in missing) is (kind == "minor")  # 근로기준법 제66조
    assert ("end_date" in missing) is (kind in ("fixed_term", "part_time", "daily_construction"))
    text = text_of("employment_contract", {"kind": kind})
    assert ("친권자(후견인) 동의서" in text) is (kind == "minor")
    assert ("1주에 12시간을 넘지 않으며" in text) is (kind == "part_time")


def test_articles_are_numbered_without_gaps() -> None:
    for fields in ({"kind": "open_ended"}, {"kind": "minor", "special_terms": "작업복은 회사가 세탁한다."}):
        numbers = [int(number) for number in re.findall(r"(?m)^제(\d+)조 \(", text_of("employment_contract", fields))]
        assert numbers == list(range(1, len(numbers) + 1))


def test_text_of_users_is_neither_template_nor_markup() -> None:
    hostile = "{{ wage }} {% if x %} <b>&amp;</b> =SUM(A1) | # 제목 | \\alert(1)"
    assert hostile in text_of("certified_letter", sample("certified_letter", narrative=hostile))


def test_names_of_files_hold_no_refused_characters() -> None:
    stem = document_of(
        "employment_contract", sample("employment_contract", worker_name='한/지:우*?"<>|')
    ).document.file_stem
    assert stem == "근로계약서_한 지 우"
    assert document_of("employment_contract", {"kind": "minor"}).document.file_stem == "근로계약서"


def test_unknown_types_and_fields_are_refused() -> None:
    with pytest.raises(UnknownDocumentType):
        validated_fields("passport", {})
    with pytest.raises(FieldsInvalid) as invalid:
        validated_fields("nda", {"wage": 1})
    assert [error["loc"] for error in invalid.value.errors] == [("wage",)]
