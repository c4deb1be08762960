"""The stores of vectors that are opened with an index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from vectorstores.backends import vector_table
from vectorstores.live.opening import open_connected

HR = "hr_labor_db"


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    made = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    made.add(write_lines(tmp_path / "a.jsonl", *(record(name, f"임금 {name}") for name in "ABC")))
    return made


@pytest.mark.parametrize("compared", [2, 3])
def test_a_graph_is_opened_where_it_is_searched(
    knowledge: SmallKnowledge, monkeypatch: pytest.MonkeyPatch, compared: int
) -> None:
    monkeypatch.setattr(vector_table, "_COMPARED_ONE_BY_ONE", compared)
    assert knowledge.store.asks_chroma() is (compared < 3)
    index = open_connected(knowledge.store)
    collection = index.collections[HR]
    assert (collection._store_of_vectors._table is not None) is (compared < 3)
    assert len(collection.vector_search(knowledge.vector("임금"), 2)[0][0]) == 2
    assert collection.vector_error is None
    index.close()


def test_no_index_asks_for_nothing(tmp_path: Path) -> None:
    assert not SmallKnowledge(Settings(data_dir=tmp_path / "none")).store.asks_chroma()


def test_of_the_servers_chroma_alone_asks_for_chroma(tmp_path: Path) -> None:
    assert SmallKnowledge(Settings(data_dir=tmp_path, chroma_host="127.0.0.1")).store.asks_chroma()
