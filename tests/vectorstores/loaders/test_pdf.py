"""PDF files by page: real files, made by hand, whole and broken."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.packs import shipped_collections
from tests.support.pdf_files import encrypted, make_bomb, make_pdf
from vectorstores.errors import IngestError
from vectorstores.loaders import pdf
from vectorstores.loaders.base import LoadOptions, LoadReport, SourceDocument
from vectorstores.loaders.files import path_sha256
from vectorstores.loaders.pdf import unwrapped
from vectorstores.loaders.registry import loader_for

NOTICE = "월세 세액공제\n총급여 8천만원 이하 근로자는 월세액의 15%를 공제받습니다."


def load(path: Path, domain: str | None = "finance_tax") -> tuple[list[SourceDocument], LoadReport]:
    report = LoadReport()
    options = LoadOptions(today=date(2026, 11, 21), domain=domain, collections=shipped_collections())
    return list(loader_for(path).load(path, options, report)), report


def write(folder: Path, data: bytes, name: str = "연말정산 안내.pdf") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_each_page_is_a_document_that_names_it(tmp_path: Path) -> None:
    path = write(tmp_path, make_pdf([NOTICE, "둘째 쪽"], labels="0 << /S /r >> 1 << /S /D /St 7 >>"))
    documents, report = load(path)
    assert report.problems == []
    file_hash = path_sha256(path)
    first, second = (source.document for source in documents)
    assert first.content == NOTICE
    assert (first.title, second.title) == ("연말정산 안내 i쪽", "연말정산 안내 7쪽")
    assert first.id == f"PDF_{file_hash[:16]}#1"
    assert first.metadata == {
        "page": 1,
        "page_label": "i",
        "file_hash": file_hash,
        "file_name": "연말정산 안내.pdf",
        "created_at": "2026-01-05T09:30:00+09:00",
    }
    assert (second.metadata["page"], second.metadata["page_label"]) == (2, "7")


def test_passages_of_a_page_have_its_number_and_their_own(tmp_path: Path) -> None:
    sentences = "\n".join(f"{number}번째 조건은 다음과 같이 따로 정한다." for number in range(120))
    (document,), _ = load(write(tmp_path, make_pdf([sentences])))
    assert document.policy is not None
    assert document.policy.size < len(document.document.content)
    assert document.chunk_id is not None
    names = [document.chunk_id(number, text) for number, text in ((1, "가"), (2, "나"), (2, "다"))]
    assert [name.rsplit("_", 1)[0] for name in names] == ["1_0", "1_1", "1_1"]
    assert len(set(names)) == 3
    assert all(len(name.rsplit("_", 1)[1]) == 10 for name in names)


def test_equal_pages_of_two_files_are_told_apart(tmp_path: Path) -> None:
    (first, _), _ = load(write(tmp_path, make_pdf(["같은 첫 쪽", "둘째"]), "a.pdf"))
    (other, _), _ = load(write(tmp_path, make_pdf(["같은 첫 쪽", "고친 둘째"]), "b.pdf"))
    assert first.document.id != other.document.id
    assert first.chunk_id is not None
    assert other.chunk_id is not None
    assert first.chunk_id(1, "같은 첫 쪽") != other.chunk_id(1, "같은 첫 쪽")


def test_scanned_pages_are_reported(tmp_path: Path) -> None:
    documents, report = load(write(tmp_path, make_pdf([NOTICE, None, "셋째", None, None])))
    assert [source.document.metadata["page"] for source in documents] == [1, 3]
    (problem,) = report.problems
    assert "3개" in problem.message
    assert "2, 4–5쪽" in problem.message


BROKEN = {
    "encrypted": encrypted(make_pdf([NOTICE]), "secret"),
    "half": make_pdf([NOTICE])[:1200],
    "without its end": make_pdf([NOTICE])[:-150],
    "only a mark": b"%PDF-1.7\n",
    "noise": b"%PDF-1.7\n" + bytes(range(256)) * 20,
    "no pages": make_pdf([NOTICE]).replace(b"/Kids", b"/Kinds"),
    "a page tree that holds itself": make_pdf([NOTICE]).replace(b"/Kids [6 0 R]", b"/Kids [2 0 R]"),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_read_is_one_problem(tmp_path: Path, data: bytes) -> None:
    documents, report = load(write(tmp_path, data))
    assert documents == []
    assert len(report.problems) == 1
    assert report.problems[0].path == "연말정산 안내.pdf"


def test_a_file_that_only_forbids_printing_is_read(tmp_path: Path) -> None:
    documents, report = load(write(tmp_path, encrypted(make_pdf([NOTICE]), "")))
    assert [source.document.content for source in documents] == [NOTICE]
    assert report.problems == []


@pytest.mark.parametrize("unpacked", [100_000, 100_000_000], ids=["much text", "more than is unpacked"])
def test_a_bomb_is_refused_by_page(tmp_path: Path, unpacked: int) -> None:
    documents, report = load(write(tmp_path, make_bomb(unpacked)))
    assert documents == []
    assert len(report.problems) == 1
    assert "1쪽" in report.problems[0].message


def test_pages_beyond_the_bound_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PAGES", 3)
    documents, report = load(write(tmp_path, make_pdf(["쪽"] * 5)))
    assert len(documents) == 3
    assert "전체 5쪽" in report.problems[0].message


def test_a_file_that_takes_too_long_or_says_too_much_ends_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, make_pdf(["첫 쪽", "둘째 쪽", "셋째 쪽"]))
    monkeypatch.setattr(pdf, "MAX_FILE_CHARACTERS", 4)
    documents, report = load(path)
    assert len(documents) == 2
    assert len(report.problems) == 1
    monkeypatch.setattr(pdf, "MAX_SECONDS", -1.0)
    assert load(path)[0] == []


def test_a_font_without_characters_is_reported(tmp_path: Path) -> None:
    _, report = load(write(tmp_path, make_pdf(["\ue123\ue124\ue125 \ue126"])))
    assert "글꼴" in report.problems[0].message


def test_a_collection_is_needed_and_folders_are_read_in_order(tmp_path: Path) -> None:
    write(tmp_path, make_pdf(["나"]), "b.pdf")
    write(tmp_path, make_pdf(["가"]), "a.pdf")
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", b"%PDF-1.7 broken", "c.pdf")
    documents, report = load(tmp_path)
    assert [source.document.content for source in documents] == ["가", "나"]
    assert [problem.path for problem in report.problems] == ["sub/c.pdf"]
    with pytest.raises(IngestError, match="--collection"):
        load(tmp_path, domain=None)


def test_only_lines_that_the_margin_ended_are_joined() -> None:
    page = (
        "제3장 공제\n근로소득이 있는 거주자가 기본공제 대상자를 위하여 지출한 의료비는 다음 각 호에서 정하는\n"
        "금액을 종합소득산출세액에서 공제한다. 다만 근로소득에 대한 산출세액을 넘는 금액은 없는 것으로 본다.\n"
        "○ 공제 대상이 되는 의료비는 진찰과 치료와 예방에 쓴 비용으로서 의료기관에 직접 지급한 것\n"
        "1) 안경과 콘택트렌즈는 한 사람에 연 50만원까지\n구분 한도 공제율\n월세 1,000만원 15%"
    )
    assert unwrapped(page).split("\n") == [
        "제3장 공제",
        "근로소득이 있는 거주자가 기본공제 대상자를 위하여 지출한 의료비는 다음 각 호에서 정하는 "
        "금액을 종합소득산출세액에서 공제한다. 다만 근로소득에 대한 산출세액을 넘는 금액은 없는 것으로 본다.",
        "○ 공제 대상이 되는 의료비는 진찰과 치료와 예방에 쓴 비용으로서 의료기관에 직접 지급한 것",
        "1) 안경과 콘택트렌즈는 한 사람에 연 50만원까지",
        "구분 한도 공제율",
        "월세 1,000만원 15%",
    ]


@given(st.text(st.sampled_from("가나다 \n.,-○1"), max_size=200))
def test_joining_lines_loses_nothing_but_space(text: str) -> None:
    assert "".join(unwrapped(text).split()) == "".join(text.split())
