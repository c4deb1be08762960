"""Stores that can never be used: the start says so, and what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agents.sessions.backends import backend_of, is_kept_anywhere
from agents.sessions.errors import SessionStoreRefused
from agents.sessions.store import SessionStore
from tests.support.redis_server import RedisServer
from tests.support.session_stores import store_of
from utils.config.settings import Settings, SettingsError, load_settings


@pytest.mark.services
async def test_a_redis_without_search_is_refused_with_the_remedy() -> None:
    """The servers that distributions ship, Redis 7 among them, have neither RediSearch nor JSON."""
    with RedisServer() as server:
        store = SessionStore.from_settings(Settings(session_url=server.url))
        assert store is not None
        with pytest.raises(SessionStoreRefused, match=r"SESSION_URL.*Redis 8.*postgresql://.*SQLite"):
            async with store.running():
                pass


@pytest.mark.parametrize("url", ["postgresql://127.0.0.1:1/none", "redis://127.0.0.1:1/0"])
async def test_a_server_that_is_away_does_not_stop_the_start(url: str) -> None:
    store = store_of(backend_of(Settings(session_url=url)), seconds=2.0)
    async with store.running():
        assert (await store.health()).reason


@pytest.mark.parametrize(
    ("url", "module", "extra"),
    [
        ("postgresql://localhost/bizi", "langgraph.checkpoint.postgres.aio", "install-postgres"),
        ("redis://localhost/0", "langgraph.checkpoint.redis.ashallow", "install-redis"),
    ],
)
def test_a_missing_package_is_named_by_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, url: str, module: str, extra: str
) -> None:
    for name in (module, "agents.sessions.postgres", "agents.sessions.redis"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SessionStoreRefused, match=extra):
        backend_of(Settings(session_url=url))


def test_an_address_with_an_unknown_option_is_refused_without_showing_it() -> None:
    with pytest.raises(SessionStoreRefused, match="SESSION_URL") as raised:
        backend_of(Settings(session_url="postgresql://bizi:hunter2@host/name?nonsense=hunter2"))
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["mysql://host/hunter2", "sqlite:///hunter2", "hunter2.db", "redis://:hunter2@host:port/0"]
)
def test_an_unknown_kind_of_store_stops_the_start(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SESSION_URL", url)
    with pytest.raises(SettingsError, match="SESSION_URL") as raised:
        load_settings()
    assert "hunter2" not in str(raised.value)


async def test_where_sessions_are_off_those_of_before_still_expire(tmp_path: Path) -> None:
    off = Settings(data_dir=tmp_path, enable_sessions=False)
    assert SessionStore.from_settings(off) is None
    on = SessionStore.from_settings(Settings(data_dir=tmp_path))
    assert on is not None
    async with on.running():
        assert is_kept_anywhere(off)
    assert SessionStore.from_settings(off) is not None
