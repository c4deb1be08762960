"""Uploads, deletions and the way back over HTTP: the real service, with the real analyser building in its own process."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.wire import assert_problem
from tests.e2e.conftest import serving
from tests.support.pdf_files import make_pdf
from tests.support.small_index import record
from utils.config.settings import Settings
from vectorstores.tokenizer import KiwiTokenizer

GUIDE = make_pdf(["표지", "우주선 임대차의 보증금은 달에서 돌려받는다.", None, "화성 기지의 관리비는 매월 말에 낸다."])
LINES = (
    json.dumps(record("SPACE_1", "운석 피해 보상은 열흘 안에 신청한다."), ensure_ascii=False) + "\n{broken\n"
).encode()


@pytest.fixture(scope="module")
def settings(starter_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    data_dir = tmp_path_factory.mktemp("managed") / "var"
    shutil.copytree(starter_settings.data_dir, data_dir, symlinks=True)
    return starter_settings.model_copy(update={"data_dir": data_dir, "enable_rate_limit": False})


@pytest.fixture(scope="module")
def client(settings: Settings, tokenizer: KiwiTokenizer) -> Iterator[httpx.Client]:
    with serving(settings, tokenizer) as client:
        yield client


def upload(client: httpx.Client, *files: tuple[str, bytes], **fields: str) -> httpx.Response:
    return client.post("/api/vectordb/ingest", files=[("files", file) for file in files], data=fields)


def ended(client: httpx.Client, accepted: httpx.Response) -> dict[str, Any]:
    assert accepted.status_code == 202, accepted.text
    until = time.monotonic() + 60
    while True:
        job: dict[str, Any] = client.get(accepted.headers["location"]).json()
        if job["state"] in ("done", "failed"):
            return job
        assert time.monotonic() < until, job
        time.sleep(0.05)


def found(client: httpx.Client, query: str) -> list[str]:
    return [
        result["id"] for result in client.post("/api/vectordb/search", json={"query": query, "k": 3}).json()["results"]
    ]


def found_pages(client: httpx.Client, query: str, **more: object) -> dict[str, Any]:
    response = client.post("/api/vectordb/search/pages", json={"query": query, **more})
    assert response.status_code == 200, response.text
    return dict(response.json())


def test_uploads_are_searchable_when_their_job_is_done_and_gone_when_deleted(client: httpx.Client) -> None:
    files = ("../../우주 안내.pdf", GUIDE), ("lines.jsonl", LINES)
    job = ended(client, upload(client, *files, collection="law_common"))
    assert (job["state"], job["added"], job["reason"]) == ("done", 4, "")
    assert job["files"] == ["우주 안내.pdf", "lines.jsonl"]
    assert [(problem["file"], problem["line"]) for problem in job["problems"]] == [
        ("우주 안내.pdf", None),
        ("lines.jsonl", 2),
    ]
    assert "3쪽" in job["problems"][0]["message"]

    assert found(client, "운석 피해 보상 신청")[0] == "SPACE_1"
    pages = found_pages(client, "우주선 임대차 보증금", k=1)
    best = pages["best_page"]
    assert best["page"] == 2
    assert [page["page"] for page in pages["pages"]] == [2, 1], "page 3 has no text"
    assert pages["pages"][0]["content"] == "우주선 임대차의 보증금은 달에서 돌려받는다."
    assert pages["file_names"] == {best["file_hash"]: "우주 안내.pdf"}
    assert (
        found_pages(client, "관리비", k=1, filter_metadata={"file_hash": best["file_hash"]})["best_page"]["page"] == 4
    )
    assert found_pages(client, "관리비", collection="hr_labor")["pages"] == []
    assert_problem(client.delete("/api/vectordb/documents/nope"), ErrorCode.NOT_FOUND)

    whole = f"PDF_{best['file_hash'][:16]}"
    deleted = ended(client, client.delete(f"/api/vectordb/documents/{whole}"))
    assert (deleted["state"], deleted["removed"]) == ("done", 3)
    assert found_pages(client, "우주선 임대차 보증금")["pages"] == []
    assert_problem(client.delete(f"/api/vectordb/documents/{whole}"), ErrorCode.NOT_FOUND)

    back = client.post("/api/vectordb/rollback")
    assert (back.status_code, back.json()["version"]) == (200, job["version"])
    assert found_pages(client, "우주선 임대차 보증금")["best_page"]["page"] == 2


REFUSED = {
    "program": ([("a.pdf", b"MZ\x90\x00")], {"collection": "hr_labor"}, ErrorCode.UNSUPPORTED_MEDIA_TYPE),
    "unknown suffix": ([("a.exe", b"{}")], {}, ErrorCode.UNSUPPORTED_MEDIA_TYPE),
    "one good, one bad": ([("a.jsonl", b"{}"), ("b.jsonl", b"\x00")], {}, ErrorCode.UNSUPPORTED_MEDIA_TYPE),
    "PDF without a collection": ([("a.pdf", make_pdf(["다른 안내"]))], {}, ErrorCode.VALIDATION_FAILED),
    "empty": ([("a.jsonl", b"")], {}, ErrorCode.VALIDATION_FAILED),
}


@pytest.mark.parametrize(("files", "fields", "code"), REFUSED.values(), ids=REFUSED)
def test_refused_uploads_leave_nothing(
    client: httpx.Client, settings: Settings, files: list[tuple[str, bytes]], fields: dict[str, str], code: ErrorCode
) -> None:
    def kept() -> set[str]:
        return {path.name for path in (settings.data_dir / "uploads").rglob("*") if path.is_file()}

    before = kept()
    assert_problem(upload(client, *files, **fields), code)
    assert kept() == before
    assert_problem(client.get("/api/vectordb/jobs/nope"), ErrorCode.NOT_FOUND)


def test_nothing_to_go_back_to_is_a_conflict(client: httpx.Client, settings: Settings) -> None:
    pointer = settings.data_dir / "index" / "current.json"
    text = pointer.read_text(encoding="utf-8")
    current = json.loads(text)["current"]
    pointer.write_text(json.dumps({"current": current, "previous": None}), encoding="utf-8")
    try:
        assert_problem(client.post("/api/vectordb/rollback"), ErrorCode.CONFLICT)
    finally:
        pointer.write_text(text, encoding="utf-8")
