"""The audit log in every database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from schemas.administration.audit import AuditKind, AuditOutcome
from tests.utils.administration.conftest import Tables
from utils.administration.audit import shortened
from utils.administration.audit_records import Actor, AuditedWrite, AuditFilter, target_of_document

OPS, ELSE = Actor("ops", "r1"), Actor("else", "r2")


def write(kind: AuditKind, target: str, actor: Actor = OPS, outcome: AuditOutcome = AuditOutcome.DONE) -> AuditedWrite:
    return AuditedWrite(kind, target, actor, outcome, details={"job": "j"})


def test_pages_go_from_the_youngest_back_and_filters_hold_together(tables: Tables) -> None:
    moment = datetime.now(UTC)
    for number in range(7):
        actor = OPS if number % 2 else ELSE
        tables.trail.note(
            write(AuditKind.INDEX_INGEST if number < 5 else AuditKind.INDEX_ROLLBACK, f"t{number}", actor)
        )
    seen: list[str] = []
    older: int | None = None
    while True:
        page = tables.trail.page(AuditFilter(older_than=older), 3)
        seen += [entry.target for entry in page.entries]
        if page.next is None:
            break
        older = page.next
    assert seen == [f"t{number}" for number in reversed(range(7))]
    wanted = AuditFilter(kind=AuditKind.INDEX_INGEST, client="ops", since=moment - timedelta(seconds=5))
    assert [entry.target for entry in tables.trail.page(wanted, 10).entries] == ["t3", "t1"]
    assert tables.trail.page(AuditFilter(until=moment - timedelta(hours=1)), 10).entries == []
    assert [entry.target for entry in tables.trail.page(AuditFilter(target="t6"), 10).entries] == ["t6"]


def test_a_write_that_was_begun_and_never_ended_stays_visible(tables: Tables) -> None:
    begun = write(AuditKind.INDEX_ROLLBACK, "index", outcome=AuditOutcome.UNCONFIRMED)
    first = tables.trail.note(begun)
    tables.trail.note(begun)
    ended = AuditedWrite(begun.kind, "index", OPS, AuditOutcome.REFUSED, before="v2", after="v1", details={"why": "x"})
    tables.trail.note(ended, first)
    lost, found = tables.trail.page(AuditFilter(), 10).entries
    assert (lost.outcome, found.outcome) == (AuditOutcome.UNCONFIRMED, AuditOutcome.REFUSED)
    assert (found.id, found.before, found.after, found.details) == (first, "v2", "v1", {"job": "j", "why": "x"})


def test_details_are_masked_and_short() -> None:
    details = {"words +": [f"말{number}" for number in range(80)], "prompt": ["a" * 900], "mail": "hong@example.com"}
    short = shortened(details)
    assert short["mail"] == "[이메일]"
    assert (len(short["words +"]), short["words +"][-1]) == (51, "… 외 30건")
    assert len(short["prompt"][0]) == 201
    assert shortened({"a": ["가" * 200] * 50, "b": ["나" * 200] * 50})["cut"] is True


@pytest.mark.parametrize("document_id", ["HR_1", "홍길동 계약서", "PDF_0011223344556677#3"])
def test_a_document_is_named_by_a_digest_alone(document_id: str) -> None:
    assert target_of_document(document_id) == target_of_document(document_id)
    assert document_id not in target_of_document(document_id)
    assert target_of_document(document_id) != target_of_document(document_id + " ")
