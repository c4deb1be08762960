"""JSONL, precedents and guides: what is read, and what is reported."""

from __future__ import annotations

import gzip
import os
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.packs import shipped_collections
from tests.support.small_index import record, write_lines
from utils.knowledge.front_matter import split_front_matter
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.markdown import split_by_heading
from vectorstores.loaders.registry import LOADERS, loader_for

CASE = """---
판례일련번호: '124555'
사건번호: 92누15406
사건명: 부당해고구제재심판정취소
법원명: 대법원
사건종류: 일반행정
출처: https://www.law.go.kr/LSW/precInfoP.do?precSeq=124555
선고일자: 1993-03-23
---

# 부당해고구제재심판정취소

## 판시사항

해고가 정당한지
          여부

## 판결요지

정당하지 아니하다.

## 참조조문

근로기준법 제23조 제1항, 민법 제2조

## 판례내용

【원고, 상고인】 원고
【주    문】 상고를 기각한다.
【이    유】  상고이유를 본다.
  해고는 무효이다.
"""


def load(path: Path, domain: str | None = None, name: str | None = None) -> tuple[list[SourceDocument], LoadReport]:
    report = LoadReport()
    options = LoadOptions(today=date(2026, 11, 21), domain=domain, collections=shipped_collections())
    return list(loader_for(path, name).load(path, options, report)), report


def test_bad_lines_are_reported_by_number_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "guide.jsonl",
        record("A", "첫 문서"),
        "{broken",
        record("B", " "),
        record("C", "알 수 없는 도메인", domain="cooking"),
        record("A", "같은 id"),
        {**record("D", "모르는 키"), "titel": "오타"},
        "",
        record("E", "마지막", domain="legal"),
    )
    documents, report = load(path)
    assert [source.document.id for source in documents] == ["A", "E"]
    assert documents[1].document.domain == "law_common"
    assert [(problem.path, problem.line) for problem in report.problems] == [
        (str(path), line) for line in (2, 3, 4, 5, 6)
    ]
    assert "titel" in report.problems[-1].message


def test_bytes_that_are_no_text_are_bad_lines(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "guide.jsonl", record("A", "문서"))
    path.write_bytes(path.read_bytes() + '{"id": "한글"}'.encode("cp949") + b"\n\xff\xfe\x00\n")
    documents, report = load(path)
    assert len(documents) == 1
    assert [problem.line for problem in report.problems] == [2, 3]


def test_a_folder_of_knowledge_files_and_an_empty_one_in_it(tmp_path: Path) -> None:
    (tmp_path / "hr").mkdir()
    write_lines(tmp_path / "hr" / "a.jsonl", record("A", "문서"))
    (tmp_path / "hr" / "b.jsonl").write_text("", encoding="utf-8")
    documents, report = load(tmp_path)
    assert len(documents) == 1
    assert [Path(problem.path).name for problem in report.problems] == ["b.jsonl"]


def test_a_precedent(tmp_path: Path) -> None:
    folder = tmp_path / "labor" / "대법원"
    folder.mkdir(parents=True)
    (folder / "92누15406.md").write_text(CASE, encoding="utf-8")
    (folder / "broken.md").write_text(CASE.replace("사건번호", "번호"), encoding="utf-8")
    documents, report = load(tmp_path / "labor")
    case = documents[0].document
    assert (case.id, case.type, case.domain) == ("CASE_124555", "court_case", "hr_labor")
    assert case.title == "부당해고구제재심판정취소 (대법원 1993-03-23 92누15406)"
    assert case.content.split("\n\n") == [
        "【판시사항】\n해고가 정당한지\n여부",
        "【판결요지】\n정당하지 아니하다.",
        "【참조조문】\n근로기준법 제23조 제1항, 민법 제2조",
        "【이유】\n상고이유를 본다.\n해고는 무효이다.",
    ]
    assert case.related_laws == ("근로기준법 제23조", "민법 제2조")
    assert [Path(problem.path).name for problem in report.problems] == ["broken.md"]


def test_a_guide_becomes_a_document_a_section(tmp_path: Path) -> None:
    text = "머리글\n\n# 연말정산\n\n## 공제\n\n공제 내용\n\n```\n# 코드 안의 제목\n```\n\n## 공제\n\n둘째\n"
    (tmp_path / "guide.md").write_text(text, encoding="utf-8")
    documents, _ = load(tmp_path, domain="finance_tax")
    assert [source.document.title for source in documents] == [
        "guide",
        "guide — 연말정산 > 공제",
        "guide — 연말정산 > 공제",
    ]
    assert "# 코드 안의 제목" in documents[1].document.content
    assert len({source.document.id for source in documents}) == 3
    again, _ = load(tmp_path, domain="finance_tax")
    assert [source.document.id for source in again] == [source.document.id for source in documents]


def test_headings_below_the_depth_of_the_pack_stay_within_their_section() -> None:
    text = "## 공제\n\n내용\n\n### 한도\n\n300만원"
    assert split_by_heading(text, 2) == [(("공제",), "내용\n\n### 한도\n\n300만원")]
    assert [path for path, _ in split_by_heading(text)] == [("공제",), ("공제", "한도")]


def test_a_guide_needs_a_collection(tmp_path: Path) -> None:
    (tmp_path / "guide.txt").write_text("내용", encoding="utf-8")
    with pytest.raises(IngestError, match="--collection"):
        load(tmp_path)


BODIES = st.text(st.sampled_from("가나 \n-*a."), max_size=30).map(str.strip)


@given(BODIES, st.lists(st.tuples(st.integers(1, 3), BODIES), max_size=6))
def test_sections_keep_all_text_under_its_headings(lead: str, sections: list[tuple[int, str]]) -> None:
    marked = [f"{'#' * level} 제목{number}\n{body}" for number, (level, body) in enumerate(sections)]
    found = split_by_heading("\n".join([lead, *marked]))
    assert [content for _, content in found] == [body for body in (lead, *(body for _, body in sections)) if body]
    assert [path[-1] for path, _ in found if path] == [f"제목{n}" for n, (_, body) in enumerate(sections) if body]


@given(st.text(st.sampled_from("# \n`~가"), max_size=60))
def test_any_text_can_be_split(text: str) -> None:
    assert all(content.strip() for _, content in split_by_heading(text))


@given(st.text(max_size=100))
def test_front_matter_never_fails(text: str) -> None:
    assert split_front_matter(text) is None or text.startswith("---")
    split = split_front_matter(f"---\n제목: '가'\n---\n{text}")
    assert split == ({"제목": "가"}, text)


def test_the_format_is_told_by_content(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "a.md").write_text(CASE, encoding="utf-8")
    (tmp_path / "guide.md").write_text("# 제목\n내용", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "a.bin").write_bytes(b"\0")
    assert loader_for(tmp_path / "case").name == "precedents"
    assert loader_for(tmp_path / "guide.md").name == "markdown"
    assert loader_for(tmp_path / "a.jsonl").name == "jsonl"
    with pytest.raises(IngestError, match="형식"):
        loader_for(tmp_path / "a.bin")
    with pytest.raises(IngestError, match="경로"):
        loader_for(tmp_path / "missing")
    assert len({loader.name for loader in LOADERS}) == len(LOADERS)


def test_headnotes_of_cases_packed_or_not(tmp_path: Path) -> None:
    case: dict[str, object] = {
        "id": "세무/대법원/91누1", "kind": "세무", "court": "대법원", "issues": "중과 여부", "holding": None,
        "cited": "지방세법 제112조의3",
    }  # fmt: skip
    plain = write_lines(tmp_path / "cases.jsonl", case, {**case, "id": "민사/하급심/92가1", "kind": "민사"})
    packed = tmp_path / "cases.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert loader_for(plain).name == "headnotes"
    documents, report = load(packed)
    first = documents[0].document
    assert (first.id, first.domain, first.title) == ("세무/대법원/91누1", "finance_tax", "대법원 91누1 세무")
    assert first.content == "【판시사항】\n중과 여부\n\n【참조조문】\n지방세법 제112조의3"
    assert first.related_laws == ("지방세법 제112조의3",)
    assert documents[1].document.domain == "law_common"
    assert not report.problems


def test_packed_lines_end_at_a_limit_or_where_they_are_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vectorstores.loaders.lines._MAX_LINE_BYTES", 100_000)
    good = write_lines(tmp_path / "a.jsonl", record("A", "문서")).read_bytes()
    (tmp_path / "bomb.jsonl.gz").write_bytes(gzip.compress(good + b"0" * 10_000_000))
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(good + os.urandom(50_000).hex().encode())[:-50])
    for name, message in (("bomb", "한도"), ("cut", "손상")):
        documents, report = load(tmp_path / f"{name}.jsonl.gz", name="jsonl")
        assert [source.document.id for source in documents] == ["A"]
        assert message in report.problems[-1].message
