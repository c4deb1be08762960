"""From packs to rows and back; what does not make sense is refused by the name of its pack."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, delete, event, insert, update

from tests.support.fifth_domain import PACK
from tests.support.packs import shipped_packs
from tests.support.routing import LAW, TAX
from utils.routing.domain_pack import DomainDataError, DomainPack, Pack
from utils.routing.domain_tables import (
    DomainTables,
    action_rows,
    entry_rows,
    pack_digest,
    pack_from_rows,
    pack_key,
    pack_row,
    pack_set,
    register_functions,
)

FIFTH = DomainPack.model_validate(tomllib.loads(PACK))
PACKS: list[Pack] = [*shipped_packs().domains, *shipped_packs().rejections, FIFTH]
TABLES = DomainTables("t_")


def read_back(pack: Pack, **changed: Any) -> Pack:
    """The pack that its rows give, the row of the pack itself with changes."""
    row = SimpleNamespace(**({"agent_label": None, "is_law": None, "prompt": None} | pack_row(pack, 0) | changed))
    entries = [SimpleNamespace(**values) for values in entry_rows(pack)]
    return pack_from_rows(row, entries, [SimpleNamespace(**values) for values in action_rows(pack)])


@pytest.mark.parametrize("pack", PACKS, ids=pack_key)
def test_rows_say_all_that_a_pack_says(pack: Pack) -> None:
    assert read_back(pack) == pack
    assert pack_digest(read_back(pack)) == pack_digest(pack)


@pytest.mark.parametrize("pack", PACKS, ids=pack_key)
def test_no_row_is_there_twice(pack: Pack) -> None:
    """The tables hold a value of a field once."""
    rows = [tuple(row.values()) for row in entry_rows(pack)]
    assert len(rows) == len(set(rows))


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("rule", "하나뿐", "rules"),
        ("chunking", "faq = 언제나", "chunking"),
        ("chunking", "faq", "chunking"),
        ("example", "", "examples"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused_by_its_pack(field: str, value: str, said: str) -> None:
    row = SimpleNamespace(**pack_row(FIFTH, 0))
    with pytest.raises(DomainDataError, match=rf"farming.*{said}"):
        pack_from_rows(row, [SimpleNamespace(pack_key="farming", field=field, value=value)], [])


def test_a_row_of_an_unknown_role_is_no_pack() -> None:
    with pytest.raises(DomainDataError, match=r"farming: unknown role 'guest'"):
        read_back(FIFTH, role="guest")


def test_parameters_that_are_no_json_are_refused_by_their_action() -> None:
    action = SimpleNamespace(**(action_rows(FIFTH)[0] | {"params": "{"}))
    with pytest.raises(DomainDataError, match=rf"farming: .*{action.label}"):
        pack_from_rows(SimpleNamespace(**pack_row(FIFTH, 0)), [], [action])


def test_packs_that_do_not_go_together_are_refused() -> None:
    assert pack_set([*PACKS]).keys() == (*shipped_packs().keys(), "farming")
    with pytest.raises(DomainDataError, match="law_common"):
        pack_set([FIFTH])
    with pytest.raises(DomainDataError):
        pack_set([*PACKS, FIFTH.model_copy(update={"key": "fishing"})])


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    event.listen(engine, "connect", register_functions)
    with engine.begin() as opened:
        TABLES.metadata.create_all(opened)
        for position, pack in enumerate(PACKS):
            opened.execute(insert(TABLES.pack), [pack_row(pack, position)])
            opened.execute(insert(TABLES.entry), entry_rows(pack))
            if rows := action_rows(pack):
                opened.execute(insert(TABLES.action), rows)
        yield opened
    engine.dispose()


def checksums(connection: Connection) -> list[Any]:
    return [connection.execute(query).fetchone() for query in TABLES.checksums("sqlite")]


EDITS: dict[str, Callable[[], Any]] = {
    "a label": lambda: update(TABLES.pack).where(TABLES.pack.c.key == TAX).values(label="세금"),
    "a prompt": lambda: update(TABLES.pack).where(TABLES.pack.c.key == TAX).values(prompt="다른 말"),
    "what is law": lambda: update(TABLES.pack).where(TABLES.pack.c.key == LAW).values(is_law=0),
    "the order": lambda: update(TABLES.pack).where(TABLES.pack.c.key == TAX).values(position=99),
    "a keyword": lambda: update(TABLES.entry).where(TABLES.entry.c.value == "부가세").values(value="부가셰"),
    "the tier of a keyword": lambda: (
        update(TABLES.entry).where(TABLES.entry.c.value == "부가세").values(field="keyword_context")
    ),
    "one example less": lambda: delete(TABLES.entry).where(TABLES.entry.c.value == FIFTH.examples[0]),
    "the words of an action": lambda: (
        update(TABLES.action).where(TABLES.action.c.pack_key == "farming").values(keywords="소")
    ),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_every_edit_changes_the_checksums(connection: Connection, edit: Callable[[], Any]) -> None:
    before = checksums(connection)
    assert checksums(connection) == before
    assert connection.execute(edit()).rowcount > 0
    assert checksums(connection) != before


def test_the_order_of_rows_in_a_table_is_no_edit(connection: Connection) -> None:
    before = checksums(connection)
    connection.execute(delete(TABLES.entry))
    for pack in reversed(PACKS):
        connection.execute(insert(TABLES.entry), entry_rows(pack))
    assert checksums(connection) == before
