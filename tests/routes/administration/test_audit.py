"""No route for administrators writes without the audit log."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from main import create_app
from routes.administration.conditions import actor_of
from routes.dependencies import RequireScope
from schemas.administration.audit import AuditKind
from schemas.problems import ErrorCode
from tests.contract.conftest import ADMIN_KEY, Service, make_settings, running
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem
from utils.administration.audit_records import target_of_document
from utils.http.access import AccessScope

CHANGING_NOTHING = {("POST", "/api/domains/dry-run"), ("POST", "/api/domains/route-preview")}


@pytest.fixture
def guarded() -> Iterator[Service]:
    with running(StubServices(), api_keys=f"ops={ADMIN_KEY}:admin") as service:
        yield service


def _calls(dependant: Dependant) -> Iterator[object]:
    yield dependant.call
    for inner in dependant.dependencies:
        yield from _calls(inner)


def _writes_of_administrators(app: FastAPI) -> Iterator[tuple[str, str, bool]]:
    """Method, path, and True if the route asks who acts."""
    for context in iter_route_contexts(app.routes):
        route = context.route
        if not isinstance(route, APIRoute):
            continue
        calls = list(_calls(context.dependant))
        if any(isinstance(call, RequireScope) and call.scopes == {AccessScope.ADMIN} for call in calls):
            for method in (route.methods or set()) - {"GET", "HEAD"}:
                yield method, route.path_format, actor_of in calls


def test_every_write_of_an_administrator_knows_who_acts() -> None:
    writes = list(_writes_of_administrators(create_app(make_settings(), StubServices())))
    assert len(writes) > 15
    assert {(method, path) for method, path, knows in writes if not knows} == CHANGING_NOTHING


def test_writes_of_the_index_are_noted_under_the_client_and_without_names(guarded: Service) -> None:
    upload = {"files": [("files", ("홍길동 계약서.jsonl", b"{}"))], "data": {"collection": "hr_labor"}}
    with guarded.client() as client:
        client.headers["X-API-Key"] = ADMIN_KEY
        assert client.post("/api/vectordb/ingest", **upload).status_code == 202  # type: ignore[arg-type]
        assert client.delete("/api/vectordb/documents/HR_1").status_code == 202
        assert client.delete("/api/vectordb/documents/HR_1?purge=true").status_code == 202
        assert client.post("/api/vectordb/jobs/j1/cancel").status_code == 200
        assert client.post("/api/vectordb/rollback").status_code == 200
    document = target_of_document("HR_1")
    assert guarded.stubs.audit.noted == [
        (AuditKind.INDEX_INGEST, "hr_labor", "ops"),
        (AuditKind.INDEX_DELETE, document, "ops"),
        (AuditKind.INDEX_PURGE, document, "ops"),
        (AuditKind.INDEX_CANCEL, "index", "ops"),
        (AuditKind.INDEX_ROLLBACK, "index", "ops"),
    ]


def test_what_cannot_be_noted_is_not_done(guarded: Service) -> None:
    guarded.stubs.audit.broken = True
    with guarded.client() as client:
        client.headers["X-API-Key"] = ADMIN_KEY
        assert_problem(client.delete("/api/vectordb/documents/HR_1"), ErrorCode.SERVICE_UNAVAILABLE)
        assert_problem(client.post("/api/vectordb/rollback"), ErrorCode.SERVICE_UNAVAILABLE)
