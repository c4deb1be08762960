"""Documents in the unit form: one file a document, its domain by its folder."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from tests.support.packs import shipped_collections
from tests.support.small_index import SmallKnowledge
from tests.support.unit_files import ASKS, document_text, unit_text, write_document
from utils.config.settings import Settings
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.registry import loader_for

TODAY = date(2026, 11, 22)


def loaded(path: Path, domain: str | None = None) -> tuple[list[SourceDocument], list[str]]:
    """The documents and the problems of a path, whose format is told by what it holds."""
    loader, report = loader_for(path), LoadReport()
    assert loader.name == "units"
    sources = list(loader.load(path, LoadOptions(TODAY, domain, collections=shipped_collections()), report))
    assert report.documents == len(sources)
    return sources, [str(problem) for problem in report.problems]


def ids_and_domains(sources: Sequence[SourceDocument]) -> list[tuple[str, str]]:
    return [(source.document.id, source.document.domain) for source in sources]


def test_a_document_is_what_is_quoted_of_its_units(tmp_path: Path) -> None:
    path = write_document(tmp_path / "hr_labor", unit_text(), unit_text("둘째"), head={"region": "서울특별시"})
    [source], problems = loaded(path)
    assert problems == []
    document = source.document
    assert (document.id, document.type, document.title) == ("HR_CONTRACT_001", "guide", "근로계약서 작성과 교부 의무")
    assert len(document.content.split("\n")) == 4
    assert not any(ask in document.content for ask in ASKS), "phrasings are searched, never quoted"
    assert document.related_laws == ("근로기준법 제114조", "근로기준법 제17조", "근로기준법 시행령 제8조의2")
    assert document.effective_date == date(2025, 10, 23)
    assert document.source.url == "https://www.law.go.kr/법령/근로기준법"
    assert document.metadata == {"topic": "근로계약", "region": "서울특별시"}
    assert [unit.name for unit in source.units] == ["근로계약서를 안 쓰면", "둘째"]
    assert [ask.text for ask in source.units[0].asks] == list(ASKS)


def test_the_innermost_folder_of_a_domain_is_where_a_document_belongs(tmp_path: Path) -> None:
    write_document(tmp_path / "hr_labor" / "labor_guide")
    write_document(tmp_path / "hr_labor" / "finance_tax" / "2026", head={"id": "TAX_001"})
    expected = [("TAX_001", "finance_tax"), ("HR_CONTRACT_001", "hr_labor")]
    assert ids_and_domains(loaded(tmp_path)[0]) == expected
    assert ids_and_domains(loaded(tmp_path / "hr_labor")[0]) == expected, "the folder of the domain itself"
    assert ids_and_domains(loaded(tmp_path / "hr_labor" / "finance_tax" / "2026" / "TAX_001.md")[0]) == expected[:1]


def test_without_such_a_folder_the_collection_must_be_named(tmp_path: Path) -> None:
    path = write_document(tmp_path / "안내")
    assert loaded(tmp_path) == (
        [],
        ["안내/HR_CONTRACT_001.md: 분야의 폴더 안에 있지 않습니다 (또는 --collection 으로 정합니다)"],
    )
    assert ids_and_domains(loaded(path, "law_common")[0]) == [("HR_CONTRACT_001", "law_common")]


def test_a_named_collection_counts_more_than_the_folder(tmp_path: Path) -> None:
    path = write_document(tmp_path / "hr_labor")
    assert ids_and_domains(loaded(path, "law_common")[0]) == [("HR_CONTRACT_001", "law_common")]


@pytest.mark.parametrize(
    ("head", "properties", "told"),
    [
        ({}, ("측면: 벌칙",), "FAULTY.md:14: 알 수 없는 측면입니다: 벌칙"),
        ({}, ("측면: 제재", "경우: 직원수 < 5"), "FAULTY.md:15: 경우: 알 수 없는 항목입니다: 직원수"),
        ({"type": "guides"}, ("측면: 제재",), "FAULTY.md: 형식 오류: type"),
        ({"collected_at": "2026"}, ("측면: 제재",), "FAULTY.md:8: collected_at: 날짜가 아닙니다"),
    ],
)
def test_a_faulty_document_is_told_and_left_out(
    tmp_path: Path, head: dict[str, str], properties: Sequence[str], told: str
) -> None:
    write_document(tmp_path / "hr_labor", unit_text(properties=properties), head={"id": "FAULTY", **head})
    write_document(tmp_path / "hr_labor")
    (tmp_path / "hr_labor" / "LATER.md").write_bytes(b"\xff\xfe\xff")
    sources, problems = loaded(tmp_path)
    assert ids_and_domains(sources) == [("HR_CONTRACT_001", "hr_labor")], "all others are read"
    assert problems[0].startswith(f"hr_labor/{told}")
    assert ["LATER.md: UTF-8 텍스트가 아닙니다" in problem for problem in problems[1:]] == [True]


def test_an_archive_is_read_like_the_folder_it_was_made_of(tmp_path: Path) -> None:
    write_document(tmp_path / "hr_labor")
    with tarfile.open(tmp_path / "지식.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "hr_labor", "hr_labor")
    assert ids_and_domains(loaded(tmp_path / "지식.tar.gz")[0]) == [("HR_CONTRACT_001", "hr_labor")]


def test_other_markdown_is_read_as_before(tmp_path: Path) -> None:
    path = tmp_path / "안내.md"
    path.write_text(document_text().replace("topic: 근로계약\n", ""), encoding="utf-8")
    assert loader_for(path).name == "markdown"


def test_a_document_is_one_passage_however_long(tmp_path: Path) -> None:
    sentences = [f"규칙: {number}번째 규칙은 모든 사업장에 빠짐없이 적용됩니다." for number in range(200)]
    write_document(tmp_path / "hr_labor", unit_text(sentences=sentences))
    knowledge = SmallKnowledge(Settings(data_dir=tmp_path / "data"))
    assert knowledge.add(tmp_path / "hr_labor").problems == []
    index = knowledge.store.open_current()
    collection = index.collections["hr_labor_db"]
    [chunk] = collection.chunks(range(collection.size))
    assert chunk.id == "HR_CONTRACT_001"
    assert chunk.sentence_texts() == [sentence.partition(": ")[2] for sentence in sentences]
    index.close()
