"""Keys and passwords exchanged in their files while the service runs: over HTTP, and against real servers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import psycopg
import pytest
from pydantic import SecretStr

from agents.sessions.postgres import PostgresSessions
from chains.models.openai import build_openai_model
from chains.models.usage import ModelPurpose
from tests.contract.conftest import Service, running
from tests.contract.stub_service import ANSWER, StubExecutor, StubServices, _State
from tests.support.redis_server import RedisServer
from tests.support.scripted_openai import ScriptedOpenAI
from tests.support.session_stores import KIM, asked, say, store_of
from tests.support.sql_servers import PostgreSQLServer
from utils.config.settings import PROJECT_ROOT, Settings
from utils.resilience.redis_link import RedisLink
from utils.routing.database import Database, DomainStoreError
from vectorstores.embedders.base import TextModel
from vectorstores.embedders.openai import OpenAIEmbedder

OLD, NEW, ADMIN = "old-key-0123456789ab", "new-key-0123456789ab", "admin-key-0123456789"
REFUSED = (401, 429)  # the tests ask often with a key that is not served yet
SECONDS = 20  # of patience with a busy machine


class _HeldExecutor(StubExecutor):
    """Answers when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_end = threading.Event()

    async def _work(self, state: _State) -> _State:
        self.started.set()
        await asyncio.to_thread(self.may_end.wait, SECONDS)
        return {"answer": ANSWER}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "api_keys"
    file.write_text(f"web={OLD}:chat\nops={ADMIN}:admin\n", encoding="utf-8")
    monkeypatch.setenv("API_KEYS_FILE", str(file))
    return file


@pytest.fixture
def held() -> _HeldExecutor:
    return _HeldExecutor()


@pytest.fixture
def service(file: Path, held: _HeldExecutor) -> Iterator[Service]:
    stubs = StubServices()
    stubs.chat = held
    with running(stubs, api_keys=file.read_text(encoding="utf-8")) as service:
        yield service


def _status(service: Service, key: str) -> int:
    with service.client() as client:
        return client.get("/health", headers={"X-API-Key": key}).status_code


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.1)


def _until_served(service: Service, key: str) -> None:
    _until(lambda: _status(service, key) == 200)


def test_the_new_key_opens_and_the_old_does_not_and_an_open_stream_goes_on(
    service: Service, file: Path, held: _HeldExecutor
) -> None:
    with (
        service.client() as client,
        client.stream("POST", "/api/chat/stream", json={"message": "질문"}, headers={"X-API-Key": OLD}) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines) == "event: status"
        file.write_text(f"web={NEW}:chat\nops={ADMIN}:admin\n", encoding="utf-8")
        _until_served(service, NEW)
        assert _status(service, OLD) in REFUSED
        held.may_end.set()
        assert "event: done" in list(lines)


def test_a_client_has_two_keys_while_it_exchanges_them(service: Service, file: Path) -> None:
    file.write_text(f"web={NEW} {OLD}:chat\nops={ADMIN}:admin\n", encoding="utf-8")
    _until_served(service, NEW)
    assert _status(service, OLD) == 200
    replaced = file.with_name("replaced")  # as orchestrators write: another file in its place
    replaced.write_text(f"web={NEW}:chat\nops={ADMIN}:admin\n", encoding="utf-8")
    replaced.replace(file)
    _until(lambda: _status(service, OLD) in REFUSED)
    assert _status(service, NEW) == 200


@pytest.mark.parametrize("content", ["", f"web={NEW} {OLD} {ADMIN}:chat"])
def test_what_makes_no_sense_leaves_the_keys_of_before_and_health_says_so(
    service: Service, file: Path, content: str
) -> None:
    file.write_text(content, encoding="utf-8")

    def reported() -> bool:
        with service.client() as client:
            health = client.get("/health", headers={"X-API-Key": OLD}).json()
        told = health["capabilities"].get("secrets", {})
        assert NEW not in json.dumps(health)
        return told.get("state") == "degraded"

    _until(reported)
    assert _status(service, NEW) in REFUSED
    file.write_text(f"web={NEW}:chat", encoding="utf-8")
    _until_served(service, NEW)


def test_a_signal_has_the_files_read_at_once(tmp_path: Path) -> None:
    """SIGHUP ends a process that does not expect it: this one reads its secrets."""
    program = """\
import asyncio, sys
from utils.config.secret_watch import SecretWatch
from utils.config.settings import load_settings

async def main():
    done = asyncio.Event()
    async def use(settings):
        print(*settings.api_keys, flush=True)
        done.set()
    async with SecretWatch(load_settings(), pause=600).running(use):
        print("ready", flush=True)
        await done.wait()

asyncio.run(main())
"""
    file = tmp_path / "keys"
    file.write_text(f"web={OLD}:chat", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=PROJECT_ROOT,
        env={**os.environ, "API_KEYS_FILE": str(file)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        file.write_text(f"shop={NEW}:chat", encoding="utf-8")
        process.send_signal(signal.SIGHUP)
        assert process.stdout.readline() == "shop\n"
        assert process.wait(SECONDS) == 0
    finally:
        process.kill()
        process.wait()


async def test_the_model_server_gets_the_new_key() -> None:
    with ScriptedOpenAI({"generation": "답"}) as server:
        settings = Settings(openai_api_key=SecretStr("old"), openai_base_url=server.base_url)
        model = build_openai_model(settings)
        try:
            await model._models[ModelPurpose.GENERATION].ainvoke("가")
            model.use_key(SecretStr("new"))
            await model._models[ModelPurpose.GENERATION].ainvoke("나")
        finally:
            await model.aclose()
        assert [call.headers["authorization"] for call in server.calls] == ["Bearer old", "Bearer new"]


def test_the_embedding_server_gets_the_new_key() -> None:
    with ScriptedOpenAI({}) as server:
        settings = Settings(openai_api_key=SecretStr("old"), openai_base_url=server.base_url)
        model = TextModel(id="e", name="e", batch_size=8, query_prefix="", passage_prefix="")
        embedder = OpenAIEmbedder(model, settings.openai_base_url, settings.openai_api_key, 5.0)
        server.calls.clear()
        embedder.try_again()
        embedder.use_secrets(settings.model_copy(update={"openai_api_key": SecretStr("new")}))
        embedder.try_again()
        assert [call.headers["authorization"] for call in server.calls] == ["Bearer old", "Bearer new"]


@pytest.mark.services
async def test_redis_is_reached_with_the_new_password() -> None:
    with RedisServer("--requirepass", "old") as server:
        address = f"redis://:{{}}@127.0.0.1:{server.port}/0"
        link = RedisLink(address.format("old"))
        try:
            assert await link.is_up()
            await link.client.config_set("requirepass", "new")
            await link.client.connection_pool.disconnect()  # connections that exist go on
            assert not await link.is_up()
            await link.use(address.format("new"))
            assert await link.is_up()
        finally:
            await link.aclose()


@pytest.fixture
def server_with_passwords() -> Iterator[PostgreSQLServer]:
    with PostgreSQLServer() as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE bizi LOGIN SUPERUSER PASSWORD 'old'")
            rules = Path(cast("tuple[str]", connection.execute("SHOW hba_file").fetchone())[0])
            rules.write_text("host all bizi 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
            connection.execute("SELECT pg_reload_conf()")
        yield server


@pytest.mark.services
async def test_postgresql_is_reached_with_the_new_password(server_with_passwords: PostgreSQLServer) -> None:
    server = server_with_passwords
    address = f"postgresql://bizi:{{}}@127.0.0.1:{server.port}/postgres"
    database, backend = Database(address.format("old"), 3.0), PostgresSessions(address.format("old"), 5.0)
    store = store_of(backend)
    async with store.running():
        await say(store, KIM, "s", "연차")
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("ALTER ROLE bizi PASSWORD 'new'")
        with pytest.raises(DomainStoreError), database.transaction():
            pass
        database.use(address.format("new"))
        with database.transaction():
            pass
        store.use_secrets(Settings(session_url=address.format("new")))
        assert await asked(store, KIM, "s") == ["연차"]
