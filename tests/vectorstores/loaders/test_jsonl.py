"""A line of a statute is cut by article, so that each is found and cited on its own."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.support.packs import shipped_collections
from tests.support.small_index import SmallKnowledge, record, write_lines
from utils.config.settings import Settings
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.jsonl import articles_of
from vectorstores.loaders.registry import loader_for

TODAY = date(2026, 11, 21)
MERGED = (
    "[시험 보호법]\n소관부처: 고용노동부\n시행일: 2026-01-01\n\n"
    "제1장의2 총칙\n제1조(목적)\n제1조(목적) 이 법은 시험의 보호를 목적으로 한다.\n\n"
    "제2조(정의(定義) 등) ① 뜻은 다음과 같다.\n  1. 시험이란 묻는 것이다.\n제1조의 목적에 맞아야 한다.\n"
    "제9조(벌칙)에 따른 것은 뺀다.\n제2장 벌칙\n\n"
    "제2조의2 삭제 <2020.1.1>\n\n제3조\n② 셋이다.\n\n부칙 <제1호, 2020.1.1>\n제1조(시행일) 공포한 날부터 시행한다."
)


def law(document_id: str, content: str, **values: object) -> dict[str, object]:
    return record(document_id, content, "law_common", **{"type": "law", "title": "시험 보호법", **values})


def load(path: Path) -> dict[str, SourceDocument]:
    report = LoadReport()
    found = list(loader_for(path, "jsonl").load(path, LoadOptions(TODAY, collections=shipped_collections()), report))
    assert report.problems == []
    assert report.documents == len(found)
    return {source.document.id: source for source in found}


def test_a_line_with_several_articles_becomes_one_document_each(tmp_path: Path) -> None:
    line = law("LAW_1_A1-3", MERGED, title="시험 보호법 제1조", metadata={"law_id": "1"}, effective_date="2026-01-01")
    sources = load(write_lines(tmp_path / "laws_full.jsonl", line))
    assert {name.partition("#")[2]: source.prefix for name, source in sources.items()} == {
        "제1조": "시험 보호법 제1조(목적)",
        "제2조": "시험 보호법 제2조(정의(定義) 등)",
        "제2조의2": "시험 보호법 제2조의2",
        "제3조": "시험 보호법 제3조",
    }
    first, second, deleted, _ = sources.values()
    assert first.document.content == "이 법은 시험의 보호를 목적으로 한다.", (
        "neither the head of the file nor its headings"
    )
    assert first.document.title == "시험 보호법 제1조(목적)"
    assert second.document.content.endswith("제1조의 목적에 맞아야 한다.\n제9조(벌칙)에 따른 것은 뺀다.")
    assert second.label == "시험보호법|제2조"
    assert second.document.metadata == {
        "law_id": "1",
        "law": "시험 보호법",
        "article": "제2조",
        "heading": "정의(定義) 등",
    }
    assert second.document.effective_date == date(2026, 1, 1)
    assert deleted.document.metadata["deleted"] is True


def test_the_law_is_named_by_the_metadata_the_head_or_the_title(tmp_path: Path) -> None:
    article = "제5조(휴가) 휴가를 준다."
    path = write_lines(
        tmp_path / "laws.jsonl",
        law("A", article, metadata={"law_name": "갑 법"}, title="무엇"),
        law("B", f"[을 법]\n{article}", title="무엇"),
        law("C", article, title="병 법 제5조(휴가)"),
    )
    assert [source.label for source in load(path).values()] == ["갑법|제5조", "을법|제5조", "병법|제5조"]


def test_other_lines_stay_whole(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "laws.jsonl",
        law("LAW_2", "조문이 없는 법령이다. 제3조(정의)에 따른다."),
        law("GUIDE", "제1조(목적) 안내다.", type="guide"),
    )
    assert {name: source.label for name, source in load(path).items()} == {"LAW_2": None, "GUIDE": None}


def test_an_article_is_found_by_its_label_and_the_same_file_changes_nothing(tmp_path: Path) -> None:
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    path = write_lines(tmp_path / "laws_full.jsonl", law("LAW_1", MERGED))
    assert knowledge.add(path).added == 4
    assert not knowledge.add(path).changed
    index = knowledge.store.open_current()
    collection = index.collections["law_common_db"]
    try:
        chunks = collection.chunks(range(collection.size))
        assert [chunk.label for chunk in chunks] == [f"시험보호법|제{n}조" for n in ("1", "2")] + [
            "시험보호법|제2조의2",
            "시험보호법|제3조",
        ]
        assert chunks[1].text.startswith("시험 보호법 제2조(정의(定義) 등)\n① 뜻은")
    finally:
        index.close()
    write_lines(path, law("LAW_1", MERGED.replace("셋이다", "넷이다")))
    changed = knowledge.add(path)
    assert (changed.added, changed.updated) == (0, 1), "ids are stable"
    assert knowledge.ingest.delete(["LAW_1"]).removed == 4, "a line's id names all its articles"


@pytest.mark.parametrize(
    "text", ["제1조(" * 3_000, "제1조의" * 3_000, "\n제1조" * 3_000, " " * 8_000, "부칙\n" * 3_000]
)
def test_no_text_takes_long(text: str) -> None:
    assert len(articles_of(text)) <= 1
