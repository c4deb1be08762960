"""Documents over HTTP: their types, files, dry runs, and what is refused with a Korean message at the right field."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from docx import Document

from schemas.paperwork import PAPER_FORMATS, PaperCheck, PaperTypeList
from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service
from tests.contract.wire import assert_problem
from tests.support.paperwork import sample
from utils.paperwork.templates.template import shipped_templates

URL = "/api/documents/generate"
KEYS = sorted(shipped_templates())
_KOREAN = re.compile(r"[가-힣]")
_NAME = re.compile(r"attachment; filename=\"([\w.]+)\"; filename\*=UTF-8''(\S+)")


def ask(client: httpx.Client, key: str, fields: dict[str, Any], **more: Any) -> httpx.Response:
    return client.post(URL, json={"type": key, "fields": fields, **more})


def refused(response: httpx.Response) -> dict[str, str]:
    problem = assert_problem(response, ErrorCode.VALIDATION_FAILED)
    assert problem.errors
    assert all(_KOREAN.search(error.message) for error in problem.errors)
    return {error.path: error.message for error in problem.errors}


def text_of(content: bytes) -> str:
    document = Document(io.BytesIO(content))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def test_types_tell_their_fields(client: httpx.Client) -> None:
    found = PaperTypeList.model_validate(client.get("/api/documents/types").json())
    assert sorted(each.type for each in found.types) == KEYS
    contract = next(each for each in found.types if each.type == "employment_contract")
    assert contract.fields_schema["required"] == ["kind"]
    assert contract.fields_schema["properties"]["wage"]["article"] == "근로기준법 제17조"
    assert "근로기준법 제17조" in contract.laws
    assert contract.formats == list(PAPER_FORMATS)


@pytest.mark.parametrize("key", KEYS)
def test_each_type_comes_as_a_file_with_a_korean_name(client: httpx.Client, key: str) -> None:
    response = ask(client, key, sample(key))
    assert response.status_code == 200, response.text
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-document-missing"] == "0"
    plain, encoded = _NAME.fullmatch(response.headers["content-disposition"]).groups()
    assert plain == f"{key}.docx"
    assert _KOREAN.search(unquote(encoded))
    assert unquote(encoded).endswith(".docx")
    text = text_of(response.content)
    for value in sample(key).values():
        if isinstance(value, str) and _KOREAN.search(value) and "\n" not in value:
            assert value in text, value


@pytest.mark.parametrize("kind", PAPER_FORMATS)
def test_formats(client: httpx.Client, kind: str) -> None:
    response = ask(client, "nda", sample("nda"), format=kind)
    if response.status_code == 503:
        pytest.skip(f"{kind}: what writes it is not installed")
    assert response.status_code == 200, response.text
    assert response.content[:4] in (b"%PDF", b"PK\x03\x04")


def test_a_dry_run_tells_warnings_and_blanks_and_writes_nothing(client: httpx.Client) -> None:
    fields = {
        "kind": "fixed_term",
        "wage": 11_000,
        "wage_type": "hourly",
        "start_date": "2026-12-01",
        "end_date": "2029-12-01",
    }
    found = PaperCheck.model_validate(ask(client, "employment_contract", fields, dry_run=True).json())
    assert "fields.end_date" in {note.path for note in found.warnings}
    assert {"fields.workplace", "fields.weekly_holiday"} <= {note.path for note in found.missing}
    assert all(note.article for note in found.missing)
    assert found.file_name == "근로계약서.docx"
    written = ask(client, "employment_contract", fields)
    assert int(written.headers["x-document-warnings"]) == len(found.warnings)
    assert int(written.headers["x-document-missing"]) == len(found.missing)


def test_without_a_model_sections_stay_blank_and_that_is_told(client: httpx.Client) -> None:
    found = ask(client, "business_plan", {"item_name": "반찬 구독"}, draft=True, dry_run=True).json()
    assert found["drafted"] == []
    assert any("초안" in note["message"] for note in found["warnings"])
    assert "쓰는 법" in text_of(ask(client, "business_plan", {"item_name": "반찬 구독"}, draft=True).content)


_CONTRACT: dict[str, Any] = {"kind": "part_time"}
BAD_FIELDS: list[tuple[str, dict[str, Any], str]] = [
    ("employment_contract", {}, "kind"),
    ("employment_contract", {"kind": "정규직"}, "kind"),
    ("employment_contract", {"kind": 3}, "kind"),
    ("employment_contract", {"kind": None}, "kind"),
    *(("employment_contract", _CONTRACT | {name: value}, path) for name, value, path in [
        ("wage", -1, "wage"),
        ("wage", 0, "wage"),
        ("wage", 10**14, "wage"),
        ("wage", "만원", "wage"),
        ("wage", "11000", "wage"),
        ("wage", 11_000.5, "wage"),
        ("wage", True, "wage"),
        ("wage", [11_000], "wage"),
        ("wage_type", "yearly", "wage_type"),
        ("headcount", 0, "headcount"),
        ("headcount", 1.5, "headcount"),
        ("headcount", "다섯", "headcount"),
        ("start_date", "2026-13-01", "start_date"),
        ("start_date", "2026-02-30", "start_date"),
        ("start_date", "20261201", "start_date"),
        ("start_date", "2026.12.01", "start_date"),
        ("start_date", "0026-12-01", "start_date"),
        ("start_date", 20261201, "start_date"),
        ("start_date", "9999-12-31", "start_date"),
        ("start_time", "25:00", "start_time"),
        ("start_time", "9:00", "start_time"),
        ("start_time", "09:60", "start_time"),
        ("start_time", "아홉 시", "start_time"),
        ("weekly_hours", 169, "weekly_hours"),
        ("weekly_hours", -3, "weekly_hours"),
        ("weekly_hours", "스무 시간", "weekly_hours"),
        ("daily_hours", 25, "daily_hours"),
        ("break_minutes", 601, "break_minutes"),
        ("pay_day", 32, "pay_day"),
        ("pay_day", 0, "pay_day"),
        ("work_days_per_week", 8, "work_days_per_week"),
        ("probation_months", 13, "probation_months"),
        ("probation_percent", 101, "probation_percent"),
        ("probation_percent", 0, "probation_percent"),
        ("dormitory", "예", "dormitory"),
        ("dormitory", 1, "dormitory"),
        ("worker_name", "가" * 51, "worker_name"),
        ("worker_name", "가\n나", "worker_name"),
        ("worker_name", "홍길동 900101-1234567", "worker_name"),
        ("worker_name", "9001011234567", "worker_name"),
        ("worker_name", "가\x00나", "worker_name"),
        ("worker_name", "가\u202e나", "worker_name"),
        ("worker_name", "\u200b", "worker_name"),
        ("worker_name", {"성": "한"}, "worker_name"),
        ("worker_name", 7, "worker_name"),
        ("worker_birth", "030412-3123456", "worker_birth"),
        ("special_terms", "가" * 10_001, "special_terms"),
        ("special_terms", "주민번호는 900101-2234567", "special_terms"),
        ("special_terms", "가" + "\u0301" * 40, "special_terms"),
        ("resident_number", "900101-1234567", "resident_number"),
        ("모르는칸", 1, "모르는칸"),
        ("schedule", {}, "schedule"),
        ("schedule", [{"day": "mon"}], "schedule.0.start"),
        ("schedule", [{"day": "월", "start": "09:00", "end": "10:00"}], "schedule.0.day"),
        ("schedule", [{"day": "mon", "start": "09:00", "end": "10:00", "x": 1}], "schedule.0.x"),
        ("schedule", [{"day": "mon", "start": "09:00", "end": "10:00"}] * 8, "schedule"),
        ("allowances", [{"name": "식대", "amount": -1}], "allowances.0.amount"),
        ("allowances", ["식대"], "allowances.0"),
    ]),
    ("founders_agreement", {}, "founders"),
    ("founders_agreement", {"founders": [{"name": "가"}]}, "founders"),
    ("founders_agreement", {"founders": [{"name": "가"}, {"role": "나"}]}, "founders.1.name"),
    ("founders_agreement", {"founders": [{"name": "가", "share_percent": 120}, {"name": "나"}]}, "founders.0.share_percent"),
    ("work_rules", {}, "headcount"),
    ("certified_letter", {"narrative": "가" * 60_001}, "narrative"),
    ("wage_statement", {"base_pay": 10**9}, "base_pay"),
    ("letter_of_intent", {"amount": 0}, "amount"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "fields", "path"), BAD_FIELDS)
def test_bad_fields_are_refused_at_their_place_in_korean(
    client: httpx.Client, key: str, fields: dict[str, Any], path: str
) -> None:
    found = refused(ask(client, key, fields, dry_run=True))
    assert f"fields.{path}" in found, found
    assert "900101" not in json.dumps(found)


def test_there_are_many_bad_fields() -> None:
    assert len(BAD_FIELDS) >= 60


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "type"),
        ({"type": "passport"}, "type"),
        ({"type": "../nda"}, "type"),
        ({"type": 1}, "type"),
        ({"type": "nda", "format": "exe"}, "format"),
        ({"type": "nda", "fields": []}, "fields"),
        ({"type": "nda", "fields": "가"}, "fields"),
        ({"type": "nda", "field": {}}, "field"),
        ({"type": "nda", "dry_run": "maybe"}, "dry_run"),
    ],
)
def test_bad_requests_are_refused(client: httpx.Client, body: dict[str, Any], path: str) -> None:
    assert path in refused(client.post(URL, json=body))


def test_resident_numbers_are_refused_with_the_article(client: httpx.Client) -> None:
    found = refused(ask(client, "employment_contract", {"kind": "part_time", "worker_name": "한지우 030412-4123456"}))
    assert "개인정보 보호법 제24조의2" in found["fields.worker_name"]


def test_what_the_law_forbids_is_refused_with_field_and_article(client: httpx.Client) -> None:
    fields = sample("employment_contract", wage=9_000, special_terms="그만두면 위약금 100만원을 낸다.")
    for dry_run in (True, False):
        found = refused(ask(client, "employment_contract", fields, dry_run=dry_run))
        assert "최저임금" in found["fields.wage"]
        assert "최저임금법 제6조제3항" in found["fields.wage"]
        assert "근로기준법 제20조" in found["fields.special_terms"]


@pytest.mark.parametrize("kind", ["docx", "hwpx"])
@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://example.com","열기") +1 @SUM(A1)',
        "<w:p><w:r/></w:p> ]]> <!-- --> &amp; &#0; <?xml?> <!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
        "{{ 7*7 }} {% raw %} ${7*7} #eval(7)",
        "مرحبا بالعالم שלום",
        "👩‍👩‍👧‍👦 🇰🇷 ✅",
        "끝이 없는 낱말" + "가" * 9_990,
    ],
)
def test_hostile_text_comes_out_whole_and_harmless(client: httpx.Client, text: str, kind: str) -> None:
    response = ask(client, "certified_letter", sample("certified_letter", narrative=text), format=kind)
    assert response.status_code == 200, response.text
    if kind == "docx":
        assert text.replace("\u200d", "") in text_of(response.content), "but for joiners, which nobody sees"
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert not any(name.startswith("/") or ".." in name for name in archive.namelist())
        parts = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".xml"))
        assert b"<!ENTITY" not in parts
        assert not re.search(rb"<w:instrText[^>]*>[^<]*HYPERLINK", parts), "the text is no field"


def test_a_letter_of_many_pages_comes_whole_or_is_refused(client: httpx.Client) -> None:
    lines = "\n".join(f"{number}. 물품을 넘긴 날과 수량을 밝힙니다." for number in range(2_000))
    whole = ask(client, "certified_letter", sample("certified_letter", narrative=lines))
    assert whole.status_code == 200
    assert "1999. 물품" in text_of(whole.content)
    too_long = ask(client, "certified_letter", sample("certified_letter", narrative=lines * 2))
    assert "fields.narrative" in refused(too_long)
    assert_problem(ask(client, "certified_letter", {"narrative": "가" * 300_000}), ErrorCode.PAYLOAD_TOO_LARGE)


def test_nested_nonsense_is_refused(client: httpx.Client) -> None:
    deep = "[" * 400 + "]" * 400
    body = f'{{"type": "nda", "fields": {{"purpose": {deep}}}}}'
    response = client.post(URL, content=body, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)


def test_documents_have_a_scope_of_their_own(guarded: Service) -> None:
    with guarded.client() as client:
        for headers, status in (({}, 401), ({"X-API-Key": CHAT_KEY}, 403), ({"X-API-Key": ADMIN_KEY}, 200)):
            body = {"type": "nda", "dry_run": True}
            assert client.post(URL, json=body, headers=headers).status_code == status
            assert client.get("/api/documents/types", headers=headers).status_code == status
        action = {"type": "document_generation", "params": {"type": "nda", "dry_run": True}}
        assert_problem(client.post("/api/actions", json=action, headers={"X-API-Key": CHAT_KEY}), ErrorCode.FORBIDDEN)


def test_actions_are_executed_as_they_were_offered(client: httpx.Client) -> None:
    params = {"type": "employment_contract", "fields": {"kind": "part_time", "wage_type": "hourly", "wage": 11_000}}
    written = client.post("/api/actions", json={"type": "document_generation", "params": params})
    assert written.status_code == 200
    assert "11,000원" in text_of(written.content)
    calendar = client.post(
        "/api/actions", json={"type": "tax_calendar", "params": {"name": "부가가치세 확정신고·납부"}}
    )
    assert calendar.headers["content-type"].startswith("text/calendar")
    assert "SUMMARY:부가가치세 확정신고·납부" in calendar.text
    assert "종합소득세" not in calendar.text
    assert "type" in refused(
        client.post("/api/actions", json={"type": "legal_consultation", "params": {"phone": "132"}})
    )
    assert "params.type" in refused(client.post("/api/actions", json={"type": "document_generation"}))


def test_documents_are_counted(client: httpx.Client) -> None:
    ask(client, "nda", sample("nda"))
    ask(client, "nda", {"wage": 1})
    ask(client, "passport", {})
    text = client.get("/metrics").text
    assert 'bizi_documents_total{format="docx",outcome="written",type="nda"}' in text
    assert 'outcome="invalid",type="nda"' in text
    assert "passport" not in text
