"""Who may change the knowledge base, and what an upload must look like, before anything is done."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, Service, running
from tests.contract.wire import assert_problem

LINE = json.dumps({"id": "A"}).encode()
FILE = ("files", ("a.jsonl", LINE))
ADMIN = {"X-API-Key": ADMIN_KEY}
ROUTES = [
    ("POST", "/api/vectordb/ingest"),
    ("GET", "/api/vectordb/jobs"),
    ("GET", "/api/vectordb/jobs/x"),
    ("POST", "/api/vectordb/jobs/x/cancel"),
    ("DELETE", "/api/vectordb/documents/A?purge=true"),
    ("DELETE", "/api/vectordb/documents/A"),
    ("POST", "/api/vectordb/rollback"),
    ("GET", "/api/vectordb/statute-changes"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_changes_need_the_admin_scope(guarded: Service, method: str, path: str) -> None:
    with guarded.client() as client:
        assert_problem(client.request(method, path), ErrorCode.UNAUTHORIZED)
        assert_problem(client.request(method, path, headers={"X-API-Key": CHAT_KEY}), ErrorCode.FORBIDDEN)
        files = [FILE] if path.endswith("ingest") else None
        assert client.request(method, path, headers=ADMIN, files=files).status_code in (200, 202)


def test_without_keys_this_machine_may_change_everything(client: httpx.Client) -> None:
    assert client.post("/api/vectordb/rollback").json() == {"version": "v0", "previous": "v1"}


def test_versions_of_the_statutes_are_named_in_the_query(client: httpx.Client) -> None:
    asked: dict[str, str | int] = {"from": "20261121T093000000000-a1b2c3", "to": "v1", "offset": 7, "limit": 500}
    found = client.get("/api/vectordb/statute-changes", params=asked).json()
    assert (found["from_version"], found["to_version"], found["offset"]) == (asked["from"], "v1", 7)


@pytest.mark.parametrize(
    "wrong", [{"from": "../../etc"}, {"to": ""}, {"limit": 501}, {"limit": 0}, {"offset": -1}, {"from": "가" * 65}]
)
def test_a_wrong_query_is_told_by_its_field(client: httpx.Client, wrong: dict[str, str | int]) -> None:
    problem = assert_problem(client.get("/api/vectordb/statute-changes", params=wrong), ErrorCode.VALIDATION_FAILED)
    assert [error.path for error in problem.errors] == list(wrong)


def test_a_body_is_not_read_for_who_may_not_send_it(guarded: Service) -> None:
    with guarded.client() as client:
        response = client.post("/api/vectordb/ingest", files=[FILE], headers={"X-API-Key": CHAT_KEY})
        assert_problem(response, ErrorCode.FORBIDDEN)
        response = client.post("/api/vectordb/ingest", content=b"broken", headers={"X-API-Key": CHAT_KEY})
        assert_problem(response, ErrorCode.FORBIDDEN)


def test_an_accepted_upload_says_where_its_job_is(client: httpx.Client) -> None:
    response = client.post("/api/vectordb/ingest", files=[FILE, FILE], data={"collection": "hr_labor_db"})
    assert response.status_code == 202
    assert response.json()["files"] == ["a.jsonl", "a.jsonl"]
    assert response.json()["collection"] == "hr_labor"
    assert response.headers["location"] == f"/api/vectordb/jobs/{response.json()['id']}"
    assert client.get(response.headers["location"]).status_code == 200


def test_behind_a_proxy_prefix_the_job_is_below_it() -> None:
    with running(root_path="/rag") as service, service.client() as client:
        response = client.delete("/rag/api/vectordb/documents/A")
        assert response.headers["location"].startswith("/rag/api/vectordb/jobs/")


@pytest.mark.parametrize(
    "document_id", ["근로기준법|제56조", "PDF_ab#12", "a/b/../c", "%", "?x=1", "\u202e\x00", "가" * 512]
)
def test_any_document_can_be_named(client: httpx.Client, document_id: str) -> None:
    path = httpx.URL("/api/vectordb/documents/").copy_with(raw_path=b"/api/vectordb/documents/" + _quoted(document_id))
    assert client.delete(path).json()["document"] == document_id


@pytest.mark.parametrize("path", ["/api/vectordb/documents/%0a", "/api/vectordb/documents/A%0a", "/health%0a"])
def test_a_path_with_a_line_feed_is_not_read_as_the_path_before_it(client: httpx.Client, path: str) -> None:
    assert_problem(client.request("DELETE" if "documents" in path else "GET", path), ErrorCode.NOT_FOUND)


def _quoted(text: str) -> bytes:
    return "".join(f"%{byte:02x}" for byte in text.encode()).encode()


def test_jobs_are_listed_in_bounds_and_cancelled(client: httpx.Client) -> None:
    assert len(client.get("/api/vectordb/jobs", params={"limit": 2}).json()["jobs"]) == 2
    for limit in ("0", "201", "many"):
        assert_problem(client.get("/api/vectordb/jobs", params={"limit": limit}), ErrorCode.VALIDATION_FAILED)
    assert client.post("/api/vectordb/jobs/x/cancel").json()["state"] == "cancelled"


def test_a_purge_is_asked_for_in_so_many_words(client: httpx.Client) -> None:
    assert client.delete("/api/vectordb/documents/A").json()["kind"] == "delete"
    assert client.delete("/api/vectordb/documents/A", params={"purge": "true"}).json()["kind"] == "purge"
    wrong = client.delete("/api/vectordb/documents/A", params={"purge": "perhaps"})
    assert_problem(wrong, ErrorCode.VALIDATION_FAILED)


def test_a_document_without_an_id_is_refused(client: httpx.Client) -> None:
    assert_problem(client.delete("/api/vectordb/documents/"), ErrorCode.VALIDATION_FAILED)
    assert_problem(client.delete("/api/vectordb/documents/" + "a" * 513), ErrorCode.VALIDATION_FAILED)


INVALID: dict[str, tuple[dict[str, Any], str]] = {
    "no file": ({"files": [("collection", (None, "hr_labor"))]}, "files"),
    "text for a file": ({"files": [("files", (None, "text"))]}, "files"),
    "unknown collection": ({"files": [FILE], "data": {"collection": "cooking"}}, "collection"),
    "file for a collection": ({"files": [FILE, ("collection", ("a.txt", b"hr_labor"))]}, "collection"),
    "unknown field": ({"files": [FILE], "data": {"path": "/etc/passwd"}}, "path"),
    "neither true nor false": ({"files": [FILE], "data": {"restore": "maybe"}}, "restore"),
}


@pytest.mark.parametrize(("request_", "path"), INVALID.values(), ids=INVALID)
def test_invalid_forms_are_refused_with_the_field(client: httpx.Client, request_: dict[str, Any], path: str) -> None:
    problem = assert_problem(client.post("/api/vectordb/ingest", **request_), ErrorCode.VALIDATION_FAILED)
    assert path in [error.path for error in problem.errors]


MALFORMED = {
    "no boundary": ("multipart/form-data", b"x"),
    "empty": ("multipart/form-data; boundary=b", b""),
    "noise": ("multipart/form-data; boundary=b", b"noise" * 50),
    "no name": ("multipart/form-data; boundary=b", b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n"),
    "long field": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="collection"\r\n\r\n' + b"x" * 5000 + b"\r\n--b--\r\n",
    ),
    "broken header": ("multipart/form-data; boundary=b", b"--b\r\n\xff\xfe: \x00\r\n\r\nx\r\n--b--\r\n"),
}


@pytest.mark.parametrize(("content_type", "body"), MALFORMED.values(), ids=MALFORMED)
def test_unreadable_forms_are_refused(client: httpx.Client, content_type: str, body: bytes) -> None:
    response = client.post("/api/vectordb/ingest", content=body, headers={"content-type": content_type})
    assert response.status_code in (400, 422)
    assert_problem(response, ErrorCode(response.json()["code"]))


def test_too_many_files_are_refused(client: httpx.Client) -> None:
    response = client.post("/api/vectordb/ingest", files=[("files", (f"{n}.jsonl", LINE)) for n in range(21)])
    assert_problem(response, ErrorCode.MALFORMED_REQUEST)


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded", "text/plain", "junk"]
)
def test_only_forms_with_files_are_taken(client: httpx.Client, content_type: str) -> None:
    response = client.post("/api/vectordb/ingest", content=b"{}", headers={"content-type": content_type})
    assert_problem(response, ErrorCode.UNSUPPORTED_MEDIA_TYPE)


def test_uploads_have_a_bound_of_their_own() -> None:
    with running(max_body_bytes=2_000, max_upload_bytes=200_000) as service, service.client() as client:
        fits = ("files", ("a.jsonl", b"{" * 150_000))
        assert client.post("/api/vectordb/ingest", files=[fits]).status_code == 202
        assert_problem(client.post("/api/vectordb/ingest", files=[fits, fits]), ErrorCode.PAYLOAD_TOO_LARGE)
        oversized = client.post("/api/vectordb/search/pages", json={"query": "a" * 3_000})
        assert_problem(oversized, ErrorCode.PAYLOAD_TOO_LARGE)


@pytest.mark.parametrize(
    "body",
    [
        {"query": ""},
        {"query": "가", "k": 21},
        {"query": "가", "page_window": 4},
        {"query": "가", "sort_by": "x"},
        {"query": "가", "filter_metadata": {"file_hash": []}},
        {"query": "가", "filter_metadata": {str(number): 1 for number in range(11)}},
        {"query": "가", "top_k": 3},
    ],
)
def test_invalid_page_searches_are_refused(client: httpx.Client, body: object) -> None:
    assert_problem(client.post("/api/vectordb/search/pages", json=body), ErrorCode.VALIDATION_FAILED)
