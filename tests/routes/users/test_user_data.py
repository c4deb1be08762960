"""``/api/user-data``: for the client whose user it is, and for administrators."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from agents.upkeep.personal_data import UserDataUnavailable
from schemas.problems import ErrorCode
from schemas.users import ForgottenUserData, UserData
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY, running
from tests.contract.stub_service import StubServices
from tests.contract.wire import assert_problem

DOCUMENTS_KEY = "documents-key-0123456789"
KEYS = f"web={CHAT_KEY}:chat,ops={ADMIN_KEY}:admin,docs={DOCUMENTS_KEY}:documents"
WEB, OPS, DOCS = ({"X-API-Key": key} for key in (CHAT_KEY, ADMIN_KEY, DOCUMENTS_KEY))


class _Told:
    """Remembers what was asked for; of the user ``broken`` something is away."""

    def __init__(self) -> None:
        self.forgotten: list[tuple[str, str]] = []

    async def export(self, client: str, user_id: str) -> UserData:
        self._check(user_id)
        now = datetime(2026, 11, 23, tzinfo=UTC)
        return UserData(
            client=client, user_id=user_id, exported_at=now, sessions=[], question_log=[{"question": "가"}], chat_log=[]
        )

    async def forget(self, client: str, user_id: str) -> ForgottenUserData:
        self._check(user_id)
        self.forgotten.append((client, user_id))
        return ForgottenUserData(sessions=1, question_log=2, chat_log=3)

    def _check(self, user_id: str) -> None:
        if user_id == "broken":
            raise UserDataUnavailable


@pytest.fixture(scope="module")
def told() -> _Told:
    return _Told()


@pytest.fixture(scope="module")
def client(told: _Told) -> Iterator[httpx.Client]:
    stubs = StubServices()
    stubs.user_data = told
    with running(stubs, api_keys=KEYS) as service, service.client() as client:
        yield client


def test_a_client_has_the_data_of_its_own_users(client: httpx.Client, told: _Told) -> None:
    exported = client.get("/api/user-data/export", params={"user_id": "kim/a b"}, headers=WEB)
    assert exported.status_code == 200
    assert exported.headers["cache-control"] == "no-store"
    assert (exported.json()["client"], exported.json()["user_id"]) == ("web", "kim/a b")
    gone = client.delete("/api/user-data", params={"user_id": "kim"}, headers=WEB)
    assert gone.json() == {"sessions": 1, "question_log": 2, "chat_log": 3}
    assert told.forgotten == [("web", "kim")]


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/user-data/export"), ("DELETE", "/api/user-data")])
def test_users_of_others_are_for_administrators(client: httpx.Client, told: _Told, method: str, path: str) -> None:
    asked = {"user_id": "kim", "client": "shop"}
    before = list(told.forgotten)
    for headers in (WEB, DOCS):
        assert_problem(client.request(method, path, params=asked, headers=headers), ErrorCode.FORBIDDEN)
    assert told.forgotten == before
    assert client.request(method, path, params=asked, headers=OPS).status_code == 200
    assert_problem(client.request(method, path, headers=WEB), ErrorCode.VALIDATION_FAILED)
    assert_problem(client.request(method, path, params={"user_id": " "}, headers=WEB), ErrorCode.VALIDATION_FAILED)


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/user-data/export"), ("DELETE", "/api/user-data")])
def test_what_is_left_is_no_success(client: httpx.Client, method: str, path: str) -> None:
    refused = client.request(method, path, params={"user_id": "broken"}, headers=WEB)
    assert_problem(refused, ErrorCode.SERVICE_UNAVAILABLE)
    assert refused.headers["retry-after"]
