"""Questions and answers, one pair a line."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.support.packs import shipped_collections
from tests.support.small_index import record, write_lines
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport
from vectorstores.loaders.registry import loader_for

TODAY = date(2026, 11, 21)


def pair(number: int | str, question: str = "연차는 며칠인가요?", answer: str = "15일입니다.") -> dict[str, object]:
    return {"id": number, "question": question, "answer": answer, "category": "휴가", "views": 3}


def test_a_pair_is_a_document_under_its_own_id(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "faq.jsonl", pair(197), pair("임대-001"), pair(3, answer=""), pair(197), "{broken")
    loader, report = loader_for(path), LoadReport()
    assert loader.name == "faq"
    documents = [
        found.document
        for found in loader.load(path, LoadOptions(TODAY, "hr_labor", collections=shipped_collections()), report)
    ]
    assert [document.id for document in documents] == ["197", "임대-001"]
    first = documents[0]
    assert (first.type, first.domain, first.title, first.content) == (
        "faq",
        "hr_labor",
        "연차는 며칠인가요?",
        "15일입니다.",
    )
    assert first.metadata == {"category": "휴가"}
    assert [problem.line for problem in report.problems] == [3, 4, 5]


def test_the_collection_must_be_named(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "faq.jsonl", pair(1))
    with pytest.raises(IngestError, match="--collection"):
        list(loader_for(path).load(path, LoadOptions(TODAY, collections=shipped_collections()), LoadReport()))


@pytest.mark.parametrize("line", ["", "[1]", "3", "[" * 200_000, "{broken"])
def test_other_lines_are_no_pairs(tmp_path: Path, line: str) -> None:
    path = write_lines(tmp_path / "a.jsonl", line, record("A", "문서"))
    assert loader_for(path).name == "jsonl"
