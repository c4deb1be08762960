"""Conversations in real stores: whose they are, how many turns stay, when they go, and who comes first."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import sys
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from agents.sessions.conversation import Owner
from agents.sessions.errors import SessionBusy, SessionsUnavailable
from agents.sessions.store import SessionStore
from schemas.health import CapabilityState
from tests.support.session_stores import KIM, LEE, Clock, answered, asked, backend_at, say, store_of
from utils.config.settings import PROJECT_ROOT

pytestmark = pytest.mark.whole

_META = answered()
OWNERS = [KIM, LEE, Owner("app", "kim"), Owner("web"), Owner("")]


def traces(place: str, text: str) -> int:
    """Count how often a text stands in what the store has on disk, or in its tables."""
    if "://" not in place:
        files = (Path(place) / "sessions").iterdir()
        return sum(file.read_bytes().count(text.encode()) for file in files)
    with psycopg.connect(place) as connection:
        query = "SELECT count(*) FROM {} AS row WHERE position(%s in row::text) > 0"
        found = 0
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            row = connection.execute(query.format(table).encode(), (text,)).fetchone()
            found += row[0] if row else 0
        blobs = connection.execute("SELECT blob FROM checkpoint_blobs").fetchall()
        return found + sum(bytes(blob).count(text.encode()) for (blob,) in blobs if blob)


async def test_a_conversation_is_read_back_with_its_sources(store: SessionStore) -> None:
    await say(store, KIM, "s", "부가세는 언제 내나요?")
    conversation = await store.read(KIM, "s")
    assert conversation is not None
    (turn,) = conversation.turns
    assert (turn.question, turn.answer) == ("부가세는 언제 내나요?", "부가세는 언제 내나요?의 답")
    assert [source.title for source in turn.sources] == ["부가가치세법 제49조"]
    assert store.expires(conversation) == turn.answered_at + timedelta(seconds=100)


async def test_a_session_is_its_owners_alone(store: SessionStore) -> None:
    for owner in OWNERS:
        await say(store, owner, "same-id", f"{owner}")
    for owner in OWNERS:
        assert await asked(store, owner, "same-id") == [f"{owner}"]
        listed, _ = await store.listed(owner, 10, None)
        assert [turn.question for conversation in listed for turn in conversation.turns] == [f"{owner}"]
    assert await store.delete(KIM, "same-id")
    assert not await store.delete(KIM, "same-id")
    assert await store.delete_all(LEE) == 1
    assert [await asked(store, owner, "same-id") is not None for owner in OWNERS] == [False, False, True, True, True]


async def test_only_the_last_turns_stay(store: SessionStore, place: str) -> None:
    for number in range(5):
        await say(store, KIM, "s", f"unmistakable-{number}")
    assert await asked(store, KIM, "s") == ["unmistakable-2", "unmistakable-3", "unmistakable-4"]
    await store.remove_expired()
    assert (traces(place, "unmistakable-1"), traces(place, "unmistakable-2") > 0) == (0, True)


async def test_fewer_turns_are_read_where_fewer_may_be_kept_now(store: SessionStore, place: str, clock: Clock) -> None:
    for number in range(3):
        await say(store, KIM, "s", f"{number}")
    smaller = store_of(backend_at(place), clock, max_turns=1)
    async with smaller.running():
        assert await asked(smaller, KIM, "s") == ["2"]


async def test_what_is_too_old_is_not_read_and_leaves_no_trace(store: SessionStore, place: str, clock: Clock) -> None:
    await say(store, KIM, "old", "unmistakable-old")
    await say(store, KIM, "new", "first")
    clock.passes(60)
    await say(store, KIM, "new", "second")
    clock.passes(60)
    assert await asked(store, KIM, "old") is None
    assert await asked(store, KIM, "new") == ["first", "second"], "its age counts from the last turn"
    assert [conversation.session_id for conversation in (await store.listed(KIM, 10, None))[0]] == ["new"]
    assert not await store.delete(KIM, "old")
    assert traces(place, "unmistakable-old")
    assert await store.remove_expired() == 1
    assert (traces(place, "unmistakable-old"), traces(place, "second") > 0) == (0, True)


async def test_a_running_store_removes_what_has_expired_by_itself(place: str) -> None:
    store = store_of(backend_at(place), max_age=0.5)
    store.clock = lambda: clock() + timedelta(seconds=asyncio.get_running_loop().time() - began)
    clock, began = Clock(), asyncio.get_running_loop().time()
    async with store.running():
        await say(store, KIM, "s", "unmistakable")
        async with asyncio.timeout(20):
            while True:
                await asyncio.sleep(0.1)
                if not traces(place, "unmistakable"):
                    break


async def test_what_is_deleted_leaves_no_trace(store: SessionStore, place: str) -> None:
    for session in ("a", "b", "c"):
        for number in range(3):
            await say(store, KIM, session, f"unmistakable-{session}-{number}-{'x' * 5000}")
    await store.delete(KIM, "a")
    assert (traces(place, "unmistakable-a"), traces(place, "unmistakable-b") > 0) == (0, True)
    assert await store.delete_all(KIM) == 2
    assert traces(place, "unmistakable") == 0


async def test_sessions_are_listed_page_by_page_the_one_used_last_first(store: SessionStore, clock: Clock) -> None:
    for session in ("a", "b", "c", "d", "a"):
        clock.passes(1)
        await say(store, KIM, session, f"Q{session}")
    pages, before = [], None
    for _ in range(3):
        found, before = await store.listed(KIM, 2, before)
        pages.append([conversation.session_id for conversation in found])
        if before is None:
            break
    assert pages == [["a", "d"], ["c", "b"]]


async def test_a_killed_write_leaves_one_conversation(store: SessionStore, place: str, clock: Clock) -> None:
    """As after a kill between keeping the new checkpoint and removing the one before."""
    await say(store, KIM, "s", "unmistakable-first")
    before = await store.read(KIM, "s")
    assert before is not None

    async def keep_both(saver: object, thread_ids: object, *, strategy: str) -> None:
        return None

    with pytest.MonkeyPatch.context() as patch:
        saver = await store._link._saver()
        patch.setattr(type(saver), "aprune", keep_both)
        clock.passes(90)
        await store.write(KIM, before.replaced_by([], clock()).continued("second", "답", _META, clock(), 3))
    assert await asked(store, KIM, "s") == ["second"]
    assert len((await store.listed(KIM, 10, None))[0]) == 1
    clock.passes(50)
    assert await store.remove_expired() == 0
    assert (await asked(store, KIM, "s"), traces(place, "unmistakable-first")) == (["second"], 0)


async def test_two_requests_of_a_session_come_one_after_the_other(store: SessionStore) -> None:
    await asyncio.gather(*(say(store, KIM, "s", f"{number}") for number in range(8)))
    assert await asked(store, KIM, "s") == ["5", "6", "7"]


async def test_who_waits_for_too_long_is_told_so_and_other_sessions_do_not_wait(store: SessionStore) -> None:
    store._wait = 0.2
    async with store.turn(KIM, "s"):
        with pytest.raises(SessionBusy):
            await say(store, KIM, "s", "second")
        with pytest.raises(SessionBusy):
            await store.delete(KIM, "s")
        await say(store, KIM, "another", "at once")
        await say(store, LEE, "s", "at once")
    await say(store, KIM, "s", "third")
    assert await asked(store, KIM, "s") == ["third"]


async def test_whoever_leaves_the_queue_holds_up_nobody(store: SessionStore) -> None:
    async with store.turn(KIM, "s"):
        waiting = [asyncio.create_task(say(store, KIM, "s", f"{number}")) for number in range(3)]
        await asyncio.sleep(0.05)
        waiting[0].cancel()
        waiting[1].cancel()
    await waiting[2]
    assert await asked(store, KIM, "s") == ["2"]


# Processes take seconds to start.
ON_BOTH = pytest.mark.parametrize(
    "place", ["sqlite", pytest.param("postgresql", marks=[pytest.mark.services, pytest.mark.slow])], indirect=True
)


async def _process(place: str, *what: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.session_process", place, *what,
        cwd=PROJECT_ROOT, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip


@ON_BOTH
async def test_two_processes_lose_no_turn_of_a_session_they_both_go_on_with(place: str) -> None:
    mine = store_of(backend_at(place), max_turns=100, wait=60)
    theirs = [f"theirs {number}" for number in range(20)]
    async with mine.running():
        other = await _process(place, "say", "s", *theirs)
        assert other.stdout is not None
        await other.stdout.readline()
        for number in range(20):
            await say(mine, KIM, "s", f"mine {number}")
        assert await other.wait() == 0
        questions = await asked(mine, KIM, "s")
    assert questions is not None
    assert [question for question in questions if question in theirs] == theirs
    assert [question for question in questions if question not in theirs] == [f"mine {number}" for number in range(20)]


@ON_BOTH
async def test_a_killed_process_gives_its_session_back_with_all_that_was_finished(place: str) -> None:
    mine = store_of(backend_at(place), max_turns=100, wait=0.3)
    async with mine.running():
        await say(mine, KIM, "s", "finished")
        other = await _process(place, "hold", "s")
        assert other.stdout is not None
        assert await other.stdout.readline() == b"held\n"
        with pytest.raises(SessionBusy):
            await say(mine, KIM, "s", "too early")
        other.kill()
        await other.wait()
        mine._wait = 30.0
        await say(mine, KIM, "s", "after")
        assert await asked(mine, KIM, "s") == ["finished", "after"]


@ON_BOTH
async def test_a_kill_between_turns_keeps_every_turn_that_was_kept(place: str) -> None:
    other = await _process(place, "say", "s", *(f"{number}" for number in range(1000)))
    assert other.stdout is not None
    seen = [(await other.stdout.readline()).decode().strip() for _ in range(7)]
    other.kill()
    await other.wait()
    mine = store_of(backend_at(place), max_turns=1000)
    async with mine.running():
        questions = await asked(mine, KIM, "s") or []
    assert questions[:7] == seen
    assert questions == [f"{number}" for number in range(len(questions))]


async def test_the_file_is_for_the_service_alone(tmp_path: Path) -> None:
    store = store_of(backend_at(str(tmp_path)))
    async with store.running():
        await say(store, KIM, "s", "질문")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "sessions").iterdir()}
    assert modes
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "sessions").stat().st_mode) == 0o700


async def test_a_file_that_is_no_database_is_named_and_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "sessions" / "conversations.db"
    file.parent.mkdir()
    file.write_bytes(b"no database" * 1000)
    store = store_of(backend_at(str(tmp_path)))
    async with store.running():
        with pytest.raises(SessionsUnavailable):
            await store.read(KIM, "s")
        assert (await store.health()).state is CapabilityState.UNAVAILABLE
    assert file.read_bytes() == b"no database" * 1000


async def test_a_file_that_another_process_keeps_locked_is_used_again_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.sessions.link._RECOVERY", 0.05)
    store = store_of(backend_at(str(tmp_path)), seconds=0.4)
    async with store.running():
        await say(store, KIM, "s", "before")
        with sqlite3.connect(tmp_path / "sessions" / "conversations.db", isolation_level=None) as other:
            other.execute("BEGIN EXCLUSIVE")
            conversation = await store.read(KIM, "s")
            assert conversation is not None
            with pytest.raises(SessionsUnavailable):
                await store.write(KIM, conversation)
            assert (await store.health()).state is CapabilityState.UNAVAILABLE
            other.execute("ROLLBACK")
        await asyncio.sleep(0.1)
        assert (await store.health()).state is CapabilityState.AVAILABLE
        await say(store, KIM, "s", "after")
        assert await asked(store, KIM, "s") == ["before", "after"]


async def test_a_folder_that_cannot_be_written_does_not_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_bytes(b"")  # root may write wherever there is a folder
    store = store_of(backend_at(str(tmp_path)))
    async with store.running():
        async with store.turn(KIM, "s") as is_there:
            assert not is_there
        assert (await store.health()).state is CapabilityState.UNAVAILABLE
