"""The API of a source of notices broken in each way: the notices of before go on being served, in the chat and in the search, with their age."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import Response
from pydantic import SecretStr

from routes import dependencies
from tests.e2e.conftest import serving
from tests.support.notice_files import DAY
from tests.support.notice_server import HTML, KEY, QUOTA, NoticeServer, bizinfo_item, kstartup_item
from tests.support.two_document_service import small_settings
from utils.config.settings import Settings
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.notices import library
from vectorstores.notices.importers.refresh import refresh
from vectorstores.notices.importers.sources import configured_sources
from vectorstores.notices.store import NoticeStore, store_url
from vectorstores.tokenizer import KiwiTokenizer

AGE = 4
FOUND = {"bizinfo": "bizinfo-1", "kstartup": "kstartup-7"}
BROKEN: dict[str, Any] = {"timeout": "hang", "500": Response("", 500), "html": HTML, "quota": QUOTA}


@dataclass
class Running:
    """A service over notices that are refreshed from ``apis``."""

    client: httpx.Client
    apis: NoticeServer
    settings: Settings
    tokenizer: KiwiTokenizer

    def refresh(self, days_ago: int) -> None:
        store = NoticeStore(store_url(self.settings), self.tokenizer)
        sources = configured_sources(self.settings, pause=lambda _: None, size=5)
        now = datetime.now(UTC) - timedelta(days=days_ago)
        refresh(store, sources, self.settings, everything=True, clock=lambda: now)
        for source in sources:
            source.close()
        store.close()

    def searched(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.post("/api/funding/search", json={"size": 50}).json()
        return found

    def searched_until(self, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The service follows the database in a moment of its own."""
        until = time.monotonic() + 30
        while not is_so(found := self.searched()):
            assert time.monotonic() < until, found["degraded"]
            time.sleep(0.02)
        return found


@pytest.fixture(scope="module")
def running(
    tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    apis = NoticeServer([bizinfo_item(number) for number in (1, 2)], [kstartup_item(7)])
    with apis.server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "_POLL_SECONDS", 0.05)
        patch.setattr(dependencies, "korean_day", lambda: DAY)
        own = {
            "bizinfo_api_key": SecretStr(KEY),
            "bizinfo_api_url": f"{apis.server.url}/bizinfo",
            "kstartup_api_key": SecretStr(KEY),
            "kstartup_api_url": f"{apis.server.url}/kstartup",
            "notice_api_timeout": 0.5,
        }
        settings = small_settings(tmp_path_factory.mktemp("sources"), tokenizer, embedder, **own)
        made = Running(httpx.Client(), apis, settings, tokenizer)
        made.refresh(0)
        with serving(settings, tokenizer, today=DAY) as client:
            made.client = client
            yield made


@pytest.mark.parametrize("way", BROKEN)
@pytest.mark.parametrize("source", FOUND)
def test_old_notices_are_served_with_their_age(running: Running, source: str, way: str) -> None:
    running.apis.broken.clear()
    running.refresh(days_ago=AGE)
    running.apis.always(f"{source} 1", BROKEN[way])
    running.refresh(days_ago=0)

    found = running.searched_until(lambda found: len(found["degraded"]) == 1)
    assert {item["id"] for item in found["items"]} == {"bizinfo-1", "bizinfo-2", "kstartup-7"}
    [lack] = found["degraded"]
    assert lack["component"] == "notices"
    assert lack["reason"].startswith(source)
    assert f"{AGE}일 전" in lack["reason"]

    listed = running.client.post("/api/chat", json={"message": "서울 지원사업 공고 찾아줘"}).json()
    assert FOUND[source] in [each["metadata"]["id"] for each in listed["sources"]]
    assert listed["degraded"] == [lack]
    told = running.client.post(
        "/api/chat", json={"message": "1번 신청기간이 언제야?", "session_state": listed["session_state"]}
    ).json()
    assert "2026-12-1" in told["content"]
    assert told["degraded"] == [lack]

    running.apis.broken.clear()
    running.refresh(days_ago=0)
    assert running.searched_until(lambda found: not found["degraded"])["total"] == 3
