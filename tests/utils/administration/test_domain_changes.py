"""Changes of the domain tables in every database: whole or not at all, none over another, and each in the audit log."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from schemas.administration.audit import AuditKind
from schemas.administration.domains import DomainEdit, Keyword, KeywordEntry, PutDomain
from tests.support.routing import LABOR, LAW, TAX
from tests.utils.administration.conftest import Tables
from utils.administration.audit_records import Actor, AuditFilter
from utils.administration.domain_changes import Expected, StaleEdit, pack_etag, set_etag
from utils.administration.domain_checks import EditRefused
from utils.administration.domain_edits import applied, domain_of
from utils.routing.database import DomainStoreError
from utils.routing.domain_pack import DomainDataError, PackSet

OPERATOR = Actor("ops", "request-1")


def relabelled(packs: PackSet, key: str, label: str) -> PackSet:
    domain = domain_of(packs.get(key)).model_copy(update={"label": label})
    return applied(packs, [PutDomain(op="put_domain", domain=domain)])


def keyword(word: str, key: str = TAX) -> DomainEdit:
    return KeywordEntry(op="add", part="keywords", key=key, entry=Keyword(word=word))


def test_of_two_operators_who_read_the_same_the_second_is_told(tables: Tables) -> None:
    seen = Expected(frozenset({pack_etag(tables.store.read().packs.get(TAX))}), TAX)
    start = threading.Barrier(2)

    def write(number: int) -> str:
        changes = (tables.changes, tables.more_changes)[number]
        start.wait(10)
        try:
            changes.make(lambda packs: relabelled(packs or PackSet(domains=()), TAX, f"세무 {number}"), OPERATOR, seen)
        except StaleEdit as stale:
            return f"stale {stale.etag}"
        return f"세무 {number}"

    with ThreadPoolExecutor(2) as threads:
        told = sorted(threads.map(write, range(2)))
    stored = tables.store.read().packs.get(TAX)
    assert told == sorted([f"stale {pack_etag(stored)}", stored.label])
    entries = tables.trail.page(AuditFilter(), 10).entries
    assert [(entry.target, entry.after) for entry in entries] == [(TAX, pack_etag(stored))]


def test_two_who_add_at_once_both_have_their_word(tables: Tables) -> None:
    start = threading.Barrier(2)

    def add(number: int) -> None:
        start.wait(10)
        changes = (tables.changes, tables.more_changes)[number]
        changes.make(lambda packs: applied(packs or PackSet(domains=()), [keyword(f"새말{number}")]), OPERATOR)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(add, range(2)))
    assert {"새말0", "새말1"} <= set(tables.store.read().packs.get(TAX).keywords.core)


def test_a_change_is_noted_with_what_it_did_and_without_personal_data(tables: Tables) -> None:
    before = tables.store.read().packs
    words = [keyword("010-1234-5678 상담"), keyword("새말", LABOR)]
    made = tables.changes.make(lambda packs: applied(packs or before, words), OPERATOR)
    assert made.etag == set_etag(tables.store.read().packs) != set_etag(before)
    labour, tax = tables.trail.page(AuditFilter(client="ops", kind=AuditKind.DOMAIN_REPLACED), 10).entries
    assert (tax.target, tax.request_id, tax.before) == (TAX, "request-1", pack_etag(before.get(TAX)))
    assert tax.details == {"keywords.core +": ["[전화번호] 상담"]}
    assert (labour.target, labour.details) == (LABOR, {"keywords.core +": ["새말"]})
    assert tables.changes.make(lambda packs: packs or before, OPERATOR).changed == ()
    assert len(tables.trail.page(AuditFilter(), 10).entries) == 2, "what changes nothing is no change"


def test_a_refused_change_leaves_neither_data_nor_a_note(tables: Tables) -> None:
    before = tables.store.read()

    def refused(packs: PackSet | None) -> PackSet:
        return applied(packs or before.packs, [keyword("새말"), keyword("새말")])

    with pytest.raises(EditRefused):
        tables.changes.make(refused, OPERATOR)
    assert tables.store.read() == before
    assert tables.trail.page(AuditFilter(), 10).entries == []


def test_a_change_that_cannot_be_noted_is_not_made(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tables.store.read()
    tables.trail.make_ready()
    engine = create_engine(tables.url)
    with engine.begin() as connection:
        connection.execute(text(f"DROP TABLE {tables.prefix}audit"))
    engine.dispose()
    with pytest.raises(DomainStoreError):
        tables.changes.make(lambda packs: relabelled(packs or before.packs, TAX, "세금"), OPERATOR)
    assert tables.store.read() == before


def test_rows_that_make_no_sense_are_replaced_whole_and_not_in_part(tables: Tables) -> None:
    good = tables.store.read().packs
    engine = create_engine(tables.url)
    with engine.begin() as connection:
        connection.execute(
            text(f"INSERT INTO {tables.prefix}entry (pack_key, field, value) VALUES ('{LAW}', 'rule', '하나뿐')")
        )
    engine.dispose()
    with pytest.raises(DomainDataError):
        tables.changes.make(lambda packs: relabelled(packs or good, TAX, "세금"), OPERATOR)
    made = tables.changes.make(lambda _: good, OPERATOR, Expected(frozenset({"old"})), replaces_all=True)
    assert [change.key for change in made.changed] == [LAW]
    assert set_etag(tables.store.read().packs) == set_etag(good)


def test_a_database_that_is_held_by_another_loses_nothing(tmp_path: Path) -> None:
    from tests.utils.administration.conftest import opened
    from utils.administration.domain_changes import DomainChanges

    url = f"sqlite:///{tmp_path}/held.sqlite"
    store, trail = opened(f"{url}?timeout=0.1", "d_")
    before = store.load()
    changes = DomainChanges(store, trail)
    engine = create_engine(url)
    with engine.connect() as holder:
        holder.exec_driver_sql("BEGIN EXCLUSIVE")
        with pytest.raises(DomainStoreError):
            changes.make(lambda packs: relabelled(packs or before.packs, TAX, "세금"), OPERATOR)
        holder.exec_driver_sql("ROLLBACK")
    engine.dispose()
    assert store.read().packs == before.packs
    changes.make(lambda packs: relabelled(packs or before.packs, TAX, "세금"), OPERATOR)
    assert store.read().packs.get(TAX).label == "세금"
    store.close()
    trail.close()
