"""After a purge the cache holds what the documents left need, and nothing of those that are gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.unit_files import unit_text, write_document
from utils.config.settings import Settings
from vectorstores.build.analysis_cache import analysis_key, embedding_key
from vectorstores.embedders.unit_encoder import unit_embedder

STAYS = unit_text(asks=("남는 물음",), sentences=("결론: 남는 답입니다.",))
GOES = unit_text("홍길동의 일", asks=("홍길동 사장은 누구인가요",), sentences=("결론: 홍길동은 900101-1947382입니다.",))


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    """A document whose units are to be forgotten, another one with units, and one without."""
    write_document(tmp_path / "hr_labor", STAYS, head={"id": "STAYS"})
    write_document(tmp_path / "hr_labor", GOES, head={"id": "GOES"})
    lines = write_lines(tmp_path / "a.jsonl", record("PLAIN", "연차 휴가"))
    made = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    assert made.add(tmp_path / "hr_labor", lines).problems == []
    return made


def cached(knowledge: SmallKnowledge, query: str) -> set[bytes | str]:
    with closing(sqlite3.connect(knowledge.store.layout.cache)) as cache:
        return {row[0] for row in cache.execute(query)}


def test_a_purge_forgets_the_analyses_of_phrasings(knowledge: SmallKnowledge) -> None:
    texts = {"STAYS": "남는 물음", "GOES": "홍길동 사장은 누구인가요", "PLAIN": "연차 휴가"}
    terms = {name: analysis_key(knowledge.analyzer.id, text) for name, text in texts.items()}
    phrasings = {name: embedding_key(unit_embedder(knowledge.analyzer), texts[name]) for name in ("STAYS", "GOES")}
    assert set(terms.values()) <= cached(knowledge, "SELECT key FROM located_terms")
    assert set(phrasings.values()) <= cached(knowledge, "SELECT key FROM vectors")

    assert knowledge.ingest.purge(["GOES"]).removed == 1
    assert set(terms.values()) - cached(knowledge, "SELECT key FROM located_terms") == {terms["GOES"]}
    assert set(phrasings.values()) - cached(knowledge, "SELECT key FROM vectors") == {phrasings["GOES"]}
    words = cached(knowledge, "SELECT term FROM vocabulary")
    assert {"남는", "물음", "연차"} <= words
    assert not {word for word in words if "홍길동" in str(word) or "1947382" in str(word)}


def test_what_is_left_needs_no_analysis_again(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    knowledge.ingest.purge(["GOES"])
    before = knowledge.analyzer.analyzed
    assert knowledge.add(write_lines(tmp_path / "b.jsonl", record("LATER", "해고 예고"))).added == 1
    assert knowledge.analyzer.analyzed - before == 2, "the text and the title of the new document alone"
