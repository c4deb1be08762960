"""Comparing kept versions of the index."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from schemas.problems import ErrorCode
from tests.support.small_index import SmallKnowledge, record, write_lines
from tests.support.small_service import SmallService, small_settings
from tests.support.statute_files import write_statute
from utils.config.settings import Settings
from utils.http.problems import ProblemError
from vectorstores.errors import IndexMissing
from vectorstores.statute_book.history import NoStatutes, NoVersionBefore, StatuteHistory

pytestmark = pytest.mark.whole

TODAY = date(2026, 11, 21)


@pytest.fixture
def knowledge(tmp_path: Path) -> SmallKnowledge:
    return SmallKnowledge(Settings(data_dir=tmp_path / "data"), today=TODAY)


def statutes(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    return write_statute(folder, "시험법", {"제1조 (목적)": text, "제2조 (정의)": "뜻이다."})


def version(knowledge: SmallKnowledge) -> str:
    current = knowledge.store.current_version()
    assert current is not None
    return current


def test_the_two_kept_versions_are_compared_either_way(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    history = StatuteHistory(knowledge.store.layout)
    with pytest.raises(IndexMissing):
        history.between(None, None, TODAY)
    knowledge.add(statutes(tmp_path / "kr", "목적이다."))
    first = version(knowledge)
    with pytest.raises(NoVersionBefore):
        history.between(None, None, TODAY)
    knowledge.add(statutes(tmp_path / "kr", "새 목적이다."))
    second = version(knowledge)
    compared = history.between(None, None, TODAY)
    assert (compared.before, compared.after) == (first, second)
    assert [(change.kind.value, change.title) for change in compared.changes] == [("amended", "시험법 제1조(목적)")]
    assert history.between(second, first, TODAY).changes == compared.changes
    assert history.between(second, second, TODAY).changes == ()
    knowledge.add(write_lines(tmp_path / "a.jsonl", record("A", "임금")))
    assert history.between(None, None, TODAY).changes == (), "another collection changed"
    with pytest.raises(IndexMissing):
        history.between(first, None, TODAY)  # no longer kept
    with pytest.raises(IndexMissing):
        history.between("../../etc", None, TODAY)


def test_an_index_without_statutes_says_so(knowledge: SmallKnowledge, tmp_path: Path) -> None:
    for name in "AB":
        knowledge.add(write_lines(tmp_path / f"{name}.jsonl", record(name, "임금")))
    with pytest.raises(NoStatutes):
        StatuteHistory(knowledge.store.layout).between(None, None, TODAY)


async def test_the_service_pages_through_the_changes_and_refuses_in_the_contracts_shape(tmp_path: Path) -> None:
    service = SmallService(small_settings(tmp_path / "data"))
    async with service.running():
        manager = service.manager
        first = await service.ended(await service.upload(record("A", "임금")))
        for before, after in ((None, None), ("nope", first.version)):
            with pytest.raises(ProblemError) as refused:
                await manager.statute_changes(before, after, 0, 10, TODAY)
            assert refused.value.code in (ErrorCode.NOT_FOUND, ErrorCode.CONFLICT)
        law = {"type": "law", "domain": "law_common", "title": "시험법"}
        articles = "\n".join(f"제{number}조(제목) 글이다." for number in range(1, 8))
        await service.ended(await service.upload(record("LAW_1", articles, **law), name="laws_full.jsonl"))
        found = await manager.statute_changes(None, None, 5, 10, TODAY)
        assert (found.total, found.offset, found.counts["added"]) == (7, 5, 7)
        assert [change.article for change in found.changes] == ["제6조", "제7조"]
